package cuckoo

import "github.com/filterfam/filterfam/hashfam"

// A Filter is a cuckoo filter. Make one with [New] or [NewFromParams].
type Filter struct {
	params Params
	table  table
	moves  relocation
	count  uint64 // fingerprints in the table
}

// Add records one copy of key. On average O(1) time and two cache misses up to
// three quarters of the slots; up to 0.97 of them a few more, while keys make
// room by moving to their other buckets. No allocation; key is not kept.
//
// Add returns [ErrFull] if no move makes room, and has changed nothing. Eight
// copies of one key fill both of its buckets; for the ninth Add returns
// [ErrCopies], which matches ErrFull.
func (f *Filter) Add(key []byte) error {
	return f.insert(f.locate(f.params.Family.Sum(key)))
}

// AddString is [Filter.Add] for a string.
func (f *Filter) AddString(key string) error {
	return f.insert(f.locate(f.params.Family.SumString(key)))
}

// AddDigest is [Filter.Add] for a key already hashed by the filter's family,
// Params().Family. A digest of another family is another key.
func (f *Filter) AddDigest(d hashfam.Digest) error { return f.insert(f.locate(d)) }

// insert is algorithm 1 of Fan et al., with two changes: it takes the emptier of
// the key's two buckets, so that few keys have to move, and the path of moves is
// a shortest one and not a random walk.
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
// wrong with the filter's false-positive rate. O(1) time, at most two cache
// misses, no allocation. (Fan et al., algorithm 2.)
func (f *Filter) Contains(key []byte) bool {
	return f.find(f.locate(f.params.Family.Sum(key)))
}

// ContainsString is [Filter.Contains] for a string.
func (f *Filter) ContainsString(key string) bool {
	return f.find(f.locate(f.params.Family.SumString(key)))
}

// ContainsDigest is [Filter.Contains] for a key already hashed by the filter's
// family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool { return f.find(f.locate(d)) }

// find is algorithm 2 of Fan et al.
func (f *Filter) find(i, j, fp uint64) bool { return f.table.hasEither(i, j, fp) }

// ContainsOrAdd reports whether key may have been in the filter, and adds it
// if not. It hashes key once. Its error is that of [Filter.Add], and then key
// is not in the filter and nothing has changed.
func (f *Filter) ContainsOrAdd(key []byte) (bool, error) {
	return f.ContainsOrAddDigest(f.params.Family.Sum(key))
}

// ContainsOrAddString is [Filter.ContainsOrAdd] for a string.
func (f *Filter) ContainsOrAddString(key string) (bool, error) {
	return f.ContainsOrAddDigest(f.params.Family.SumString(key))
}

// ContainsOrAddDigest is [Filter.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (f *Filter) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	if f.ContainsDigest(d) {
		return true, nil
	}
	return false, f.AddDigest(d)
}

// Delete removes one copy of key and reports whether there was one to remove;
// if not, nothing has changed. O(1) time, at most two cache misses, no
// allocation. (Fan et al., algorithm 3.)
//
// Delete only what you know to have been added. A key that was never added is
// found with the filter's false-positive rate, and deleting it then removes
// the fingerprint of another key, which from then on is reported absent.
func (f *Filter) Delete(key []byte) bool { return f.DeleteDigest(f.params.Family.Sum(key)) }

// DeleteString is [Filter.Delete] for a string.
func (f *Filter) DeleteString(key string) bool {
	return f.DeleteDigest(f.params.Family.SumString(key))
}

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
// most eight. O(1) time, two cache misses, no allocation.
func (f *Filter) Count(key []byte) uint64 { return f.CountDigest(f.params.Family.Sum(key)) }

// CountString is [Filter.Count] for a string.
func (f *Filter) CountString(key string) uint64 {
	return f.CountDigest(f.params.Family.SumString(key))
}

// CountDigest is [Filter.Count] for a key already hashed by the filter's
// family.
func (f *Filter) CountDigest(d hashfam.Digest) uint64 {
	i, j, fp := f.locate(d)
	return uint64(f.table.copies(i, fp) + f.table.copies(j, fp))
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
