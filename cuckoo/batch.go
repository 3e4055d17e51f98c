package cuckoo

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// batch is how many keys are hashed before memory is touched. Hashing a whole
// batch first lets the processor wait for many cache misses at once; with the
// instructions of a hash between two lookups it would wait for few.
const batch = 128

// A block is some keys hashed, up to a batch of them.
type block [batch]struct{ i, j, fp uint64 }

// fill hashes the first keys, as many as there is room for, and touches their
// buckets, so that they are on their way to the cache together. It returns how
// many keys those were.
func (b *block) fill(f *Filter, keys [][]byte) int {
	var buf [batch]hashfam.Digest
	digests := f.params.Family.SumAll(buf[:0], keys[:min(len(keys), batch)])
	t, touched := &f.table, uint64(0)
	for k, d := range digests {
		x, fp := f.home(d)
		i, j := f.moves.pair(x, f.moves.hash(fp))
		b[k].i, b[k].j, b[k].fp = i, j, fp
		if t.kind == none {
			continue
		}
		touched |= t.load(i*t.stride) | t.load(j*t.stride)
	}
	b.touched(touched)
	return len(digests)
}

// touched takes the value that keeps the compiler from dropping the loads.
//
//go:noinline
func (b *block) touched(uint64) {}

// AddAll adds the keys in order, as [Filter.Add] does each, and stops at the
// first for which there is no room. It returns how many were added, always a
// prefix of keys, and Add's error. If the filter is larger than the cache, it
// takes two thirds of the time of adding one by one. No allocation; no key is
// kept.
func (f *Filter) AddAll(keys [][]byte) (int, error) {
	var b block
	for added := 0; ; {
		n := b.fill(f, keys[added:])
		if n == 0 {
			return added, nil
		}
		for _, k := range b[:n] {
			if err := f.insert(k.i, k.j, k.fp); err != nil {
				return added, err
			}
			added++
		}
	}
}

// ContainsAll appends the answer of [Filter.Contains] for each key to dst and
// returns the extended slice. If the filter is larger than the cache, it takes
// two thirds of the time of asking one by one. It allocates only if dst has to
// grow.
func (f *Filter) ContainsAll(dst []bool, keys [][]byte) []bool {
	var buf [batch]hashfam.Digest
	dst = slices.Grow(dst, len(keys))
	for len(keys) > 0 {
		n := min(len(keys), batch)
		digests := f.params.Family.SumAll(buf[:0], keys[:n])
		keys = keys[n:]
		dst = dst[:len(dst)+n]
		f.findAll(dst[len(dst)-n:], digests)
	}
	return dst
}

// findAll is find for each digest. Its loop over plain narrow tables is find
// written out: then no call stands between one key's loads and the next one's.
func (f *Filter) findAll(found []bool, digests []hashfam.Digest) {
	t := &f.table
	found = found[:len(digests)]
	if t.kind != single {
		for k, d := range digests {
			found[k] = f.find(f.locate(d))
		}
		return
	}
	for k, d := range digests {
		x, fp := f.home(d)
		i, j := f.moves.pair(x, f.moves.hash(fp))
		a := t.matches(t.load(i*t.stride), fp)
		b := t.matches(t.load(j*t.stride), fp)
		found[k] = a|b != 0
	}
}

// DeleteAll removes one copy of each key, as [Filter.Delete] does, and returns
// how many there were to remove. What Delete says of keys that were never
// added applies here too. If the filter is larger than the cache, it takes four
// fifths of the time of deleting one by one. No allocation.
func (f *Filter) DeleteAll(keys [][]byte) int {
	var b block
	before := f.count
	for len(keys) > 0 {
		n := b.fill(f, keys)
		keys = keys[n:]
		for _, k := range b[:n] {
			f.take(k.i, k.j, k.fp)
		}
	}
	return int(before - f.count)
}
