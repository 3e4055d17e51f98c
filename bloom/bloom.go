package bloom

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/lanes"
)

// A Filter is a Bloom filter. Make one with [New] or [NewFromParams]. A Filter
// must not be copied by value; use [Filter.Clone].
type Filter struct{ reader }

// A reader has the methods that only read. A [Filter] and a [View] have them
// all.
type reader struct {
	params Params
	span   uint64 // range of a position: bits, bits of a slice, or number of lines
	words  []uint64
}

// Add records key. O(k) time, at most k cache misses (Blocked: one), no
// allocation. Add does not keep key.
func (f *Filter) Add(key []byte) { f.AddDigest(f.params.Family.Sum(key)) }

// AddString is [Filter.Add] for a string.
func (f *Filter) AddString(key string) { f.AddDigest(f.params.Family.SumString(key)) }

// AddDigest is [Filter.Add] for a key already hashed by the filter's family. A
// digest made by another family stands for another key.
func (f *Filter) AddDigest(d hashfam.Digest) {
	switch k := f.params.Hashes; f.params.Layout {
	case Classic:
		addClassic(f.words, f.span, k, d)
	case Partitioned:
		addPartitioned(f.words, f.span, k, d)
	case Blocked:
		addBlocked(f.words, f.span, k, d)
	}
}

// Contains reports whether key may have been added. False is certain; true is
// wrong with the filter's false-positive rate. O(k) time, at most k cache
// misses (Blocked: one), no allocation. It tests all k positions even if an
// early one is zero: a branch that is mispredicted for half of the keys costs
// more than the lookups it saves.
//
// In a filter larger than the cache a single call mostly waits for memory: the
// instructions of a hash keep the processor from reading for the next key. If
// you have many keys at once, ContainsAll takes a quarter to two fifths of the
// time.
func (f *reader) Contains(key []byte) bool { return f.ContainsDigest(f.params.Family.Sum(key)) }

// ContainsString is Contains for a string.
func (f *reader) ContainsString(key string) bool {
	return f.ContainsDigest(f.params.Family.SumString(key))
}

// ContainsDigest is Contains for a key already hashed by the filter's family.
func (f *reader) ContainsDigest(d hashfam.Digest) bool {
	switch k := f.params.Hashes; f.params.Layout {
	case Classic:
		return hasClassic(f.words, f.span, k, d)
	case Partitioned:
		return hasPartitioned(f.words, f.span, k, d)
	default:
		if useAVX512 {
			return hasLineAVX512(f.words, d, k)
		}
		return hasBlocked(f.words, f.span, k, d)
	}
}

// ContainsOrAdd reports whether key may have been added before, and adds it if
// not. O(k) time: a Contains plus an Add, less one hash. No allocation.
func (f *Filter) ContainsOrAdd(key []byte) bool {
	return f.ContainsOrAddDigest(f.params.Family.Sum(key))
}

// ContainsOrAddString is [Filter.ContainsOrAdd] for a string.
func (f *Filter) ContainsOrAddString(key string) bool {
	return f.ContainsOrAddDigest(f.params.Family.SumString(key))
}

// ContainsOrAddDigest is [Filter.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (f *Filter) ContainsOrAddDigest(d hashfam.Digest) bool {
	if f.ContainsDigest(d) {
		return true
	}
	f.AddDigest(d)
	return false
}

// AddAll adds every key, given by its digest under the filter's family: get
// them from Family().SumAll. It is like [Filter.AddDigest] on each, and faster
// if the filter is Blocked. O(k) time per key, no allocation.
func (f *Filter) AddAll(digests []hashfam.Digest) {
	for block := range slices.Chunk(digests, lanes.Block) {
		f.addBlock(block)
	}
}

// ContainsAll appends the answer of ContainsDigest for each digest to dst and
// returns the extended slice. Get the digests from Family().SumAll. O(k) time
// per key. With SumAll it takes a third of the time of single calls on amd64
// with AVX-512, and half of it with AVX2, and less if the filter is larger than
// the cache. It allocates only if dst is too small.
func (f *reader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, lanes.Block) {
		dst = f.hasBlock(dst, block)
	}
	return dst
}

// addBlock adds a block of digests. It looks at the layout once for all of
// them.
func (f *Filter) addBlock(digests []hashfam.Digest) {
	words, span, k := f.words, f.span, f.params.Hashes
	switch f.params.Layout {
	case Classic:
		for _, d := range digests {
			addClassic(words, span, k, d)
		}
	case Partitioned:
		for _, d := range digests {
			addPartitioned(words, span, k, d)
		}
	case Blocked:
		addLines(words, span, k, digests)
	}
}

// hasBlock appends the answer for each digest of a block to dst, which has room
// for them.
func (f *reader) hasBlock(dst []bool, digests []hashfam.Digest) []bool {
	words, span, k := f.words, f.span, f.params.Hashes
	if f.params.Layout == Blocked {
		return hasLines(dst, words, span, k, digests)
	}
	if a := f.array(); a.Ready(len(digests)) {
		return a.Has(dst, digests)
	}
	if f.params.Layout == Partitioned {
		for _, d := range digests {
			dst = append(dst, hasPartitioned(words, span, k, d))
		}
		return dst
	}
	for _, d := range digests {
		dst = append(dst, hasClassic(words, span, k, d))
	}
	return dst
}

// array returns the bits of a filter that is not Blocked.
func (f *reader) array() lanes.Array {
	a := lanes.Array{Words: f.words, K: f.params.Hashes, Span: f.span}
	if f.params.Layout == Partitioned {
		a.Step = f.span
	}
	return a
}

// The positions of one key, for k = 4, in each layout. A bar separates two
// slices of a Partitioned filter, or two lines of a Blocked one, for which see
// blocked.go:
//
//	Classic      .......x...................x..........x..............x.....
//	Partitioned  ....x.........|.........x....|.x............|.........x....
//	Blocked      ..............|..............|.x....xx....x.|..............

// unset returns bit i%64 of w, in its place, if it is not set, and zero
// otherwise. To set a bit takes one instruction; to shift it down would take
// three.
func unset(w, i uint64) uint64 { return (w | 1<<(i&63)) ^ w }

// Classic: each position is anywhere among the m bits.

func addClassic(words []uint64, m uint64, k int, d hashfam.Digest) {
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := p.In(m)
		words[i>>6] |= 1 << (i & 63)
	}
}

func hasClassic(words []uint64, m uint64, k int, d hashfam.Digest) bool {
	missing := uint64(0)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := p.In(m)
		missing |= unset(words[i>>6], i)
	}
	return missing == 0
}

// Partitioned: position i is in slice i, which has s bits.

func addPartitioned(words []uint64, s uint64, k int, d hashfam.Digest) {
	base := uint64(0)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := base + p.In(s)
		words[i>>6] |= 1 << (i & 63)
		base += s
	}
}

func hasPartitioned(words []uint64, s uint64, k int, d hashfam.Digest) bool {
	base, missing := uint64(0), uint64(0)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		i := base + p.In(s)
		missing |= unset(words[i>>6], i)
		base += s
	}
	return missing == 0
}
