package cuckoo

import (
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// A Filter is a cuckoo filter. Use [New] or [NewFromParams] to create one. It
// must not be copied by value; use [Filter.Clone] instead.
type Filter struct{ readable }

// A readable has the methods that do not change a filter. [Filter] and [View]
// embed it.
type readable struct {
	params   Params
	hash     hashfam.Hasher
	table    table.Table
	partners table.Partners
	count    uint64 // number of fingerprints in the table
}

// locate returns a key's two buckets and its fingerprint, 1 to 2^f-1. The
// fingerprint is 1 plus the high half of the product of the digest's probe and
// 2^f-1. The low half of this product is almost independent of the fingerprint,
// so locate reduces it to a number below Buckets, from which [table.Partners]
// computes both buckets using the fingerprint's hash.
func (f *readable) locate(d hashfam.Digest) (i, j, fp uint64) {
	fp, rest := bits.Mul64(uint64(d.Probe()), f.table.Mask)
	fp++
	i, j = f.partners.Pair(hashfam.Reduce(rest, f.params.Buckets), f.partners.Hash(fp))
	return i, j, fp
}

// Add adds one copy of key. It runs in constant time on average, with about two
// cache misses until three quarters of the slots are used. Then, up to a load
// of about 0.97, there are a few more, because Add needs to move fingerprints
// to their other buckets.
//
// If Add cannot make room, it returns [ErrFull] and changes nothing. Eight
// copies of a key fill both of its buckets; for a ninth, Add returns
// [ErrCopies], which matches ErrFull. If you do not need copies, use
// [Filter.ContainsOrAdd].
func (f *Filter) Add(key []byte) error { return f.insert(f.locate(f.hash.Sum(key))) }

// AddString is like [Filter.Add] for a string key.
func (f *Filter) AddString(key string) error { return f.insert(f.locate(f.hash.SumString(key))) }

// AddDigest is like [Filter.Add] for a digest computed by the filter's family.
func (f *Filter) AddDigest(d hashfam.Digest) error { return f.insert(f.locate(d)) }

// insert is algorithm 1 of Fan et al. with two changes. It prefers the emptier
// of the key's buckets, so that fewer fingerprints must move. And it evicts
// along a shortest path instead of a random walk, but only after the whole path
// has been found, so nothing needs to be undone if there is none.
func (f *Filter) insert(i, j, fp uint64) error {
	switch {
	case f.table.Put(i, j, fp):
	case f.table.Count(i, j, fp) == 2*table.Slots:
		return table.ErrCopies
	case !f.table.Evict(&f.partners, i, j, fp, table.Far):
		return ErrFull
	}
	f.count++
	return nil
}

// Contains reports whether key may be in the filter. If it returns false, key
// is not in the filter, provided that every deleted key had been added; true
// may be a false positive. Contains causes two cache misses, and another for
// each bucket that crosses a cache line. (Fan et al., algorithm 2.)
//
// If the filter is larger than the cache, a call mostly waits for memory, so
// ContainsAll is much faster for many keys.
func (f *readable) Contains(key []byte) bool { return f.table.Has(f.locate(f.hash.Sum(key))) }

// ContainsString is like Contains for a string key.
func (f *readable) ContainsString(key string) bool {
	return f.table.Has(f.locate(f.hash.SumString(key)))
}

// ContainsDigest is like Contains for a digest computed by the filter's family.
func (f *readable) ContainsDigest(d hashfam.Digest) bool { return f.table.Has(f.locate(d)) }

// ContainsOrAdd reports whether key may be in the filter, and adds it
// otherwise. If it returns true, key was not added, so there must be no
// corresponding call of [Filter.Delete]. ContainsOrAdd hashes key only once. It
// returns the errors of [Filter.Add], and the filter is then unchanged.
func (f *Filter) ContainsOrAdd(key []byte) (bool, error) {
	return f.ContainsOrAddDigest(f.hash.Sum(key))
}

// ContainsOrAddString is like [Filter.ContainsOrAdd] for a string key.
func (f *Filter) ContainsOrAddString(key string) (bool, error) {
	return f.ContainsOrAddDigest(f.hash.SumString(key))
}

// ContainsOrAddDigest is like [Filter.ContainsOrAdd] for a key's digest.
func (f *Filter) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	i, j, fp := f.locate(d)
	if f.table.Has(i, j, fp) {
		return true, nil
	}
	return false, f.insert(i, j, fp)
}

// Delete removes one copy of key and reports whether it found one. If it did
// not, the filter is unchanged. (Fan et al., algorithm 3.)
//
// Delete must only be called for keys that were added. A key that was never
// added, or was already deleted as often as it was added, may be a false
// positive. If you delete such a key, Delete removes another key's fingerprint,
// so that key may no longer be found.
func (f *Filter) Delete(key []byte) bool { return f.take(f.locate(f.hash.Sum(key))) }

// DeleteString is like [Filter.Delete] for a string key.
func (f *Filter) DeleteString(key string) bool { return f.take(f.locate(f.hash.SumString(key))) }

// DeleteDigest is like [Filter.Delete] for a key's digest.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool { return f.take(f.locate(d)) }

func (f *Filter) take(i, j, fp uint64) bool {
	if !f.table.Exchange(i, j, fp, 0) {
		return false
	}
	f.count--
	return true
}

// Count returns the number of copies of key that the filter may contain, up to
// eight. It is never less than the number of copies that were added and not
// deleted, and is greater if other keys collide with key.
func (f *readable) Count(key []byte) uint64 { return f.CountDigest(f.hash.Sum(key)) }

// CountString is like Count for a string key.
func (f *readable) CountString(key string) uint64 { return f.CountDigest(f.hash.SumString(key)) }

// CountDigest is like Count for a key's digest.
func (f *readable) CountDigest(d hashfam.Digest) uint64 { return uint64(f.table.Count(f.locate(d))) }
