package counting

import "github.com/filterfam/filterfam/hashfam"

// A Filter is a counting Bloom filter. Make one with [New] or [NewFromParams].
type Filter struct {
	params   Params
	span     uint64 // what a position is reduced to: the number of counters, or of blocks
	counters nibbles
}

// Add records one more copy of key. O(k) time, at most k cache misses (Blocked:
// four, next to each other), no allocation; key is not kept. A counter that
// reaches 15 is stuck there.
func (f *Filter) Add(key []byte) { f.AddDigest(f.params.Family.Sum(key)) }

// AddString is [Filter.Add] for a string.
func (f *Filter) AddString(key string) { f.AddDigest(f.params.Family.SumString(key)) }

// AddUint64 is [Filter.Add] for an integer: the key is its eight little-endian
// bytes.
func (f *Filter) AddUint64(key uint64) { f.AddDigest(f.params.Family.SumUint64(key)) }

// AddDigest is [Filter.Add] for a key already hashed by the filter's family,
// Params().Family. A digest of another family is another key.
func (f *Filter) AddDigest(d hashfam.Digest) {
	if f.params.Layout == Blocked {
		addBlocked(f.counters, f.span, f.params.Hashes, d)
	} else {
		add(f.counters, f.span, f.params.Hashes, d)
	}
}

// Contains reports whether key may be in the filter. False is certain as long
// as only keys were deleted that had been added; true is wrong with the
// filter's false-positive rate. O(k) time, at most k cache misses (Blocked:
// four), no allocation.
func (f *Filter) Contains(key []byte) bool { return f.ContainsDigest(f.params.Family.Sum(key)) }

// ContainsString is [Filter.Contains] for a string.
func (f *Filter) ContainsString(key string) bool {
	return f.ContainsDigest(f.params.Family.SumString(key))
}

// ContainsUint64 is [Filter.Contains] for an integer.
func (f *Filter) ContainsUint64(key uint64) bool {
	return f.ContainsDigest(f.params.Family.SumUint64(key))
}

// ContainsDigest is [Filter.Contains] for a key already hashed by the filter's
// family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool {
	if f.params.Layout == Blocked {
		return hasBlocked(f.counters, f.span, f.params.Hashes, d)
	}
	return has(f.counters, f.span, f.params.Hashes, d)
}

// ContainsOrAdd reports whether key may be in the filter, and adds it if it is
// not. It hashes key once. Where the answer is true nothing was added, so such
// a call entitles nobody to a [Filter.Delete].
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

// Count bounds the number of copies of key from above, up to 15: it returns the
// smallest of the key's counters, which each of its copies has raised. The bound is
// mostly exact while the filter is within its capacity. 15 stands for any
// number from 15 up: such a counter may be stuck. O(k) time, at most k cache
// misses (Blocked: four), no allocation. It is the minimum selection of Cohen
// and Matias, Spectral Bloom Filters, SIGMOD 2003.
func (f *Filter) Count(key []byte) uint64 { return f.CountDigest(f.params.Family.Sum(key)) }

// CountString is [Filter.Count] for a string.
func (f *Filter) CountString(key string) uint64 { return f.CountDigest(f.params.Family.SumString(key)) }

// CountUint64 is [Filter.Count] for an integer.
func (f *Filter) CountUint64(key uint64) uint64 { return f.CountDigest(f.params.Family.SumUint64(key)) }

// CountDigest is [Filter.Count] for a key already hashed by the filter's
// family.
func (f *Filter) CountDigest(d hashfam.Digest) uint64 {
	if f.params.Layout == Blocked {
		return countBlocked(f.counters, f.span, f.params.Hashes, d)
	}
	return count(f.counters, f.span, f.params.Hashes, d)
}

// Delete removes one copy of key and reports whether it did. It returns false,
// and changes nothing, if the counters show that key is not in the filter: one
// of them is zero, or less than what one copy of key adds to it. O(k) time, at
// most k cache misses (Blocked: four), no allocation.
//
// Delete only what was added. A key that was never added, or was deleted as
// often as added, may still look present, with the filter's false-positive
// rate; then Delete takes counts away that belong to other keys, returns true,
// and some of those keys may no longer be found. Nothing can detect that
// later. Counters stuck at 15 keep their value: a key all of whose counters
// are stuck is found after any number of deletes.
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.params.Family.Sum(key)) }

// DeleteString is [Filter.Delete] for a string.
func (f *Filter) DeleteString(key string) bool { return f.DeleteDigest(f.params.Family.SumString(key)) }

// DeleteUint64 is [Filter.Delete] for an integer.
func (f *Filter) DeleteUint64(key uint64) bool { return f.DeleteDigest(f.params.Family.SumUint64(key)) }

// DeleteDigest is [Filter.Delete] for a key already hashed by the filter's
// family.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool {
	if f.params.Layout == Blocked {
		return removeBlocked(f.counters, f.span, f.params.Hashes, d)
	}
	return remove(f.counters, f.span, f.params.Hashes, d)
}

// A key has k positions among the m counters, those of its bits in the Bloom
// filter of the same layout; here it is the classic one. Where two of them
// coincide, that counter counts twice.

func add(counters nibbles, m uint64, k int, d hashfam.Digest) {
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		counters.inc(p.In(m))
	}
}

// outOfCache is the number of words, 32 MiB of them, above which an array is
// taken to be larger than the processor's caches. Then fetching a cache line in
// vain costs more than a branch that half the keys mispredict; below, less.
const outOfCache = 1 << 22

func has(counters nibbles, m uint64, k int, d hashfam.Digest) bool {
	if len(counters) > outOfCache {
		return hasFar(counters, m, k, d)
	}
	return hasNear(counters, m, k, d)
}

// hasNear looks at all k counters, whatever the first ones say: c+15 has its
// fifth bit set unless c is zero.
func hasNear(counters nibbles, m uint64, k int, d hashfam.Digest) bool {
	all := uint64(16)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		all &= counters.at(p.In(m)) + 15
	}
	return all != 0
}

// hasFar stops at the first zero.
func hasFar(counters nibbles, m uint64, k int, d hashfam.Digest) bool {
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		if counters.at(p.In(m)) == 0 {
			return false
		}
	}
	return true
}

func count(counters nibbles, m uint64, k int, d hashfam.Digest) uint64 {
	least := uint64(stuck)
	for p := d.Probe(); k > 0; k, p = k-1, p.Next() {
		least = min(least, counters.at(p.In(m)))
	}
	return least
}

// remove decrements the counters one after another. At the first zero, the key
// was not there, and adding it to the counters before restores them: what was
// decremented is now 13 at most and rises again, what is stuck stays.
func remove(counters nibbles, m uint64, k int, d hashfam.Digest) bool {
	for p, done := d.Probe(), 0; done < k; p, done = p.Next(), done+1 {
		i := p.In(m)
		if counters.at(i) == 0 {
			add(counters, m, done, d)
			return false
		}
		counters.dec(i)
	}
	return true
}
