package conformance_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
	"github.com/filterfam/filterfam/internal/merge"
)

var errs = &fault.Maker{Package: "bag"}

var errFull = errs.Errorf("full")

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
	frame  []byte // if the bag uses a frame in place
}

var sink []byte

// pick returns bad if the bag has the defect, and otherwise good.
func pick[T any](b *bag, defect string, bad, good T) T {
	if b.defect == defect {
		return bad
	}
	return good
}

// lose removes all keys if the bag has the defect.
func (b *bag) lose(defect string) { clear(pick(b, defect, b.counts, nil)) }

func (b *bag) Params() params         { return b.params }
func (b *bag) Family() hashfam.Family { return b.params.Family }

func (b *bag) Len() (n uint64) {
	for _, count := range b.counts {
		n += count
	}
	return n
}

func (b *bag) Count(key []byte) uint64 {
	sink = make([]byte, pick(b, "a query allocates", 1, 0))
	return b.CountDigest(b.Family().Sum(key))
}
func (b *bag) CountString(key string) uint64 {
	return min(b.CountDigest(b.Family().SumString(key)), pick[uint64](b, "CountString stops at 1", 1, math.MaxUint64))
}
func (b *bag) CountDigest(d hashfam.Digest) uint64 { return b.counts[d] }
func (b *bag) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	clear(dst[:pick(b, "CountAll clears its slice", len(dst), 0)])
	for _, d := range digests {
		dst = append(dst, b.counts[d])
	}
	return append(dst, dst[:pick(b, "CountAll has one answer more", 1, 0)]...)
}

func (b *bag) Contains(key []byte) bool       { return b.ContainsDigest(b.Family().Sum(key)) }
func (b *bag) ContainsString(key string) bool { return b.ContainsDigest(b.Family().SumString(key)) }
func (b *bag) ContainsDigest(d hashfam.Digest) bool {
	return b.counts[d] > 0 || d%2 == 0 && b.defect == "Contains finds more than Count"
}
func (b *bag) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	for _, d := range digests {
		dst = append(dst, b.ContainsDigest(d))
	}
	return dst
}

func (b *bag) ContainsOrAdd(key []byte) (bool, error) {
	return b.ContainsOrAddDigest(b.Family().Sum(key))
}
func (b *bag) ContainsOrAddString(key string) (bool, error) {
	return b.ContainsOrAddDigest(b.Family().SumString(key))
}
func (b *bag) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	if b.ContainsDigest(d) {
		return b.defect != "ContainsOrAdd is always false", nil
	}
	err := b.AddDigest(d)
	return false, pick(b, "ContainsOrAdd hides its error", nil, err)
}

func (b *bag) Add(key []byte) error { return b.AddDigest(b.Family().Sum(key)) }
func (b *bag) AddString(key string) error {
	return b.AddDigest(b.Family().SumString(key[:min(len(key), pick(b, "strings are cut at 64 bytes", 64, len(key)))]))
}

func (b *bag) AddDigest(d hashfam.Digest) error {
	sink = make([]byte, pick(b, "Add allocates", 1, 0))
	if b.Len() < b.Room {
		b.counts[d]++
		return nil
	}
	b.lose("a failed Add removes keys")
	b.Room += pick[uint64](b, "a failed Add makes room", 1, 0)
	return errFull
}

func (b *bag) AddAll(digests []hashfam.Digest) (int, error) {
	for i, d := range digests[:len(digests)-pick(b, "batches drop their last key", min(1, len(digests)), 0)] {
		if err := b.AddDigest(d); err != nil {
			return i, pick(b, "AddAll hides its error", nil, err)
		}
	}
	return pick(b, "AddAll returns half", len(digests)/2, len(digests)), nil
}

func (b *bag) Delete(key []byte) bool { return b.DeleteDigest(b.Family().Sum(key)) }
func (b *bag) DeleteString(key string) bool {
	return b.defect != "DeleteString does nothing" && b.DeleteDigest(b.Family().SumString(key))
}
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
	return n > 0 || b.defect == "Delete finds absent keys"
}

func (b *bag) Reset() {
	b.Room += pick[uint64](b, "Reset makes room", 1, 0)
	clear(pick(b, "Reset does nothing", nil, b.counts))
}

func (b *bag) Clone() *bag {
	return &bag{params: b.params, counts: pick(b, "a clone shares memory", b.counts, maps.Clone(b.counts)), defect: b.defect}
}

func (b *bag) Equal(o *bag) bool {
	if o == nil {
		return pick(b, "nil is equal", true, false)
	}
	same := b.Family() == o.Family() && maps.Equal(b.counts, o.counts)
	if (b.frame == nil) != (o.frame == nil) {
		same = pick(b, "in place: a view is not equal", false, same)
	}
	return pick(b, "all are equal", true, same && pick(b, "Equal ignores the room", o.Room, b.Room) == o.Room)
}

func (b *bag) Merge(others ...*bag) error {
	if err := merge.Mergeable(errs, "Params", b.params, others, (*bag).Params); err != nil {
		b.lose("an impossible merge removes keys")
		others[0].lose("an impossible merge removes other keys")
		err = pick(b, "a merge has another error", errFull, err)
		return pick(b, "a merge names no field", hashfam.ErrIncompatible, err)
	}
	sum := b.Len()
	for _, o := range others {
		sum += o.Len()
	}
	if sum > b.Room {
		b.lose("a full merge removes keys")
		return pick(b, "a full merge has another error", hashfam.ErrParams, errFull)
	}
	others = pick(b, "a merge reads what it changes", others, merge.Apart(b, others, (*bag).Clone))
	for _, o := range others[:pick(b, "a merge uses one argument", min(1, len(others)), len(others))] {
		for d, n := range o.counts {
			b.counts[d] += n - pick(b, "a merge keeps the larger count", min(n, b.counts[d]), 0)
		}
		o.lose("a merge empties its arguments")
	}
	return nil
}

func (b bag) String() string {
	return pick(&b, "the key is printed", "bag 0706050403020100", fmt.Sprint("bag with room for ", b.Room))
}
func (b bag) LogValue() slog.Value {
	return slog.StringValue(pick(&b, "the key is logged", "0706050403020100", "bag"))
}
func (b *bag) MarshalBinary() ([]byte, error) { return b.AppendBinary(nil) }
func (b bag) MarshalText() ([]byte, error)    { return frame.MarshalText(&b) }

func (b *bag) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(pick(b, "AppendBinary overwrites", dst[:0], dst), b.encode)
}
func (b *bag) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, b.encode) }

func (b *bag) encode() (frame.Header, frame.Payload, error) {
	if b.Room == 0 && b.defect != "a zero value is encoded" {
		return frame.Header{}, nil, errs.Field(hashfam.ErrParams, "Params.Room", b.Room, "above 0")
	}
	if err := b.Verify(); err != nil && b.defect != "in place: a damaged view is encoded" {
		return frame.Header{}, nil, err
	}
	room := b.Room
	if b.frame != nil {
		room += pick[uint64](b, "in place: other bytes are encoded", 1, 0)
	}
	var pairs []uint64
	for _, d := range slices.Sorted(maps.Keys(b.counts)) {
		pairs = append(pairs, uint64(d), b.counts[d])
	}
	return bagFormat.NewWords(b.Family(), uint64(8*len(pairs)), room, uint64(len(pairs)/2), 0), frame.Numbers(pairs), nil
}

var bagFormat = frame.Format[params, uint64]{
	Kind: frame.Bloom, Version: 1, Errs: errs,
	Parse: func(h frame.Header, fam hashfam.Family) (params, error) {
		w, err := h.Words(errs, 64, 41, 0)
		if err == nil && w[0] == 0 {
			err = errs.Field(hashfam.ErrCorrupt, "Params.Room", w[0], "above 0")
		}
		if err == nil {
			err = h.CheckPayload(16*w[1], errs)
		}
		return params{w[0], fam}, err
	},
}

func (b *bag) decode(r *frame.Reader) error {
	c, pairs, err := bagFormat.Read(r, b.Family())
	if err != nil {
		b.lose("a failed decode resets")
		return pick(b, "all errors are ErrCorrupt", hashfam.ErrCorrupt, err)
	}
	g := bag{params: c, counts: pick(b, "old keys are kept", b.counts, map[hashfam.Digest]uint64{}), defect: b.defect}
	g.frame = pick(b, "in place: a decoded view remains a view", b.frame, nil)
	for last := uint64(0); len(pairs) > 0; pairs = pairs[2:] {
		pairs[1] &^= pick[uint64](b, "a bit is ignored", 1<<63, 0)
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
	return b.decode(frame.NewBytesReader(pick(b, "checksums are ignored", frametest.Seal(data), data), errs))
}

func (b *bag) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(pick[io.Reader](b, "ReadFrom reads on", bufio.NewReader(r), r), errs)
	err := b.decode(fr)
	return fr.Bytes(), err
}
func (b *bag) UnmarshalText(text []byte) error { return frame.UnmarshalText(b, text, errs) }

// A view decodes the frame when it is opened, and again to verify it.
type view struct {
	*bag
	frame []byte
}

func (v view) Verify() error {
	g := &bag{params: params{Family: v.Family()}, counts: map[hashfam.Digest]uint64{}, defect: v.defect}
	return pick(v.bag, "Verify has no error", nil, g.UnmarshalBinary(v.frame))
}

// Verify decodes the frame that b uses in place, if there is one.
func (b *bag) Verify() error {
	if b.frame == nil {
		return nil
	}
	g := bag{params: params{Family: b.Family()}, counts: map[hashfam.Digest]uint64{}}
	return g.UnmarshalBinary(b.frame)
}

// inPlace makes b a view of data. Only its header is checked.
func inPlace(b *bag, data []byte) (any, error) {
	c, err := bagFormat.ReadHeader(bytes.NewReader(data), b.Family())
	if err != nil {
		return nil, err
	}
	b.params = c
	b.UnmarshalBinary(data)
	b.frame = data
	return b, nil
}

// bags describes bags with a defect. If it begins with "in place", bags are
// their own views.
func bags(defect string) conformance.Structure {
	create := func(p params) (*bag, error) {
		if p.Room == 0 || p.Room > 1000 {
			return nil, errs.Field(hashfam.ErrParams, "Params.Room", p.Room, "1 to 1000")
		}
		return &bag{params: p, counts: map[hashfam.Digest]uint64{}, defect: defect}, nil
	}
	draw := func(t *rapid.T, fam hashfam.Family) params {
		return params{rapid.Uint64Range(1, 60).Draw(t, "room"), fam}
	}
	receiver := func(fam hashfam.Family) *bag {
		return &bag{params: params{Family: fam}, counts: map[hashfam.Digest]uint64{}, defect: defect}
	}
	fails := func(what string) func(*conformance.Machine) {
		return func(m *conformance.Machine) { require.NotEqual(m, what, defect) }
	}
	s := conformance.Structure{
		Full:      errFull,
		Type:      conformance.Created(receiver, draw, create),
		Canonical: func(conformance.Encoded) bool { return true },
		Actions:   map[string]func(*conformance.Machine){"own": fails("an own action fails")},
		Invariant: fails("the invariant is broken"),
		Header: func(r io.Reader, fam hashfam.Family) (any, error) {
			b := receiver(fam)
			c, err := bagFormat.ReadHeader(r, fam)
			if err == nil {
				r.Read(make([]byte, pick(b, "the header reads on", 1, 0)))
			}
			c.Room += pick[uint64](b, "the header has other parameters", 1, 0)
			return c, pick(b, "the header has no error", nil, err)
		},
		View: func(b []byte, fam hashfam.Family) (any, error) {
			if strings.HasPrefix(defect, "in place") {
				return inPlace(receiver(fam), b)
			}
			v := view{receiver(fam), b}
			v.bag.UnmarshalBinary(b)
			v.lose("a view is empty")
			return v, nil
		},
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
	if strings.HasPrefix(defect, "asking") { // which allocates
		s.Ask = func(fam hashfam.Family) conformance.Asker {
			return func(frame []byte, d hashfam.Digest) (bool, error) {
				b := receiver(fam)
				if err := b.UnmarshalBinary(frame); err != nil {
					return defect != "asking returns false", pick(b, "asking returns another error", errFull, err)
				}
				return b.ContainsDigest(d) || defect == "asking finds all", pick(b, "asking fails", errFull, nil)
			}
		}
	}
	return s
}
