package counting

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/nibbles"
)

const (
	perWord = nibbles.PerWord
	stuck   = nibbles.Stuck
)

// A Filter is a counting Bloom filter. Make one with [New] or [NewFromParams].
// A Filter must not be copied by value; use [Filter.Clone].
type Filter struct{ reader }

// A reader has the methods that only read. A [Filter] and a [View] have them
// all.
type reader struct {
	params   Params
	kind     kind
	span     uint64 // range of a position: number of counters, or of blocks
	counters nibbles.Counters
	hash     hashfam.Hasher
}

// A kind is the layout of a filter that has counters. The zero kind is for
// filters that have none, because nothing made them or was decoded into them.
type kind uint8

const (
	blocked kind = 1 + iota // the first that a switch tests, for the fastest layout
	classic
)

// kind returns the kind of a filter with parameters p.
func (p Params) kind() kind {
	if p.Layout == Blocked {
		return blocked
	}
	return classic
}

// zeroFilter panics because a method that changes a Filter was called on one
// that has no counters. Inlined, its arguments would enlarge the frames of its
// callers.
//
//go:noinline
func zeroFilter() { errs.Zero("Filter", "New, or decode into it") }

// zeroReader is like zeroFilter for methods that a [View] has, too.
//
//go:noinline
func zeroReader() { errs.Zero("Filter or View", "New or NewView, or decode into it") }

// made returns f, or panics if it has no counters.
func (f *Filter) made() *Filter {
	if f.kind == 0 {
		zeroFilter()
	}
	return f
}

// made is like [Filter.made] for methods that a [View] has, too.
func (f *reader) made() *reader {
	if f.kind == 0 {
		zeroReader()
	}
	return f
}

// Add adds one copy of key. A counter that reaches 15 is stuck there. O(k)
// time, at most k cache misses (Blocked: four adjacent lines), no allocation.
// Add does not keep key.
func (f *Filter) Add(key []byte) { f.AddDigest(f.hash.Sum(key)) }

// AddString is [Filter.Add] for a string.
func (f *Filter) AddString(key string) { f.AddDigest(f.hash.SumString(key)) }

// AddDigest is [Filter.Add] for a digest under the filter's family. A digest
// made by another family stands for another key.
func (f *Filter) AddDigest(d hashfam.Digest) {
	switch f.kind {
	case blocked:
		addBlocked(f.counters, f.span, f.params.Hashes, d)
	case classic:
		add(f.counters, f.span, f.params.Hashes, d)
	default:
		zeroFilter()
	}
}

// Contains reports whether key may be in the filter. False is certain, provided
// that only keys were deleted that had been added; true is wrong with the
// filter's false-positive rate. O(k) time, at most k cache misses (Blocked:
// four), no allocation.
//
// In a filter larger than the cache a single call mostly waits for memory. If
// you have many keys at once, ContainsAll takes a quarter to a third of the
// time.
func (f *reader) Contains(key []byte) bool { return f.ContainsDigest(f.hash.Sum(key)) }

// ContainsString is Contains for a string.
func (f *reader) ContainsString(key string) bool {
	return f.ContainsDigest(f.hash.SumString(key))
}

// ContainsDigest is Contains for a digest under the filter's family.
func (f *reader) ContainsDigest(d hashfam.Digest) bool {
	switch f.kind {
	case blocked:
		return hasBlocked(f.counters, f.span, f.params.Hashes, d)
	case classic:
		return has(f.counters, f.span, f.params.Hashes, d)
	}
	zeroReader()
	return true
}

// ContainsOrAdd reports whether key may be in the filter, and adds it if it is
// not. If it returns true it has added nothing, so do not call [Filter.Delete]
// for such a call. O(k) time: a Contains plus an Add, less one hash. No
// allocation.
func (f *Filter) ContainsOrAdd(key []byte) bool {
	return f.ContainsOrAddDigest(f.hash.Sum(key))
}

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

// Count returns an upper bound on the number of copies of key. The bound is the
// smallest of the key's counters, and is usually exact while the filter is
// within its capacity. 15 means 15 or more, because such a counter is stuck.
// O(k) time, at most k cache misses (Blocked: four), no allocation. This is the
// minimum selection of Cohen and Matias, Spectral Bloom Filters, SIGMOD 2003.
func (f *reader) Count(key []byte) uint64 { return f.CountDigest(f.hash.Sum(key)) }

// CountString is Count for a string.
func (f *reader) CountString(key string) uint64 { return f.CountDigest(f.hash.SumString(key)) }

// CountDigest is Count for a digest under the filter's family.
func (f *reader) CountDigest(d hashfam.Digest) uint64 {
	switch f.kind {
	case blocked:
		return countBlocked(f.counters, f.span, f.params.Hashes, d)
	case classic:
		return count(f.counters, f.span, f.params.Hashes, d)
	}
	zeroReader()
	return stuck
}

// Delete removes one copy of key and reports whether it did. It returns false
// and changes nothing if the counters show that key is not in the filter: one
// of them is zero, or smaller than one copy of key would make it. O(k) time, at
// most k cache misses (Blocked: four), no allocation.
//
// Delete only keys that were added. A key that was never added, or was deleted
// as often as added, may still look present, with the filter's false-positive
// rate. Then Delete decrements counters that belong to other keys and returns
// true, and some of those keys may no longer be found. No later check can
// detect that.
//
// Stuck counters keep their value. A key whose counters are all stuck is found
// after any number of deletes.
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.hash.Sum(key)) }

// DeleteString is [Filter.Delete] for a string.
func (f *Filter) DeleteString(key string) bool { return f.DeleteDigest(f.hash.SumString(key)) }

// DeleteDigest is [Filter.Delete] for a digest under the filter's family.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool {
	switch f.kind {
	case blocked:
		return removeBlocked(f.counters, f.span, f.params.Hashes, d)
	case classic:
		return remove(f.counters, f.span, f.params.Hashes, d)
	}
	zeroFilter()
	return false
}

// Classic: a key has the k positions among the m counters that its bits have in
// a classic Bloom filter. If two of them coincide, that counter counts twice.

func add(counters nibbles.Counters, m uint64, k int, d hashfam.Digest) {
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		counters.Inc(p.In(m))
	}
}

// outOfCache is the number of words, 32 MiB in total, above which an array is
// assumed to be larger than the processor's caches. Above it, loading a cache
// line that is not needed costs more than a branch that is mispredicted for
// half of the keys. Below it, the branch costs more.
const outOfCache = 1 << 22

func has(counters nibbles.Counters, m uint64, k int, d hashfam.Digest) bool {
	if len(counters) > outOfCache {
		return hasFar(counters, m, k, d)
	}
	return hasNear(counters, m, k, d)
}

// hasNear tests all k counters, without a branch: bit 4 of c+15 is set unless c
// is zero.
func hasNear(counters nibbles.Counters, m uint64, k int, d hashfam.Digest) bool {
	all := uint64(16)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		all &= counters.At(p.In(m)) + 15
	}
	return all != 0
}

// hasFar stops at the first counter that is zero.
func hasFar(counters nibbles.Counters, m uint64, k int, d hashfam.Digest) bool {
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		if counters.At(p.In(m)) == 0 {
			return false
		}
	}
	return true
}

// count returns the smallest of the key's counters.
func count(counters nibbles.Counters, m uint64, k int, d hashfam.Digest) uint64 {
	least := uint64(stuck)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		least = min(least, counters.At(p.In(m)))
	}
	return least
}

// remove decrements the counters one after another. At the first zero the key
// is known to be absent, and remove restores the counters before it by adding
// the key to these again: a counter that was decremented is now at most 13 and
// rises; a stuck one stays.
func remove(counters nibbles.Counters, m uint64, k int, d hashfam.Digest) bool {
	for p, done := d.Probe(), 0; done < k; p, done = p.Next(), done+1 {
		i := p.In(m)
		if counters.At(i) == 0 {
			add(counters, m, done, d)
			return false
		}
		counters.Dec(i)
	}
	return true
}
