package cuckoo

// How many buckets the search for a free slot may look at: the two of the key,
// and four for each that it goes through. Almost every search ends among the
// near ones, for which room on the stack is cheap. In a small table the search
// stops after 256 visits per bucket, most of them repeats.
//
// A search of all far buckets that finds no room takes 50 to 60 microseconds at
// a million keys and 120 to 230 at ten million; compact two to three times as
// long (BenchmarkFailedAdd on an Intel Xeon at 2.1 GHz).
const (
	near     = 2 + slots*32
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
	if f.table.copies(i, fp)+f.table.copies(j, fp) == 2*slots {
		return ErrCopies
	}
	var queue [near]uint64
	queue[0], queue[1] = i, j
	if last := f.search(queue[:]); last > 0 {
		f.shift(queue[:], last, fp)
		return nil
	}
	return f.evictFar(i, j, fp)
}

// evictFar is evict with a longer queue, in its own stack frame.
//
//go:noinline
func (f *Filter) evictFar(i, j, fp uint64) error {
	var queue [far]uint64
	queue[0], queue[1] = i, j
	last := f.search(queue[:min(far, patience*f.params.Buckets)])
	if last == 0 {
		return errFull
	}
	f.shift(queue[:], last, fp)
	return nil
}

// search goes through the buckets that fingerprints of the first two could
// move to, then those that fingerprints of these could move to, and so on,
// until one has a free slot or the queue is full. It returns that bucket's
// place in the queue, or 0. Bucket k of the queue is the other bucket of slot
// (k-2) mod 4 of bucket (k-2)/4 of the queue.
//
// No bucket is twice on the path it finds: the first time would have led to
// the same free slot sooner.
func (f *Filter) search(queue []uint64) int {
	t, moves := &f.table, f.moves
	for from, to := 0, 2; to+slots <= len(queue); from, to = from+1, to+slots {
		i, next := queue[from], queue[to:to+slots]
		if t.kind == single {
			w := t.load(i * t.stride)
			for s := range next {
				j := moves.other(i, moves.hash(w&t.mask))
				w >>= t.width & 63
				next[s] = j
				if t.matches(t.load(j*t.stride), 0) != 0 {
					return to + s
				}
			}
			continue
		}
		a, b := t.lanes(i)
		for s := range next {
			j := moves.other(i, moves.hash(t.lane(a, b, s)))
			next[s] = j
			if t.has(j, 0) {
				return to + s
			}
		}
	}
	return 0
}

// shift moves the fingerprints along the path to the last bucket by one step
// each, beginning at its end, and puts fp where the first of them was.
func (f *Filter) shift(queue []uint64, last int, fp uint64) {
	free := uint64(0) // what the next fingerprint takes the place of
	for last >= 2 {
		from := (last - 2) / slots
		moved := f.table.get(queue[from], (last-2)%slots)
		f.table.exchange(queue[last], free, moved)
		last, free = from, moved
	}
	f.table.exchange(queue[last], free, fp)
}
