package cuckoo

import "github.com/filterfam/filterfam/hashfam"

// A Filter is a cuckoo filter. Make one with [New] or [NewFromParams]. It must
// not be copied by value; use [Filter.Clone].
type Filter struct {
	params Params
	table  table
	moves  relocation
	count  uint64 // fingerprints in the table
}

// Add records one copy of key. On average it takes O(1) time. It has two cache
// misses while at most three quarters of the slots are taken, and a few more
// from there to 0.97, because fingerprints move to their other buckets. No
// allocation; key is not kept.
//
// If no eviction makes room, Add returns [ErrFull] and has changed nothing.
// Eight copies of one key fill both of its buckets. Adding the ninth
// returns [ErrCopies],
// which matches ErrFull. If copies mean nothing, use [Filter.ContainsOrAdd].
func (f *Filter) Add(key []byte) error {
	if f == nil {
		return errs.Nil()
	}
	return f.insert(f.locate(f.params.Family.Sum(key)))
}

// AddString is [Filter.Add] for a string.
func (f *Filter) AddString(key string) error {
	if f == nil {
		return errs.Nil()
	}
	return f.insert(f.locate(f.params.Family.SumString(key)))
}

// AddUint64 is [Filter.Add] for an integer: the key is its eight little-endian
// bytes.
func (f *Filter) AddUint64(key uint64) error {
	if f == nil {
		return errs.Nil()
	}
	return f.insert(f.locate(f.params.Family.SumUint64(key)))
}

// AddDigest is [Filter.Add] for a key already hashed by the filter's family,
// Params().Family. A digest of another family is another key.
func (f *Filter) AddDigest(d hashfam.Digest) error {
	if f == nil {
		return errs.Nil()
	}
	return f.insert(f.locate(d))
}

// insert is algorithm 1 of Fan et al., with two changes: it takes the emptier
// one of the key's two buckets, so that few fingerprints have to move, and it
// evicts along a shortest path instead of a random walk.
func (f *Filter) insert(i, j, fp uint64) error {
	if !f.table.putEither(i, j, fp) {
		if err := f.evict(i, j, fp); err != nil {
			return err
		}
	}
	f.count++
	return nil
}

// Contains reports whether key may be in the filter. False is certain; true is
// wrong with the filter's false-positive rate. O(1) time, two cache misses, and
// one more for each bucket that lies across two lines, no allocation. (Fan et
// al., algorithm 2.)
//
// In a filter larger than the cache a single call mostly waits for memory: the
// instructions of a hash keep the processor from reading for the next key. If
// you have many keys at once, [Filter.ContainsAll] takes a quarter to a third
// of the time. Contains reads both buckets, whatever it finds in the first one:
// they are read at the same time, and a branch on the first would be
// mispredicted for half of the members.
func (f *Filter) Contains(key []byte) bool {
	return f.find(f.locate(f.params.Family.Sum(key)))
}

// ContainsString is [Filter.Contains] for a string.
func (f *Filter) ContainsString(key string) bool {
	return f.find(f.locate(f.params.Family.SumString(key)))
}

// ContainsUint64 is [Filter.Contains] for an integer.
func (f *Filter) ContainsUint64(key uint64) bool {
	return f.find(f.locate(f.params.Family.SumUint64(key)))
}

// ContainsDigest is [Filter.Contains] for a key already hashed by the filter's
// family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool { return f.find(f.locate(d)) }

// find is algorithm 2 of Fan et al.
func (f *Filter) find(i, j, fp uint64) bool { return f.table.hasEither(i, j, fp) }

// ContainsOrAdd reports whether key may have been in the filter, and adds it
// if not. It hashes key once. O(1) time on average, no allocation. Its error is
// that of [Filter.Add], and then key is not in the filter and nothing has
// changed. If it returns true, it has added nothing: do not call
// [Filter.Delete] for that key then.
func (f *Filter) ContainsOrAdd(key []byte) (bool, error) {
	return f.ContainsOrAddDigest(f.family().Sum(key))
}

// ContainsOrAddString is [Filter.ContainsOrAdd] for a string.
func (f *Filter) ContainsOrAddString(key string) (bool, error) {
	return f.ContainsOrAddDigest(f.family().SumString(key))
}

// ContainsOrAddUint64 is [Filter.ContainsOrAdd] for an integer.
func (f *Filter) ContainsOrAddUint64(key uint64) (bool, error) {
	return f.ContainsOrAddDigest(f.family().SumUint64(key))
}

// ContainsOrAddDigest is [Filter.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (f *Filter) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	if f == nil {
		return false, errs.Nil()
	}
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
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.params.Family.Sum(key)) }

// DeleteString is [Filter.Delete] for a string.
func (f *Filter) DeleteString(key string) bool {
	return f.DeleteDigest(f.params.Family.SumString(key))
}

// DeleteUint64 is [Filter.Delete] for an integer.
func (f *Filter) DeleteUint64(key uint64) bool { return f.DeleteDigest(f.params.Family.SumUint64(key)) }

// DeleteDigest is [Filter.Delete] for a key already hashed by the filter's
// family.
func (f *Filter) DeleteDigest(d hashfam.Digest) bool {
	return f.take(f.locate(d))
}

// take is algorithm 3 of Fan et al.
func (f *Filter) take(i, j, fp uint64) bool {
	if !f.table.remove(i, fp) && !f.table.remove(j, fp) {
		return false
	}
	f.count--
	return true
}

// Count returns how many copies of key the filter may hold: at least as many
// as were added and not deleted, and more if other keys collide with it; at
// most eight. O(1) time, the cache misses of [Filter.Contains], no allocation.
func (f *Filter) Count(key []byte) uint64 { return f.CountDigest(f.params.Family.Sum(key)) }

// CountString is [Filter.Count] for a string.
func (f *Filter) CountString(key string) uint64 {
	return f.CountDigest(f.params.Family.SumString(key))
}

// CountUint64 is [Filter.Count] for an integer.
func (f *Filter) CountUint64(key uint64) uint64 { return f.CountDigest(f.params.Family.SumUint64(key)) }

// CountDigest is [Filter.Count] for a key already hashed by the filter's
// family.
func (f *Filter) CountDigest(d hashfam.Digest) uint64 {
	i, j, fp := f.locate(d)
	return uint64(f.table.copies(i, fp) + f.table.copies(j, fp))
}

// family returns the family of f, also if f is nil.
func (f *Filter) family() hashfam.Family {
	if f == nil {
		return hashfam.Family{}
	}
	return f.params.Family
}

// locate returns the two buckets of a key, and its fingerprint.
func (f *Filter) locate(d hashfam.Digest) (i, j, fp uint64) {
	x, fp := f.home(d)
	i, j = f.moves.pair(x, f.moves.hash(fp))
	return i, j, fp
}

// home returns the coordinate of a key, 0 to m-1, and its fingerprint, 1 to
// 2^f-1. The fingerprint comes first, because the buckets have to wait for its
// hash. It is inlined.
func (f *Filter) home(d hashfam.Digest) (x, fp uint64) {
	fp, rest := split(uint64(d.Probe()), f.table.mask)
	return hashfam.Reduce(rest, f.moves.buckets), fp + 1
}
