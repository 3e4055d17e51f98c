package cuckoo

// How many buckets the search for a free slot may look at: the two of the key,
// and four for each that it goes through. Nine of ten searches end within the
// near ones, and 999 of 1,000 within the middle ones, which spares clearing 64
// KiB of stack. In a small table the search stops after 256 looks per bucket,
// most of them repeats.
//
// A search of all far buckets that finds no room takes 50 to 60 microseconds at
// a million keys and 120 to 230 at ten million; compact takes 1.1 to 1.4 times
// as long (BenchmarkFailedAdd on an Intel Xeon at 2.1 GHz).
const (
	near     = 2 + slots*16
	middle   = 2 + slots*127 // at most patience times 2, the least number of buckets
	far      = 2 + slots*2048
	patience = 256
)

// evict makes room for fp, whose buckets i and j are full, by moving others to
// their other buckets: along a shortest path to a free slot, which it finds
// before it moves anything. So a search that fails has changed nothing.
func (f *Filter) evict(i, j, fp uint64) error {
	if f.table.kind == none {
		return errFull
	}
	if f.table.copies(i, fp) == slots && f.table.copies(j, fp) == slots {
		return ErrCopies
	}
	var queue [near]uint64
	queue[0], queue[1] = i, j
	if f.moveAlong(queue[:], 2, fp) {
		return nil
	}
	return f.evictMiddle(queue[:], fp)
}

// evictMiddle continues an evict with a longer queue, in its own stack frame.
//
//go:noinline
func (f *Filter) evictMiddle(shorter []uint64, fp uint64) error {
	var queue [middle]uint64
	if f.moveAlong(queue[:], copy(queue[:], shorter), fp) {
		return nil
	}
	return f.evictFar(queue[:], fp)
}

//go:noinline
func (f *Filter) evictFar(shorter []uint64, fp uint64) error {
	var queue [far]uint64
	looks := min(far, patience*f.params.Buckets)
	if f.moveAlong(queue[:looks], copy(queue[:], shorter), fp) {
		return nil
	}
	return errFull
}

// moveAlong searches for a path and moves the fingerprints along it. It reports
// whether there is one. The first buckets of the queue are known, and the
// search has looked at them.
func (f *Filter) moveAlong(queue []uint64, known int, fp uint64) bool {
	last := f.search(queue, known)
	if last > 0 {
		f.table.shift(queue, last, fp)
	}
	return last > 0
}

// search goes through the buckets that fingerprints of the first two could
// move to, then those that fingerprints of these could move to, and so on,
// until one has a free slot or the queue is full. It returns that bucket's
// place in the queue, or 0. Bucket k of the queue is the other bucket of slot
// (k-2) mod 4 of bucket (k-2)/4 of the queue.
//
// No bucket is twice on the path it finds: the first time would have led to
// the same free slot sooner.
func (f *Filter) search(queue []uint64, known int) int {
	t, moves := &f.table, &f.moves
	for from, to := (known-2)/slots, known; to+slots <= len(queue); from, to = from+1, to+slots {
		i, next := queue[from], (*[slots]uint64)(queue[to:])
		a, b := t.lanes(i)
		for s := range next {
			next[s] = moves.other(i, moves.hash(t.lane(a, b, s)))
		}
		if s := t.firstFree(next); s < slots {
			return to + s
		}
	}
	return 0
}

// shift moves the fingerprints along the path to the last bucket by one step
// each, beginning at its end, and puts fp where the first of them was.
func (t *table) shift(queue []uint64, last int, fp uint64) {
	free := uint64(0) // what the next fingerprint takes the place of
	for last >= 2 {
		from := (last - 2) / slots
		moved := t.get(queue[from], (last-2)%slots)
		t.exchange(queue[last], free, moved)
		last, free = from, moved
	}
	t.exchange(queue[last], free, fp)
}
