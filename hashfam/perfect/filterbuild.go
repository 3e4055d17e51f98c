package perfect

import (
	"bytes"

	"github.com/filterfam/filterfam/hashfam"
)

// NewFilter returns a filter of keys. It depends on the set of keys only:
// neither their order nor copies matter. It does not keep any key. O(n) time: a
// second for 5 to 10 million keys, and 2.5 times as long if c.Compact is set.
// It needs about 11 bytes of memory per key besides the filter, 8 of them for
// the digests.
//
// It returns [ErrParams], naming the field, if no filter meets c, and if the
// digests of the keys were chosen so that too many share a bucket; a keyed
// family prevents that.
func NewFilter(c FilterConfig, keys [][]byte) (*Filter, error) {
	return NewFilterFromDigests(c, c.Family.SumAll(make([]hashfam.Digest, 0, len(keys)), keys))
}

// NewFilterFromDigests is [NewFilter] for keys already hashed by c.Family. It
// overwrites digests.
func NewFilterFromDigests(c FilterConfig, digests []hashfam.Digest) (*Filter, error) {
	if err := c.check(len(digests)); err != nil {
		return nil, err
	}
	digests = sortDigests(digests)
	s, payload, err := build(digests, c.Compact, maxLevels)
	if err != nil {
		return nil, err
	}
	size := newSlotSize(c.FPRate, c.ValueBits, s.keys)
	payload = append(payload, make([]byte, size.bytes(s.keys))...)
	f, err := newFilter(s, size, payload, c.Family)
	if err != nil {
		return nil, err
	}
	for _, d := range digests {
		i := f.index(d)
		_, width := f.slots.load(i)
		f.slots.store(i, f.slots.fingerprint(d, width)<<size.value)
	}
	return f, nil
}

// NewFilterReceiver returns a filter to decode into. It accepts encodings made
// under fam, as a zero Filter accepts those made under the public family. Until
// then it contains every key. O(1) time.
func NewFilterReceiver(fam hashfam.Family) *Filter {
	return &Filter{params: FilterParams{Family: fam}}
}

// newFilter returns the filter of shape s, which is valid, and keeps its
// payload. It returns ErrCorrupt if the payload is damaged.
func newFilter(s shape, size slotSize, payload []byte, fam hashfam.Family) (*Filter, error) {
	end := s.bytes()
	m, err := s.over(payload[:end])
	if err != nil {
		return nil, err
	}
	slots := slots{size, payload[end:]}
	if err := size.checkEnd(slots.bits, s.keys); err != nil {
		return nil, err
	}
	return &Filter{params: s.filterParams(size, fam), mapping: m, slots: slots, shape: s, payload: payload}, nil
}

// Equal reports whether f and g are the same filter: of the same family, with
// the same slots. O(n) time, no allocation.
func (f *Filter) Equal(g *Filter) bool {
	return f != nil && g != nil && f.params == g.params && f.slots.slotSize == g.slots.slotSize &&
		f.shape.equal(&g.shape) && bytes.Equal(f.payload, g.payload)
}

// Clone returns a copy of f that shares no memory with it. O(n) time.
func (f *Filter) Clone() *Filter {
	g, err := newFilter(f.shape, f.slots.slotSize, bytes.Clone(f.payload), f.params.Family)
	if err != nil || f.isZero() {
		return NewFilterReceiver(f.params.Family)
	}
	return g
}

// isZero reports whether f is only a receiver: it was not built or decoded.
func (f *Filter) isZero() bool { return f.slots.width == 0 }
