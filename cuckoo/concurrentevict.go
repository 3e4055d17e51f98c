package cuckoo

import (
	"sync"
	"sync/atomic"
)

// A stripe is the lock of some groups of buckets. Its version is kept apart, so
// that few writes disturb readers: it changes if a fingerprint leaves a bucket
// for another or, see Concurrent.warn, another one takes its place, and is odd
// while a bucket is being rewritten.
type stripe struct {
	lock  sync.Mutex
	count atomic.Uint64 // keys added less keys deleted, modulo 2^64
}

// maxStripes is the number of stripes of large filters. There are more groups
// than that.
const maxStripes = 1 << 10

// at returns the stripe of a bucket, and version that stripe's version.
func (c *Concurrent) at(i uint64) *stripe { return &c.stripes[i/together&uint64(len(c.stripes)-1)] }

func (c *Concurrent) version(i uint64) *atomic.Uint32 {
	return &c.versions[i/together&uint64(len(c.versions)-1)]
}

// lock locks the stripes of two buckets, in the order of their numbers. The
// second one is nil if there is one stripe.
func (c *Concurrent) lock(i, j uint64) (first, second *stripe) {
	a, b := i/together&uint64(len(c.stripes)-1), j/together&uint64(len(c.stripes)-1)
	first = &c.stripes[min(a, b)]
	first.lock.Lock()
	if a != b {
		second = &c.stripes[max(a, b)]
		second.lock.Lock()
	}
	return first, second
}

func unlock(first, second *stripe) {
	if second != nil {
		second.lock.Unlock()
	}
	first.lock.Unlock()
}

// lockAll stops all writers. Readers go on.
func (c *Concurrent) lockAll() {
	for s := range c.stripes {
		c.stripes[s].lock.Lock()
	}
}

func (c *Concurrent) unlockAll() {
	for s := range c.stripes {
		c.stripes[s].lock.Unlock()
	}
}

// change replaces one fingerprint of a bucket whose stripe is locked, and
// reports whether it was there. In a plain table other fingerprints stay as
// they are in all moments. A compact bucket is rewritten, which readers must
// not see half done.
func (c *Concurrent) change(i, old, fp uint64) bool {
	if c.table.kind < compact {
		return c.table.exchange(i, old, fp)
	}
	version := c.version(i)
	version.Add(1)
	changed := c.table.exchange(i, old, fp)
	version.Add(1)
	return changed
}

// put puts a fingerprint into a free slot of the emptier one of two buckets,
// whose stripes are locked, and reports whether there was one.
func (c *Concurrent) put(i, j, fp uint64) bool {
	if c.table.copies(i, 0) < c.table.copies(j, 0) {
		i = j
	}
	return c.change(i, 0, fp)
}

// attempts is how often an Add looks for a path before it locks all stripes.
const attempts = 4

// makeRoom frees a slot in one of two full buckets, like [Filter.evict], while
// others may write. It returns false if there is no short path.
func (c *Concurrent) makeRoom(i, j uint64) bool {
	var queue [near]uint64
	return c.moveAlong(queue[:], i, j, false) || c.makeRoomFurther(i, j)
}

// makeRoomFurther is makeRoom with a longer queue, in its own stack frame.
//
//go:noinline
func (c *Concurrent) makeRoomFurther(i, j uint64) bool {
	var queue [middle]uint64
	return c.moveAlong(queue[:], i, j, false)
}

// makeRoomAlone is makeRoom with all stripes locked, and with as long a search
// as that of a [Filter].
func (c *Concurrent) makeRoomAlone(i, j uint64) bool {
	var queue [far]uint64
	return c.moveAlong(queue[:min(far, patience*c.params.Buckets)], i, j, true)
}

// moveAlong searches a path and moves the fingerprints along it, from its end
// on, until others have changed it meanwhile. It returns false if there is no
// path.
func (c *Concurrent) moveAlong(queue []uint64, i, j uint64, alone bool) bool {
	queue[0], queue[1] = i, j
	last := c.search(queue)
	for moved := true; moved && last >= 2; {
		from := (last - 2) / slots
		if slot := (last - 2) % slots; alone {
			moved = c.move(queue[from], queue[last], slot)
		} else {
			moved = c.lockAndMove(queue[from], queue[last], slot)
		}
		last = from
	}
	return last >= 0
}

// search is [Filter.search] while others may write. It returns -1 if there is
// no path.
func (c *Concurrent) search(queue []uint64) int {
	for from, to := 0, 2; to+slots <= len(queue); from, to = from+1, to+slots {
		i, next := queue[from], queue[to:to+slots]
		a, b := c.table.lanes(i)
		for s := range next {
			next[s] = c.moves.other(i, c.moves.hash(c.table.lane(a, b, s)))
		}
		for s, j := range next {
			if c.table.copies(j, 0) > 0 {
				return to + s
			}
		}
	}
	return -1
}

func (c *Concurrent) lockAndMove(from, to uint64, slot int) bool {
	first, second := c.lock(from, to)
	defer unlock(first, second)
	return c.move(from, to, slot)
}

// move moves the fingerprint in a slot of a bucket to another bucket, if that
// is its other bucket still and has a free slot. If the slot is free already,
// there is nothing to do. The stripes of both buckets are locked.
//
// There is a moment when the fingerprint is in both buckets, and none when it
// is in neither. A reader that saw the new bucket before and sees the old one
// after finds that the version has changed.
func (c *Concurrent) move(from, to uint64, slot int) bool {
	a, b := c.table.lanes(from)
	fp := c.table.lane(a, b, slot)
	if fp == 0 {
		return true
	}
	if c.moves.other(from, c.moves.hash(fp)) != to || !c.change(to, 0, fp) {
		return false
	}
	c.version(from).Add(2)
	return c.change(from, fp, 0)
}

// insertAlone adds a key while all other writers wait.
func (c *Concurrent) insertAlone(i, j, fp uint64, unique bool) (bool, error) {
	c.lockAll()
	defer c.unlockAll()
	found, err := c.tryInsert(i, j, fp, unique)
	if err == errFull && c.makeRoomAlone(i, j) {
		return c.tryInsert(i, j, fp, unique)
	}
	return found, err
}
