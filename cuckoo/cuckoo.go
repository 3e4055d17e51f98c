package cuckoo

import (
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// A Filter is a cuckoo filter. Make one with [New] or [NewFromParams]. It must
// not be copied by value; use [Filter.Clone].
type Filter struct{ reader }

// A reader is a filter without the methods that change it: a [Filter] and a
// [View] have its methods.
type reader struct {
	params   Params
	hash     hashfam.Hasher
	table    table.Table
	partners table.Partners
	count    uint64 // fingerprints in the table
}

// locate returns the two buckets of a key, and its fingerprint. The
// fingerprint, 1 to 2^f-1, comes first, because the buckets have to wait for
// its hash. The rest of the product is uniform too, and shares no bits with the
// fingerprint: it gives the key's coordinate.
func (f *reader) locate(d hashfam.Digest) (i, j, fp uint64) {
	fp, rest := bits.Mul64(uint64(d.Probe()), f.table.Mask())
	fp++
	i, j = f.partners.Pair(hashfam.Reduce(rest, f.params.Buckets), f.partners.Hash(fp))
	return i, j, fp
}

// Add records one copy of key. On average it takes O(1) time. It has two cache
// misses while at most three quarters of the slots are taken, and a few more
// from there to 0.97, because fingerprints move to their other buckets. No
// allocation; key is not kept.
//
// If no eviction makes room, Add returns [ErrFull] and has changed nothing.
// Eight copies of one key fill both of its buckets. Adding the ninth returns
// [ErrCopies], which matches ErrFull. If copies mean nothing, use
// [Filter.ContainsOrAdd].
func (f *Filter) Add(key []byte) error { return f.insert(f.locate(f.hash.Sum(key))) }

// AddString is [Filter.Add] for a string.
func (f *Filter) AddString(key string) error {
	return f.insert(f.locate(f.hash.SumString(key)))
}

// AddDigest is [Filter.Add] for a digest under the filter's family. A digest of
// another family is another key.
func (f *Filter) AddDigest(d hashfam.Digest) error { return f.insert(f.locate(d)) }

// insert is algorithm 1 of Fan et al., with two changes: it takes the emptier
// one of the key's two buckets, so that few fingerprints have to move, and it
// evicts along a shortest path instead of a random walk.
func (f *Filter) insert(i, j, fp uint64) error {
	if !f.table.Put(i, j, fp) {
		if err := f.evict(i, j, fp); err != nil {
			return err
		}
	}
	f.count++
	return nil
}

// evict puts fp in one of its buckets, which are full, by moving others to
// their other buckets. It finds the whole path before it moves anything, so
// there is nothing to undo if it fails.
func (f *Filter) evict(i, j, fp uint64) error {
	if f.table.Count(i, j, fp) == 2*table.Slots {
		return ErrCopies
	}
	if !f.table.Evict(&f.partners, i, j, fp, table.Far) {
		return table.ErrFull
	}
	return nil
}

// Contains reports whether key may be in the filter. False is certain; true is
// wrong with the filter's false-positive rate. O(1) time, two cache misses, and
// one more for each bucket that lies across two lines, no allocation. (Fan et
// al., algorithm 2.)
//
// In a filter larger than the cache a single call mostly waits for memory. If
// you have many keys at once, [Filter.ContainsAll] takes a quarter to a third
// of the time.
func (f *reader) Contains(key []byte) bool { return f.find(f.locate(f.hash.Sum(key))) }

// ContainsString is [Filter.Contains] for a string.
func (f *reader) ContainsString(key string) bool {
	return f.find(f.locate(f.hash.SumString(key)))
}

// ContainsDigest is [Filter.Contains] for a digest under the filter's family.
func (f *reader) ContainsDigest(d hashfam.Digest) bool { return f.find(f.locate(d)) }

// find is algorithm 2 of Fan et al.
func (f *reader) find(i, j, fp uint64) bool { return f.table.Has(i, j, fp) }

// ContainsOrAdd reports whether key may have been in the filter, and adds it if
// not. It hashes key once. O(1) time on average, no allocation. Its error is
// that of [Filter.Add], and then key is not in the filter and nothing has
// changed. If it returns true, it has added nothing: do not call
// [Filter.Delete] for that key then.
func (f *Filter) ContainsOrAdd(key []byte) (bool, error) {
	return f.ContainsOrAddDigest(f.hash.Sum(key))
}

// ContainsOrAddString is [Filter.ContainsOrAdd] for a string.
func (f *Filter) ContainsOrAddString(key string) (bool, error) {
	return f.ContainsOrAddDigest(f.hash.SumString(key))
}

// ContainsOrAddDigest is [Filter.ContainsOrAdd] for a digest under its family.
func (f *Filter) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	i, j, fp := f.locate(d)
	if f.find(i, j, fp) {
		return true, nil
	}
	return false, f.insert(i, j, fp)
}

// Delete removes one copy of key and reports whether there was one to remove;
// if not, nothing has changed. O(1) time, at most the cache misses of
// [Filter.Contains], no allocation. (Fan et al., algorithm 3.)
//
// Delete only what was added. A key that was never added is found with the
// filter's false-positive rate. Deleting it then removes the fingerprint of
// another key, which is no longer found.
func (f *Filter) Delete(key []byte) bool { return f.take(f.locate(f.hash.Sum(key))) }

// DeleteString is [Filter.Delete] for a string.
func (f *Filter) DeleteString(key string) bool {
	return f.take(f.locate(f.hash.SumString(key)))
}

// DeleteDigest is [Filter.Delete] for a digest under the filter's family.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool { return f.take(f.locate(d)) }

// take is algorithm 3 of Fan et al.
func (f *Filter) take(i, j, fp uint64) bool {
	if !f.table.Exchange(i, j, fp, 0) {
		return false
	}
	f.count--
	return true
}

// Count returns how many copies of key the filter may hold: at least as many as
// were added and not deleted, and more if other keys collide with it; at most
// eight. O(1) time, the cache misses of [Filter.Contains], no allocation.
func (f *reader) Count(key []byte) uint64 { return f.CountDigest(f.hash.Sum(key)) }

// CountString is [Filter.Count] for a string.
func (f *reader) CountString(key string) uint64 {
	return f.CountDigest(f.hash.SumString(key))
}

// CountDigest is [Filter.Count] for a digest under the filter's family.
func (f *reader) CountDigest(d hashfam.Digest) uint64 { return f.copies(f.locate(d)) }

func (f *reader) copies(i, j, fp uint64) uint64 { return uint64(f.table.Count(i, j, fp)) }
