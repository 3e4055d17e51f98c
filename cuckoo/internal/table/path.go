package table

import "math/bits"

// How many buckets the search for a free slot may look at: the two of the key,
// and four for each that it goes through. Nine of ten searches end within the
// near ones, and 999 of 1,000 within the middle ones, which spares clearing 64
// KiB of stack. In a small table the search stops after 256 looks per bucket,
// most of them repeats.
//
// A search of all far buckets that finds no room takes 50 to 60 microseconds at
// a million keys and 120 to 230 at ten million; in a sorted table it takes 1.1
// to 1.4 times as long (BenchmarkFailedAdd on an Intel Xeon at 2.1 GHz).
const (
	near     = 2 + Slots*16
	middle   = 2 + Slots*127 // at most patience times 2, the least number of buckets
	far      = 2 + Slots*2048
	patience = 256
)

// A Reach is how far Evict searches.
type Reach uint64

// Middle is the reach for tables that can grow instead, and Far the one for
// those that cannot.
const (
	Middle Reach = middle
	Far    Reach = far
)

// Evict puts fp in bucket i or j, which are full, and moves others to their
// other buckets to make room: along a shortest path to a free slot, which it
// finds before it moves anything. It reports whether there is one within reach;
// if not, it has changed nothing.
func (t *Table) Evict(p *Partners, i, j, fp uint64, reach Reach) bool {
	var queue [near]uint64
	queue[0], queue[1] = i, j
	return t.moveAlong(p, queue[:], 2, fp) || t.evictMiddle(p, queue[:], fp, reach)
}

// evictMiddle continues an Evict with a longer queue, in its own stack frame.
//
//go:noinline
func (t *Table) evictMiddle(p *Partners, shorter []uint64, fp uint64, reach Reach) bool {
	var queue [middle]uint64
	if t.moveAlong(p, queue[:], copy(queue[:], shorter), fp) {
		return true
	}
	return reach > middle && t.evictFar(p, queue[:], fp)
}

//go:noinline
func (t *Table) evictFar(p *Partners, shorter []uint64, fp uint64) bool {
	var queue [far]uint64
	looks := min(far, patience*p.buckets)
	return t.moveAlong(p, queue[:looks], copy(queue[:], shorter), fp)
}

// moveAlong searches for a path and moves the fingerprints along it. It reports
// whether there is one. The first buckets of the queue are known, and the
// search has looked at them.
func (t *Table) moveAlong(p *Partners, queue []uint64, known int, fp uint64) bool {
	last := t.search(p, queue, known)
	if last > 0 {
		t.shift(queue, last, fp)
	}
	return last > 0
}

// search goes through the buckets that fingerprints of the first two could move
// to, then those that fingerprints of these could move to, and so on, until one
// has a free slot or the queue is full. It returns that bucket's place in the
// queue, or 0. Bucket k of the queue is the other bucket of slot (k-2) mod 4 of
// bucket (k-2)/4 of the queue.
//
// No bucket is twice on the path it finds: the first time would have led to the
// same free slot sooner.
func (t *Table) search(p *Partners, queue []uint64, known int) int {
	for from, to := (known-2)/Slots, known; to+Slots <= len(queue); from, to = from+1, to+Slots {
		i, next := queue[from], (*[Slots]uint64)(queue[to:])
		a, b, c, d := t.List(t.Lanes(i))
		for s, fp := range [Slots]uint64{a, b, c, d} {
			next[s] = p.Other(i, p.Hash(fp>>(t.tail&63)))
		}
		if s := t.firstFree(next); s < Slots {
			return to + s
		}
	}
	return 0
}

// firstFree returns the first of four buckets that has a free slot, or four. It
// looks at all of them, so that their cache misses overlap.
func (t *Table) firstFree(list *[Slots]uint64) int {
	free := uint64(1 << Slots)
	switch {
	case t.Sorted:
		for s, i := range list {
			if t.smallest(t.Word(i)) == 0 {
				free |= 1 << s
			}
		}
	case !t.Narrow:
		for s, i := range list {
			if l := t.Lanes(i); t.AnyZero(l, l) {
				free |= 1 << s
			}
		}
	default:
		for s, i := range list {
			if w := t.Word(i); t.Any(w, w, 0) {
				free |= 1 << s
			}
		}
	}
	return bits.TrailingZeros64(free)
}

// shift moves the fingerprints along the path to the last bucket by one step
// each, beginning at its end, and puts fp where the first of them was.
func (t *Table) shift(queue []uint64, last int, fp uint64) {
	free := uint64(0) // the lane that the next fingerprint overwrites
	for last >= 2 {
		from := (last - 2) / Slots
		moved := t.Fingerprints(queue[from])[(last-2)%Slots]
		t.Exchange(queue[last], queue[last], free, moved)
		last, free = from, moved
	}
	t.Exchange(queue[last], queue[last], free, fp)
}
