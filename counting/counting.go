package counting

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/nibbles"
)

const (
	perWord = nibbles.PerWord
	stuck   = nibbles.Stuck
)

// A Filter is a counting Bloom filter. Use [New] or [NewFromParams] to create
// one. A Filter must not be copied by value; use [Filter.Clone] instead.
type Filter struct {
	params   Params
	span     uint64 // the number of counters or blocks, from which positions are selected
	counters nibbles.Counters
	hash     hashfam.Hasher
}

// zeroFilter is the panic value if a Filter without counters is used.
var zeroFilter = errs.Zero("Filter", "New, or decode into it")

// made returns f. It panics if f is zero: it has no counters.
func (f *Filter) made() *Filter {
	if f.span == 0 {
		panic(zeroFilter)
	}
	return f
}

// Add adds a copy of key. When a counter reaches 15, it is stuck there. Add
// causes up to k cache misses, but in a Blocked filter it uses only four
// adjacent lines.
func (f *Filter) Add(key []byte) { f.AddDigest(f.hash.Sum(key)) }

// AddString is like [Filter.Add] for a string key.
func (f *Filter) AddString(key string) { f.AddDigest(f.hash.SumString(key)) }

// AddDigest is like [Filter.Add] for a digest computed by the filter's family.
func (f *Filter) AddDigest(d hashfam.Digest) {
	switch {
	case f.params.blocked():
		addBlocked(f.counters, f.span, f.params.Hashes, d)
	case f.span != 0:
		add(f.counters, f.span, f.params.Hashes, d)
	default:
		panic(zeroFilter)
	}
}

// Contains reports whether key may be in the filter. If it returns false, key
// is not in the filter, provided that every deleted key had been added; true
// may be a false positive.
//
// If the filter is larger than the cache, a call mostly waits for memory, so
// ContainsAll is much faster for many keys.
func (f *Filter) Contains(key []byte) bool { return f.ContainsDigest(f.hash.Sum(key)) }

// ContainsString is like [Filter.Contains] for a string key.
func (f *Filter) ContainsString(key string) bool { return f.ContainsDigest(f.hash.SumString(key)) }

// ContainsDigest is like [Filter.Contains] for a digest computed by the
// filter's family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool {
	switch {
	case f.params.blocked():
		return hasBlocked(f.counters, f.span, f.params.Hashes, d)
	case len(f.counters) > outOfCache:
		return hasFar(f.counters, f.span, f.params.Hashes, d)
	case f.span != 0:
		return hasNear(f.counters, f.span, f.params.Hashes, d)
	}
	panic(zeroFilter)
}

// ContainsOrAdd reports whether key may be in the filter, and adds it
// otherwise. If it returns true, key was not added, so there must be no
// corresponding call of [Filter.Delete]. ContainsOrAdd hashes key only once.
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

// Count returns an upper bound on the number of copies of key: the smallest of
// the key's counters (minimum selection; Cohen and Matias, Spectral Bloom
// Filters, SIGMOD 2003). While the filter is within its capacity, the bound is
// usually exact. But 15 means 15 or more, because such a counter is stuck.
func (f *Filter) Count(key []byte) uint64 { return f.CountDigest(f.hash.Sum(key)) }

// CountString is like [Filter.Count] for a string key.
func (f *Filter) CountString(key string) uint64 { return f.CountDigest(f.hash.SumString(key)) }

// CountDigest is like [Filter.Count] for a key's digest.
func (f *Filter) CountDigest(d hashfam.Digest) uint64 {
	switch {
	case f.params.blocked():
		return countBlocked(f.counters, f.span, f.params.Hashes, d)
	case f.span != 0:
		return count(f.counters, f.span, f.params.Hashes, d)
	}
	panic(zeroFilter)
}

// Delete removes one copy of key and reports whether it found one. If not, the
// filter is unchanged.
//
// Delete must only be called for keys that were added. A key that was never
// added, or was already deleted as often as it was added, may be a false
// positive. If you delete such a key, Delete decrements the counters of other
// keys, so some of these keys may no longer be found. This cannot be detected
// later.
//
// Stuck counters keep their value, so a key whose counters are all stuck will
// be found after any number of deletes.
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.hash.Sum(key)) }

// DeleteString is like [Filter.Delete] for a string key.
func (f *Filter) DeleteString(key string) bool { return f.DeleteDigest(f.hash.SumString(key)) }

// DeleteDigest is like [Filter.Delete] for a key's digest.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool {
	switch {
	case f.params.blocked():
		return removeBlocked(f.counters, f.span, f.params.Hashes, d)
	case f.span != 0:
		return remove(f.counters, f.span, f.params.Hashes, d)
	}
	panic(zeroFilter)
}

// In a Classic filter, a key has k positions among the m counters, which are
// the positions of its bits in a classic Bloom filter. If two of these
// positions are the same, the key counts twice in this counter.

func add(counters nibbles.Counters, m uint64, k int, d hashfam.Digest) {
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		counters.Inc(p.In(m))
	}
}

// outOfCache is the number of words, 32 MiB in total, above which an array is
// assumed to be larger than the CPU's caches. Then loading an unnecessary cache
// line is slower than a branch that is mispredicted for half of the keys. In
// smaller arrays, the branch is slower.
const outOfCache = 1 << 22

// hasNear tests all k counters without branches: bit 4 of c+15 is set unless c
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

// remove decrements the counters one after another. If a counter is zero, the
// key is absent, so remove increments the previous counters again to restore
// them. This works because a counter that was decremented is now at most 13,
// and a stuck counter does not change.
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

// In a Blocked filter, the first value of the probe sequence selects a block of
// 512 counters, which are four adjacent cache lines. The top nine bits of each
// further value select a counter in this block. Package bloom uses the same
// positions in its blocked layout, where a block is one cache line.
const (
	blockCounters = 512
	blockWords    = blockCounters / perWord
)

// blockOf returns the digest's block. There must be at least one block.
func blockOf(counters nibbles.Counters, blocks uint64, d hashfam.Digest) nibbles.Counters {
	return counters[d.Probe().In(blocks)*blockWords:][:blockWords]
}

func addBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) {
	b := blockOf(counters, blocks, d)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		b.Inc(uint64(p) >> 55)
	}
}

func hasBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) bool {
	b := blockOf(counters, blocks, d)
	all := uint64(16)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		all &= b.At(uint64(p)>>55) + 15
	}
	return all != 0
}

func countBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) uint64 {
	b := blockOf(counters, blocks, d)
	least := uint64(stuck)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		least = min(least, b.At(uint64(p)>>55))
	}
	return least
}

func removeBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) bool {
	b := blockOf(counters, blocks, d)
	for p, done := d.Probe().Next(), 0; done < k; p, done = p.Next(), done+1 {
		i := uint64(p) >> 55
		if b.At(i) == 0 {
			addBlocked(counters, blocks, done, d)
			return false
		}
		b.Dec(i)
	}
	return true
}
