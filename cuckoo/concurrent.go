package cuckoo

import (
	"runtime"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
)

// A Concurrent is a cuckoo filter for many goroutines: all its methods may run
// at the same time, in any mixture. Make one with [NewConcurrent] or
// [NewConcurrentFrom]. It has the [Params], the capacity and the rate of a
// [Filter], and [Concurrent.Snapshot] returns one.
//
// There is one table. Groups of 16 buckets, which take whole words, share locks
// and version numbers in stripes. A lookup takes no lock: it reads the words of
// its two buckets atomically, and if the key is not there, it looks again if a
// version tells that a fingerprint was moved in between. An Add or Delete locks
// the stripes of its two buckets. An Add that has to evict searches a path
// without a lock; then it moves the fingerprints one by one, from the end of
// the path, each under the locks of two stripes and to its new place first
// (Li, Andersen, Kaminsky and Freedman, EuroSys 2014). If others get in the way
// too often, it locks all.
//
// So a key is found by every Contains that begins after its Add has returned
// and ends before a Delete of it begins. A Concurrent must not be copied by
// value. A zero Concurrent contains every key, Add returns [ErrFull], and there
// is nothing to delete.
type Concurrent struct {
	params   Params
	moves    relocation
	table    shared
	stripes  []stripe
	versions []atomic.Uint32 // of the stripes
}

// Add records one copy of key. On average it takes O(1) time, and locks two
// stripes. No allocation; key is not kept.
//
// If no eviction makes room, Add returns [ErrFull]. The filter then contains
// what it did before, but fingerprints may have moved to their other buckets.
// Adding the ninth copy of a key returns [ErrCopies], which matches ErrFull. If
// copies mean nothing, use [Concurrent.ContainsOrAdd].
func (c *Concurrent) Add(key []byte) error { return c.AddDigest(c.family().Sum(key)) }

// AddString is [Concurrent.Add] for a string.
func (c *Concurrent) AddString(key string) error { return c.AddDigest(c.family().SumString(key)) }

// AddUint64 is [Concurrent.Add] for an integer: the key is its eight
// little-endian bytes.
func (c *Concurrent) AddUint64(key uint64) error { return c.AddDigest(c.family().SumUint64(key)) }

// AddDigest is [Concurrent.Add] for a key already hashed by the filter's
// family, Params().Family. A digest of another family is another key.
func (c *Concurrent) AddDigest(d hashfam.Digest) error {
	_, err := c.insert(d, false)
	return err
}

// Contains reports whether key may be in the filter. False is certain; true is
// wrong with the filter's false-positive rate. O(1) time, the cache misses of
// [Filter.Contains] and two more of versions, no lock, no allocation. It looks
// again if fingerprints move meanwhile.
func (c *Concurrent) Contains(key []byte) bool {
	return c.ContainsDigest(c.params.Family.Sum(key))
}

// ContainsString is [Concurrent.Contains] for a string.
func (c *Concurrent) ContainsString(key string) bool {
	return c.ContainsDigest(c.params.Family.SumString(key))
}

// ContainsUint64 is [Concurrent.Contains] for an integer.
func (c *Concurrent) ContainsUint64(key uint64) bool {
	return c.ContainsDigest(c.params.Family.SumUint64(key))
}

// ContainsDigest is [Concurrent.Contains] for a key already hashed by the
// filter's family.
func (c *Concurrent) ContainsDigest(d hashfam.Digest) bool {
	if len(c.stripes) == 0 {
		return true
	}
	i, j, fp := c.locate(d)
	v, w := c.version(i), c.version(j)
	for {
		before, other := v.Load(), w.Load()
		if c.table.hasEither(i, j, fp) {
			return true
		}
		if (before|other)&1 == 0 && v.Load() == before && w.Load() == other {
			return false
		}
		wait(before | other)
	}
}

// wait lets a writer go on that is in the middle of a change.
func wait(version uint32) {
	if version&1 != 0 {
		runtime.Gosched()
	}
}

// Count returns how many copies of key the filter may hold: at least as many
// as were added and not deleted, and more if other keys collide with it, or if
// a copy is being moved. O(1) time, no lock, no allocation.
func (c *Concurrent) Count(key []byte) uint64 { return c.CountDigest(c.params.Family.Sum(key)) }

// CountString is [Concurrent.Count] for a string.
func (c *Concurrent) CountString(key string) uint64 {
	return c.CountDigest(c.params.Family.SumString(key))
}

// CountUint64 is [Concurrent.Count] for an integer.
func (c *Concurrent) CountUint64(key uint64) uint64 {
	return c.CountDigest(c.params.Family.SumUint64(key))
}

// CountDigest is [Concurrent.Count] for a key already hashed by the filter's
// family.
func (c *Concurrent) CountDigest(d hashfam.Digest) uint64 {
	if len(c.stripes) == 0 {
		return 2 * slots
	}
	i, j, fp := c.locate(d)
	v, w := c.version(i), c.version(j)
	for {
		before, other := v.Load(), w.Load()
		n := c.table.copies(i, fp) + c.table.copies(j, fp)
		if (before|other)&1 == 0 && v.Load() == before && w.Load() == other {
			return uint64(n)
		}
		wait(before | other)
	}
}

// ContainsOrAdd reports whether key may have been in the filter, and adds it if
// not, in one step: of goroutines that call it for one key at the same time,
// one adds it. O(1) time on average, and
// Add's errors. If it
// returns true, it has added nothing: do not call [Concurrent.Delete] for that
// key then.
func (c *Concurrent) ContainsOrAdd(key []byte) (bool, error) {
	return c.ContainsOrAddDigest(c.family().Sum(key))
}

// ContainsOrAddString is [Concurrent.ContainsOrAdd] for a string.
func (c *Concurrent) ContainsOrAddString(key string) (bool, error) {
	return c.ContainsOrAddDigest(c.family().SumString(key))
}

// ContainsOrAddUint64 is [Concurrent.ContainsOrAdd] for an integer.
func (c *Concurrent) ContainsOrAddUint64(key uint64) (bool, error) {
	return c.ContainsOrAddDigest(c.family().SumUint64(key))
}

// ContainsOrAddDigest is [Concurrent.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (c *Concurrent) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	if c == nil {
		return false, errs.Nil()
	}
	if c.ContainsDigest(d) {
		return true, nil
	}
	return c.insert(d, true)
}

// Delete removes one copy of key and reports whether there was one to remove;
// if not, nothing has changed. O(1) time, locks two stripes, no allocation.
//
// Delete only what was added. A key that was never added is found with the
// filter's false-positive rate. Deleting it then removes the fingerprint of
// another key, which is no longer found.
func (c *Concurrent) Delete(key []byte) bool { return c.DeleteDigest(c.params.Family.Sum(key)) }

// DeleteString is [Concurrent.Delete] for a string.
func (c *Concurrent) DeleteString(key string) bool {
	return c.DeleteDigest(c.params.Family.SumString(key))
}

// DeleteUint64 is [Concurrent.Delete] for an integer.
func (c *Concurrent) DeleteUint64(key uint64) bool {
	return c.DeleteDigest(c.params.Family.SumUint64(key))
}

// DeleteDigest is [Concurrent.Delete] for a key already hashed by the filter's
// family.
func (c *Concurrent) DeleteDigest(d hashfam.Digest) bool {
	if len(c.stripes) == 0 {
		return false
	}
	i, j, fp := c.locate(d)
	first, second := c.lock(i, j)
	c.warn(i, j, fp)
	removed := c.change(i, fp, 0) || c.change(j, fp, 0)
	if removed {
		first.count.Add(^uint64(0))
	}
	unlock(first, second)
	return removed
}

// warn lets readers look again if a copy of fp is about to be removed and both
// buckets have one. A reader whose key has the buckets in the other order may
// have passed the one that keeps its copy before that was there. If only one
// bucket has copies, a reader that has passed the other one still sees those
// that remain, as the copy in the lowest slot goes first. The stripe of i is
// locked. In compact buckets every change is a warning.
func (c *Concurrent) warn(i, j, fp uint64) {
	if c.table.kind < compact && c.table.copies(i, fp) > 0 && c.table.copies(j, fp) > 0 {
		c.version(i).Add(2)
	}
}

// insert adds a key, or reports that there was one, if it is to be unique.
func (c *Concurrent) insert(d hashfam.Digest, unique bool) (bool, error) {
	if c == nil {
		return false, errs.Nil()
	}
	if len(c.stripes) == 0 {
		return unique, errFull
	}
	i, j, fp := c.locate(d)
	for range attempts {
		first, second := c.lock(i, j)
		found, err := c.tryInsert(i, j, fp, unique)
		unlock(first, second)
		if err != errFull {
			return found, err
		}
		if !c.makeRoom(i, j) {
			break
		}
	}
	return c.insertAlone(i, j, fp, unique)
}

// tryInsert is insert without evictions, with the stripes of both buckets
// locked. It returns errFull if there is no free slot.
func (c *Concurrent) tryInsert(i, j, fp uint64, unique bool) (bool, error) {
	if unique && c.table.hasEither(i, j, fp) {
		return true, nil
	}
	if c.put(i, j, fp) {
		c.at(i).count.Add(1)
		return false, nil
	}
	if c.table.copies(i, fp)+c.table.copies(j, fp) == 2*slots {
		return false, ErrCopies
	}
	return false, errFull
}

// locate is [Filter.locate].
func (c *Concurrent) locate(d hashfam.Digest) (i, j, fp uint64) {
	fp, rest := split(uint64(d.Probe()), c.table.mask)
	fp++
	i, j = c.moves.pair(hashfam.Reduce(rest, c.moves.buckets), c.moves.hash(fp))
	return i, j, fp
}

// family returns the family of c, also if c is nil.
func (c *Concurrent) family() hashfam.Family {
	if c == nil {
		return hashfam.Family{}
	}
	return c.params.Family
}
