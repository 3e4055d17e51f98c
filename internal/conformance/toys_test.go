package conformance_test

import (
	"encoding/binary"
	"io"
	"log/slog"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

var errs = &fault.Maker{Package: "bag"}

// params contains the number of keys, including copies, for which a bag has
// room.
type params struct {
	Room   uint64
	Family hashfam.Family
}

// A bag is an exact multiset of digests. It can have a defect.
type bag struct {
	params
	counts map[hashfam.Digest]uint64
	defect string
}

var sink []byte

func (b *bag) Params() params         { return b.params }
func (b *bag) Family() hashfam.Family { return b.params.Family }

func (b *bag) Len() (n uint64) {
	for _, count := range b.counts {
		n += count
	}
	return n
}

func (b *bag) Count(key []byte) uint64 {
	if b.defect == "a query allocates" {
		sink = make([]byte, 1+len(key))
	}
	return b.counts[b.Family().Sum(key)]
}
func (b *bag) CountString(key string) uint64 {
	if b.defect == "CountString stops at 1" {
		return min(1, b.CountDigest(b.Family().SumString(key)))
	}
	return b.CountDigest(b.Family().SumString(key))
}
func (b *bag) CountDigest(d hashfam.Digest) uint64 { return b.counts[d] }
func (b *bag) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	for _, d := range digests {
		dst = append(dst, b.counts[d])
	}
	return dst
}

func (b *bag) Add(key []byte) error { return b.AddDigest(b.Family().Sum(key)) }
func (b *bag) AddString(key string) error {
	if b.defect == "strings are cut at 64 bytes" {
		key = key[:min(64, len(key))]
	}
	return b.AddDigest(b.Family().SumString(key))
}

func (b *bag) AddDigest(d hashfam.Digest) error {
	if b.Len() < b.Room {
		b.counts[d]++
		return nil
	}
	if b.defect == "a failed Add removes a key" {
		delete(b.counts, slices.Min(slices.Collect(maps.Keys(b.counts))))
	}
	return fault.ErrFull
}

func (b *bag) AddAll(digests []hashfam.Digest) (int, error) {
	for i, d := range digests {
		if b.defect == "batches drop their last key" && i == len(digests)-1 {
			break
		}
		if err := b.AddDigest(d); err != nil {
			return i, err
		}
	}
	if b.defect == "AddAll returns half" {
		return len(digests) / 2, nil
	}
	return len(digests), nil
}

func (b *bag) Delete(key []byte) bool       { return b.DeleteDigest(b.Family().Sum(key)) }
func (b *bag) DeleteString(key string) bool { return b.DeleteDigest(b.Family().SumString(key)) }
func (b *bag) DeleteAll(digests []hashfam.Digest) (n int) {
	for _, d := range digests {
		n += int(conformance.One(b.DeleteDigest(d)))
	}
	return n
}

func (b *bag) DeleteDigest(d hashfam.Digest) bool {
	n := b.counts[d]
	if n > 1 && b.defect != "Delete removes all copies" {
		b.counts[d]--
	} else {
		delete(b.counts, d)
	}
	return n > 0
}

func (b *bag) Reset() {
	if b.defect != "Reset does nothing" {
		clear(b.counts)
	}
}

func (b *bag) Clone() *bag {
	if b.defect == "a clone shares memory" {
		return b
	}
	return &bag{b.params, maps.Clone(b.counts), b.defect}
}

func (b *bag) Equal(o *bag) bool {
	return b.defect == "all are equal" || b.params == o.params && maps.Equal(b.counts, o.counts)
}

func (b *bag) Merge(others ...*bag) error {
	if err := fault.Mergeable(errs, "Params", b.params, others, (*bag).Params); err != nil {
		return err
	}
	sum := b.Len()
	for _, o := range others {
		sum += o.Len()
	}
	if sum > b.Room {
		return fault.ErrFull
	}
	for _, o := range others {
		for d, n := range o.counts {
			if b.defect == "a merge keeps the larger count" {
				n = max(n, b.counts[d]) - b.counts[d]
			}
			b.counts[d] += n
		}
	}
	return nil
}

func (b bag) String() string {
	if b.defect == "the key is printed" {
		return "bag 0706050403020100"
	}
	return "bag with room for " + slog.Uint64Value(b.Room).String()
}
func (b bag) LogValue() slog.Value            { return slog.StringValue(b.String()) }
func (b *bag) MarshalBinary() ([]byte, error) { return b.AppendBinary(nil) }
func (b bag) MarshalText() ([]byte, error)    { return frame.MarshalText(&b) }

func (b *bag) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, b.encode) }
func (b *bag) WriteTo(w io.Writer) (int64, error)      { return frame.WriteTo(w, b.encode) }

func (b *bag) encode() (frame.Header, frame.Payload, error) {
	if b.Room == 0 && b.defect != "a zero value is encoded" {
		return frame.Header{}, nil, errs.Field(hashfam.ErrParams, "Params.Room", b.Room, "above 0")
	}
	var pairs []uint64
	for _, d := range slices.Sorted(maps.Keys(b.counts)) {
		pairs = append(pairs, uint64(d), b.counts[d])
	}
	return layout.NewWords(b.Family(), uint64(8*len(pairs)), b.Room, uint64(len(pairs)/2), 0), frame.Numbers(pairs), nil
}

// contents is a header: the parameters and how many numbers follow.
type contents struct {
	params
	numbers uint64
}

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

func (b *bag) decode(r *frame.Reader) error {
	c, pairs, err := layout.Read(r, b.Family())
	if b.defect == "a failed decode resets" && err != nil {
		clear(b.counts)
	}
	if err != nil {
		return err
	}
	g := bag{c.params, map[hashfam.Digest]uint64{}, b.defect}
	for last := uint64(0); len(pairs) > 0; pairs = pairs[2:] {
		if len(g.counts) > 0 && pairs[0] <= last || pairs[1] == 0 || pairs[1] > g.Room-g.Len() {
			return errs.Field(hashfam.ErrCorrupt, "pair", pairs[:2], "digests in order, and no more copies than there is room for")
		}
		last = pairs[0]
		g.counts[hashfam.Digest(last)] = pairs[1]
	}
	*b = g
	return nil
}

func (b *bag) UnmarshalBinary(data []byte) error {
	if b.defect == "checksums are ignored" {
		data = frametest.Seal(data)
	}
	return b.decode(frame.NewBytesReader(data, errs))
}

func (b *bag) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, b.decode) }
func (b *bag) UnmarshalText(text []byte) error     { return frame.UnmarshalText(b, text, errs) }

// bags describes bags with a defect.
func bags(defect string) conformance.Structure {
	create := func(p params) (*bag, error) {
		if p.Room == 0 || p.Room > 1000 {
			return nil, errs.Field(hashfam.ErrParams, "Params.Room", p.Room, "1 to 1000")
		}
		return &bag{p, map[hashfam.Digest]uint64{}, defect}, nil
	}
	draw := func(t *rapid.T, fam hashfam.Family) params {
		return params{rapid.Uint64Range(1, 60).Draw(t, "room"), fam}
	}
	receiver := func(fam hashfam.Family) *bag { return &bag{params{Family: fam}, nil, defect} }
	return conformance.Structure{
		Type:      conformance.Created(receiver, draw, create),
		Canonical: func(conformance.Encoded) bool { return true },
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params, 1<<63)
			binary.LittleEndian.PutUint64(params[8:], 1<<33)
			return 1 << 37
		},
		Golden: map[string]func() conformance.Encoded{"bag.bin": func() conformance.Encoded {
			b, _ := create(params{Room: 20})
			b.AddAll(hashfam.Family{}.SumAll(nil, [][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("a")}))
			return b
		}},
	}
}
