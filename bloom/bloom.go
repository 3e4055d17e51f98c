package bloom

import "github.com/filterfam/filterfam/hashfam"

// A Filter is a Bloom filter. Make one with [New] or [NewFromParams]. A Filter
// must not be copied by value; use [Filter.Clone].
type Filter struct{ reader }

// A reader has the methods that only read. A [Filter] and a [View] have them
// all.
type reader struct {
	shape
	words []uint64
}

// A shape is what a filter is before it has bits.
type shape struct {
	params Params
	kind   kind
	span   uint64 // range of a position: bits, bits of a slice, or number of lines
	hash   hashfam.Hasher
}

// A kind is the layout of a filter that has bits. The zero kind is for filters
// that have none, because nothing has made them or was decoded into them.
type kind uint8

const (
	blocked kind = 1 + iota // the first that a switch tests, for the fastest layout
	classic
	partitioned
)

// kind returns the kind of a filter with parameters p.
func (p Params) kind() kind {
	if p.Bits == 0 {
		return 0
	}
	return [...]kind{Classic: classic, Partitioned: partitioned, Blocked: blocked}[p.Layout]
}

// zeroFilter panics because a method that changes a Filter was called on one
// that has no bits.
func zeroFilter() { errs.Zero("Filter", "New, or decode into it") }

// zeroReader is like zeroFilter for methods that a [View] has, too.
func zeroReader() { errs.Zero("Filter or View", "New or NewView, or decode into it") }

// used returns f, or panics if it has no bits.
func (f *Filter) used() *Filter {
	if f.kind == 0 {
		zeroFilter()
	}
	return f
}

// Add records key. O(k) time, at most k cache misses (Blocked: one), no
// allocation. Add does not keep key.
func (f *Filter) Add(key []byte) { f.AddDigest(f.hash.Sum(key)) }

// AddString is [Filter.Add] for a string.
func (f *Filter) AddString(key string) { f.AddDigest(f.hash.SumString(key)) }

// AddDigest is [Filter.Add] for a digest under the filter's family. A digest
// made by another family stands for another key.
func (f *Filter) AddDigest(d hashfam.Digest) {
	switch k := f.params.Hashes; f.kind {
	case classic:
		addClassic(f.words, f.span, k, d)
	case partitioned:
		addPartitioned(f.words, f.span, k, d)
	case blocked:
		if useAVX512 {
			addLineAVX512(f.words, d, k)
			return
		}
		addBlocked(f.words, f.span, k, d)
	default:
		zeroFilter()
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
func (f *reader) Contains(key []byte) bool { return f.ContainsDigest(f.hash.Sum(key)) }

// ContainsString is Contains for a string.
func (f *reader) ContainsString(key string) bool { return f.ContainsDigest(f.hash.SumString(key)) }

// ContainsDigest is Contains for a digest under the filter's family.
func (f *reader) ContainsDigest(d hashfam.Digest) bool {
	switch k := f.params.Hashes; f.kind {
	case classic:
		return hasClassic(f.words, f.span, k, d)
	case partitioned:
		return hasPartitioned(f.words, f.span, k, d)
	case blocked:
		if useAVX512 {
			return hasLineAVX512(f.words, d, k)
		}
		return hasBlocked(f.words, f.span, k, d)
	default:
		zeroReader()
		return true
	}
}

// ContainsOrAdd reports whether key may have been added before, and adds it if
// not. O(k) time: a Contains plus an Add, less one hash. No allocation.
func (f *Filter) ContainsOrAdd(key []byte) bool { return f.ContainsOrAddDigest(f.hash.Sum(key)) }

// ContainsOrAddString is [Filter.ContainsOrAdd] for a string.
func (f *Filter) ContainsOrAddString(key string) bool {
	return f.ContainsOrAddDigest(f.hash.SumString(key))
}

// ContainsOrAddDigest is [Filter.ContainsOrAdd] for a digest under its family.
func (f *Filter) ContainsOrAddDigest(d hashfam.Digest) bool {
	if f.ContainsDigest(d) {
		return true
	}
	f.AddDigest(d)
	return false
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
