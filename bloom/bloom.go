package bloom

import "github.com/filterfam/filterfam/hashfam"

// A Filter is a Bloom filter. Use [New] or [NewFromParams] to create one. A
// Filter must not be copied by value; use [Filter.Clone] instead.
type Filter struct{ readable }

// A readable has the methods that only read, for both [Filter] and [View].
type readable struct {
	setup
	words []uint64
}

// A setup holds a filter's parameters and the values derived from them.
type setup struct {
	params Params
	span   uint64 // range of a position: number of bits, bits per slice, or lines; 0 if there are no bits
	hash   hashfam.Hasher
}

// zero is the panic value of methods that need bits when there are none.
var zero = errs.Zero("Filter, View or Concurrent", "New, NewView or NewConcurrent, or decode into it")

// made returns s. It panics if the filter is zero: it has no bits.
func (s *setup) made() *setup {
	if s.span == 0 {
		panic(zero)
	}
	return s
}

// Add adds key to the filter. It causes up to k cache misses (Blocked: one).
func (f *Filter) Add(key []byte) { f.AddDigest(f.hash.Sum(key)) }

// AddString is like [Filter.Add] for a string key.
func (f *Filter) AddString(key string) { f.AddDigest(f.hash.SumString(key)) }

// AddDigest is like [Filter.Add] for a digest computed by the filter's family.
func (f *Filter) AddDigest(d hashfam.Digest) {
	switch k := f.params.Hashes; {
	case f.params.Layout == Classic && f.span != 0:
		addClassic(f.words, f.span, k, d)
	case f.params.Layout == Partitioned:
		addPartitioned(f.words, f.span, k, d)
	case f.params.Layout == Blocked:
		if useAVX512 {
			addLineAVX512(f.words, d, k)
			return
		}
		addBlocked(f.words, f.span, k, d)
	default:
		panic(zero)
	}
}

// Contains reports whether key may have been added. If it returns false, key
// was not added; true may be a false positive. Contains causes up to k cache
// misses (Blocked: one). If the filter is larger than the cache, a call mostly
// waits for memory, so ContainsAll is much faster for many keys.
//
// All k positions are tested even if an early bit is not set, because a branch
// that is mispredicted for half of the keys is slower than these tests.
func (f *readable) Contains(key []byte) bool { return f.ContainsDigest(f.hash.Sum(key)) }

// ContainsString is like Contains for a string key.
func (f *readable) ContainsString(key string) bool { return f.ContainsDigest(f.hash.SumString(key)) }

// ContainsDigest is like Contains for a digest computed by the filter's family.
func (f *readable) ContainsDigest(d hashfam.Digest) bool {
	switch k := f.params.Hashes; {
	case f.params.Layout == Blocked:
		if useAVX512 {
			return hasLineAVX512(f.words, d, k)
		}
		return hasBlocked(f.words, f.span, k, d)
	case f.params.Layout == Partitioned:
		return hasPartitioned(f.words, f.span, k, d)
	case f.span != 0:
		return hasClassic(f.words, f.span, k, d)
	default:
		panic(zero)
	}
}

// ContainsOrAdd reports whether key may have been added before, and adds it
// otherwise. It hashes key only once.
func (f *Filter) ContainsOrAdd(key []byte) bool { return f.ContainsOrAddDigest(f.hash.Sum(key)) }

// ContainsOrAddString is like [Filter.ContainsOrAdd] for a string key.
func (f *Filter) ContainsOrAddString(key string) bool {
	return f.ContainsOrAddDigest(f.hash.SumString(key))
}

// ContainsOrAddDigest is like [Filter.ContainsOrAdd] for a key's digest.
func (f *Filter) ContainsOrAddDigest(d hashfam.Digest) bool {
	if f.ContainsDigest(d) {
		return true
	}
	f.AddDigest(d)
	return false
}

// These are a key's positions for k = 4 in each layout. Bars separate slices
// (Partitioned) and lines (Blocked).
//
//	Classic      .......x...................x..........x..............x.....
//	Partitioned  ....x.........|.........x....|.x............|.........x....
//	Blocked      ..............|..............|.x....xx....x.|..............

// unset returns 1<<(i%64) if bit i%64 of w is not set, and zero otherwise.
// Setting the bit needs one instruction; shifting it down would need three.
func unset(w, i uint64) uint64 { return (w | 1<<(i&63)) ^ w }

// In a Classic filter, each position can be anywhere in the m bits.

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

// In a Partitioned filter, position i is in slice i, which has s bits.

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

// In a Blocked filter, all bits of a key are in the same line. A line has 512
// bits, the size of a cache line.
const (
	lineBits  = 512
	lineWords = lineBits / 64
)

// The first value of the probe sequence selects a line. The top nine bits of
// each further value select a bit in this line: three bits select the word, and
// six select the bit within the word.

func lineOf(words []uint64, lines uint64, d hashfam.Digest) *[lineWords]uint64 {
	return (*[lineWords]uint64)(words[d.Probe().In(lines)*lineWords:])
}

func addBlocked(words []uint64, lines uint64, k int, d hashfam.Digest) {
	line := lineOf(words, lines, d)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		line[p>>61] |= 1 << (p >> 55 & 63)
	}
}

func hasBlocked(words []uint64, lines uint64, k int, d hashfam.Digest) bool {
	line := lineOf(words, lines, d)
	missing := uint64(0)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		missing |= unset(line[p>>61], uint64(p)>>55)
	}
	return missing == 0
}
