package counting

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// batch is how many keys are hashed before memory is touched. Hashing and
// touching apart lets the processor wait for many cache misses at once, where
// the instructions of a hash between two look-ups would leave room for few.
const batch = 128

// AddAll adds every key. It does the same as [Filter.Add] on each, and is
// two to four times as fast where the filter is larger than the cache. No
// allocation; no key is kept.
func (f *Filter) AddAll(keys [][]byte) {
	var buf [batch]hashfam.Digest
	for len(keys) > 0 {
		var digests []hashfam.Digest
		digests, keys = f.next(buf[:0], keys)
		f.fetch(digests)
		if f.params.Layout == Blocked {
			for _, d := range digests {
				addBlocked(f.counters, f.span, f.params.Hashes, d)
			}
			continue
		}
		for _, d := range digests {
			add(f.counters, f.span, f.params.Hashes, d)
		}
	}
}

// ContainsAll appends the answer of [Filter.Contains] for each key to dst and
// returns the extended slice. It is two to four times as fast as asking one
// by one where the filter is larger than the cache. It allocates only where dst
// has to grow.
func (f *Filter) ContainsAll(dst []bool, keys [][]byte) []bool {
	dst = slices.Grow(dst, len(keys))
	var buf [batch]hashfam.Digest
	for len(keys) > 0 {
		var digests []hashfam.Digest
		digests, keys = f.next(buf[:0], keys)
		if f.params.Layout == Blocked {
			f.fetch(digests)
			for _, d := range digests {
				dst = append(dst, hasBlocked(f.counters, f.span, f.params.Hashes, d))
			}
			continue
		}
		for _, d := range digests {
			dst = append(dst, has(f.counters, f.span, f.params.Hashes, d))
		}
	}
	return dst
}

// DeleteAll removes one copy of each key, as [Filter.Delete] does on each in
// turn, and returns how many there were to remove. What Delete asks of its
// caller, it asks for every key. It is two to four times as fast as deleting
// one by one where the filter is larger than the cache. No allocation.
func (f *Filter) DeleteAll(keys [][]byte) int {
	removed := 0
	var buf [batch]hashfam.Digest
	for len(keys) > 0 {
		var digests []hashfam.Digest
		digests, keys = f.next(buf[:0], keys)
		f.fetch(digests)
		for _, d := range digests {
			if f.DeleteDigest(d) {
				removed++
			}
		}
	}
	return removed
}

// next hashes the first keys, and returns their digests and the other keys.
func (f *Filter) next(buf []hashfam.Digest, keys [][]byte) ([]hashfam.Digest, [][]byte) {
	n := min(len(keys), batch)
	return f.params.Family.SumAll(buf, keys[:n]), keys[n:]
}

// fetch brings the counters of the digests into the cache: those of Blocked
// always, the others if they are not likely to be there. These loads stand so
// close to each other that more of them are under way at once than between
// increments and decrements. What it returns says nothing. It is not inlined
// because a compiler that saw that would drop the loads.
//
//go:noinline
func (f *Filter) fetch(digests []hashfam.Digest) (sink uint64) {
	switch {
	case f.params.Layout == Blocked:
		for _, d := range digests {
			b := blockOf(f.counters, f.span, d)
			sink |= b[0] | b[lineWords] | b[2*lineWords] | b[3*lineWords]
		}
	case len(f.counters) > outOfCache:
		for _, d := range digests {
			for k, p := f.params.Hashes, d.Probe(); k > 0; k, p = k-1, p.Next() {
				sink |= f.counters[p.In(f.span)>>4]
			}
		}
	}
	return sink
}
