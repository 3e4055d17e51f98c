package conformance_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sort"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

var errs = &fault.Maker{Package: "bag"}

// params are the parameters of a bag: how many copies of keys it has room for.
type params struct {
	Room   uint64
	Family hashfam.Family
}

// A reader is what bags, sets and views have in common: an exact multiset of
// digests, and at most one defect. Pairs of a digest and its number of copies
// are in the order of the digests.
type reader struct {
	params
	pairs  []uint64
	defect string
}

var sink []byte

func (r *reader) is(defect string) bool { return r.defect == defect }

// find returns the place of d's pair and whether there is one.
func (r *reader) find(d hashfam.Digest) (int, bool) {
	i := 2 * sort.Search(len(r.pairs)/2, func(i int) bool { return r.pairs[2*i] >= uint64(d) })
	return i, i < len(r.pairs) && r.pairs[i] == uint64(d)
}

// Len returns the number of copies of all keys.
func (r *reader) Len() (n uint64) {
	for i := 1; i < len(r.pairs); i += 2 {
		n += r.pairs[i]
	}
	return n
}

func (r *reader) Params() params         { return r.params }
func (r *reader) Family() hashfam.Family { return r.params.Family }

func (r *reader) Count(key []byte) uint64 {
	if r.is("a query allocates") {
		sink = make([]byte, 1+len(key))
	}
	if r.is("a read writes") && len(r.pairs) > 0 {
		r.pairs[len(r.pairs)-1]++
	}
	return r.CountDigest(r.Family().Sum(key))
}

func (r *reader) CountString(key string) uint64 {
	if r.is("queries cut strings at 4 bytes") {
		key = key[:min(4, len(key))]
	}
	return r.CountDigest(r.Family().SumString(key))
}

func (r *reader) CountDigest(d hashfam.Digest) uint64 {
	if i, found := r.find(d); found {
		return r.pairs[i+1]
	}
	return 0
}

func (r *reader) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	switch {
	case r.is("a batch has no answers"):
		return dst
	case r.is("a batch overwrites"):
		dst = dst[:0]
	}
	for _, d := range digests {
		dst = append(dst, r.CountDigest(d))
	}
	return dst
}

func (r *reader) Contains(key []byte) bool {
	return r.Count(key) > 0 && !(r.is("a view forgets") && len(r.pairs) > 2)
}

func (r *reader) ContainsString(key string) bool { return r.CountString(key) > 0 }

func (r *reader) ContainsDigest(d hashfam.Digest) bool { return r.CountDigest(d) > 0 }

func (r *reader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	for _, d := range digests {
		dst = append(dst, r.ContainsDigest(d))
	}
	return dst
}

func (r reader) String() string {
	if r.is("the key is printed") {
		return fmt.Sprint(uint64(0x0706050403020100))
	}
	return fmt.Sprintf("bag(%d, %v)", r.Room, r.params.Family)
}

func (r reader) Format(w fmt.State, _ rune) { fmt.Fprint(w, r.String()) }
func (r reader) LogValue() slog.Value       { return slog.StringValue(r.String()) }

// AppendBinary returns ErrParams for a zero reader.
func (r *reader) AppendBinary(dst []byte) ([]byte, error) {
	if r.is("AppendBinary overwrites") {
		dst = dst[:0]
	}
	return frame.AppendBinary(dst, r.encode)
}

func (r *reader) encode() (frame.Header, frame.Payload, error) {
	if r.Room == 0 && !r.is("a zero value is encoded") {
		return frame.Header{}, nil, errs.Field(hashfam.ErrParams, "Params.Room", r.Room, "above 0")
	}
	h := layout.NewWords(r.Family(), uint64(8*len(r.pairs)), r.Room, uint64(len(r.pairs)/2), 0)
	return h, frame.Numbers(r.pairs), nil
}

func (r *reader) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }
func (r reader) MarshalText() ([]byte, error)    { return frame.MarshalText(&r) }

func (r *reader) WriteTo(w io.Writer) (int64, error) {
	n, err := frame.WriteTo(w, r.encode)
	switch {
	case r.is("unwritten bytes are counted") && err != nil:
		n++
	case r.is("short writes are ignored") && errors.Is(err, io.ErrShortWrite):
		err = nil
	}
	return n, err
}

// contents is what the header of a bag tells: its parameters and how many
// numbers its pairs are.
type contents struct {
	params
	numbers uint64
}

// layout is the encoding of a bag. The last word of its parameters is zero.
var layout = frame.Format[contents, uint64]{
	Kind: frame.Bloom, Version: 1, Errs: errs,
	Parse: func(h frame.Header, fam hashfam.Family) (contents, error) {
		w, err := h.Words(errs, 64, 41, 0)
		if err == nil && w[0] == 0 {
			err = errs.Field(hashfam.ErrCorrupt, "Params.Room", w[0], "above 0")
		}
		if err == nil {
			err = h.CheckPayload(16*w[1], errs)
		}
		return contents{params{w[0], fam}, 2 * w[1]}, err
	},
	Len: func(c contents) uint64 { return c.numbers },
}

// check returns ErrCorrupt unless the pairs are in order and fit.
func (r *reader) check() error {
	sum := uint64(0)
	for i := 0; i < len(r.pairs); i += 2 {
		if i > 0 && r.pairs[i-2] >= r.pairs[i] || r.pairs[i+1] == 0 || r.pairs[i+1] > r.Room-sum {
			return errs.Field(hashfam.ErrCorrupt, "pair", r.pairs[i:i+2], "digests in order and no more copies than there is room for")
		}
		sum += r.pairs[i+1]
	}
	return nil
}

// decode reads a bag into r.
func (r *reader) decode(fr *frame.Reader) error {
	c, pairs, err := layout.Read(fr, r.Family())
	if r.is("numbers are trusted") && c.Room > 1<<10 {
		sink = make([]byte, 64<<20)
	}
	g := reader{c.params, pairs, r.defect}
	if err == nil {
		err = g.check()
	}
	if err == nil {
		*r = g
	}
	return err
}

func (r *reader) UnmarshalBinary(data []byte) error {
	b := bytes.Clone(data)
	switch {
	case r.is("a later version is decoded") && len(b) > 6 && b[5] != 1:
		b[5] = 1
		conformance.Reseal(b)
	case r.is("trailing bytes are ignored") && len(b)%8 == 1:
		b = b[:len(b)-1]
	case r.is("checksums are ignored"):
		conformance.Reseal(b)
	case r.is("reserved bytes are ignored") && len(b) > 48:
		clear(b[40:48])
		conformance.Reseal(b)
	}
	err := r.decode(frame.NewBytesReader(b, errs))
	switch {
	case r.is("a failed decode resets") && err != nil:
		r.pairs = nil
	case r.is("decoding takes the claimed memory") && err != nil:
		sink = make([]byte, 64<<20)
	}
	return err
}

func (r *reader) UnmarshalText(text []byte) error {
	err := frame.UnmarshalText(r, text, errs)
	if r.is("damaged text is ignored") {
		return nil
	}
	return err
}

func (r *reader) ReadFrom(in io.Reader) (int64, error) {
	switch {
	case r.is("ReadFrom reads ahead"):
		b, _ := io.ReadAll(in)
		in = io.MultiReader(bytes.NewReader(b), in)
	case r.is("a read of no bytes is the end"):
		in = impatient{in}
	}
	fr := frame.NewReader(in, errs)
	err := r.decode(fr)
	switch {
	case r.is("a failed read resets") && err != nil:
		r.pairs = nil
	case r.is("an error of the stream is damage") && err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("%w: %w", hashfam.ErrCorrupt, err)
	}
	return fr.N(), err
}

// An impatient reader ends at a read that returns nothing.
type impatient struct{ io.Reader }

func (i impatient) Read(b []byte) (int, error) {
	n, err := i.Reader.Read(b)
	if n == 0 && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (r *reader) equal(o *reader) bool {
	switch {
	case r.is("all are equal"):
		return true
	case r.is("the family is not compared"):
		return r.Room == o.Room && len(r.pairs) == len(o.pairs)
	}
	return r.params == o.params && slices.Equal(r.pairs, o.pairs)
}

// A view is a bag that is used where it is encoded.
type view struct {
	reader
	encoded frame.View
}

// viewOf opens views with a defect.
func viewOf(defect string) func([]byte, hashfam.Family) (*view, error) {
	return func(data []byte, fam hashfam.Family) (*view, error) {
		encoded, c, pairs, err := layout.View(data, fam)
		return &view{reader{c.params, pairs, defect}, encoded}, err
	}
}

func (v *view) Verify() error {
	if v.is("a view is not verified") {
		return nil
	}
	if err := v.encoded.Verify(v.encoded.Payload); err != nil {
		return err
	}
	return v.check()
}

func (v *view) Decode() (*bag, error) {
	if err := v.Verify(); err != nil {
		return nil, err
	}
	b := &bag{v.reader}
	if !v.is("a decoded view shares memory") {
		b.pairs = slices.Clone(b.pairs)
	}
	return b, nil
}

// A bag is a multiset to which keys are added until it is full.
type bag struct{ reader }

func (b *bag) Equal(o *bag) bool { return b.equal(&o.reader) }

func (b *bag) AddDigest(d hashfam.Digest) error {
	if b.is("an insertion allocates") {
		sink = make([]byte, 1+len(b.pairs))
	}
	if b.Len() >= b.Room {
		if b.is("a failed insertion evicts") {
			b.pairs = b.pairs[:len(b.pairs)-2]
		}
		if !b.is("a failed insertion inserts") {
			return fault.ErrFull
		}
	}
	b.put(d, 1)
	if b.Len() > b.Room {
		return fault.ErrFull
	}
	return nil
}

// put adds n copies of d.
func (b *bag) put(d hashfam.Digest, n uint64) {
	i, found := b.find(d)
	if !found {
		b.pairs = slices.Insert(b.pairs, i, uint64(d), 0)
	}
	b.pairs[i+1] += n
}

func (b *bag) Add(key []byte) error {
	if b.is("the empty key is dropped") && len(key) == 0 {
		return nil
	}
	return b.AddDigest(b.Family().Sum(key))
}

func (b *bag) AddString(key string) error {
	if b.is("strings are cut at 64 bytes") {
		key = key[:min(64, len(key))]
	}
	return b.AddDigest(b.Family().SumString(key))
}

func (b *bag) AddAll(digests []hashfam.Digest) (int, error) {
	for i, d := range digests {
		if b.is("batches drop their last key") && i == len(digests)-1 {
			break
		}
		if err := b.AddDigest(d); err != nil {
			return i, err
		}
	}
	return len(digests), nil
}

func (b *bag) ContainsOrAdd(key []byte) (bool, error) {
	return b.ContainsOrAddDigest(b.Family().Sum(key))
}

func (b *bag) ContainsOrAddString(key string) (bool, error) {
	return b.ContainsOrAddDigest(b.Family().SumString(key))
}

func (b *bag) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	had := b.ContainsDigest(d)
	switch {
	case b.is("query and insertion only queries"):
		return had, nil
	case had && !b.is("a key that is found is inserted again"):
		return true, nil
	}
	return had, b.AddDigest(d)
}

func (b *bag) Delete(key []byte) bool { return b.DeleteDigest(b.Family().Sum(key)) }

func (b *bag) DeleteString(key string) bool { return b.DeleteDigest(b.Family().SumString(key)) }

func (b *bag) DeleteDigest(d hashfam.Digest) bool {
	i, found := b.find(d)
	switch {
	case !found:
		return b.is("an absent key is deleted")
	case b.pairs[i+1] == 1 || b.is("every copy is deleted"):
		b.pairs = slices.Delete(b.pairs, i, i+2)
	default:
		b.pairs[i+1]--
	}
	return true
}

func (b *bag) DeleteAll(digests []hashfam.Digest) (n int) {
	for _, d := range digests {
		if b.DeleteDigest(d) {
			n++
		}
	}
	return n
}

func (b *bag) Reset() {
	if !b.is("Reset keeps a key") || len(b.pairs) < 4 {
		b.pairs = nil
	} else {
		b.pairs = b.pairs[:2]
	}
}

func (b *bag) Clone() *bag {
	switch {
	case b.is("clones share their keys"):
		return b
	case b.is("a clone forgets a key") && len(b.pairs) > 0:
		return &bag{reader{b.params, slices.Clone(b.pairs[2:]), b.defect}}
	}
	return &bag{reader{b.params, slices.Clone(b.pairs), b.defect}}
}

func (b *bag) Merge(others ...*bag) error {
	err := b.mergeable(others)
	if err != nil {
		if b.is("a failed merge resets") {
			b.pairs = nil
		}
		if b.is("a failed merge adds some keys") && b.params == others[0].params {
			b.mergeOne(others[0])
		}
		return err
	}
	for _, o := range others {
		b.mergeOne(o)
	}
	if b.is("a merge adds a key") && len(others) > 0 && b.Len() < b.Room {
		b.put(^hashfam.Digest(0), 1)
	}
	return nil
}

func (b *bag) mergeable(others []*bag) error {
	sum := b.Len()
	for i, o := range others {
		if b.is("room is not compared") {
			o = &bag{reader{b.params, o.pairs, ""}}
		}
		place := ""
		if len(others) > 1 && !b.is("a failed merge names no place") {
			place = fmt.Sprintf("others[%d]", i)
		}
		if err := fault.Same(errs, place, "Params", b.params, o.params); err != nil {
			return err
		}
		sum += o.Len()
	}
	if sum > b.Room {
		return fault.ErrFull
	}
	return nil
}

func (b *bag) mergeOne(o *bag) {
	for i := 0; i < len(o.pairs); i += 2 {
		d, n := hashfam.Digest(o.pairs[i]), o.pairs[i+1]
		has := b.CountDigest(d)
		switch {
		case b.is("a merge takes the larger count"):
			n = max(n, has) - has
		case b.is("a merge intersects") && has == 0:
			continue
		}
		if n > 0 {
			b.put(d, n)
		}
	}
	if b.is("a merge empties the argument") {
		o.pairs = nil
	}
}
