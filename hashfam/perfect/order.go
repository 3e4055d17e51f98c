package perfect

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	windowSize = 512 // number of buckets
	maxBucket  = 15  // number of keys; larger buckets are bumped
)

// A bucket contains the digests in a nonempty bucket of the current level.
type bucket struct {
	number  uint64
	digests []hashfam.Digest
}

// A seedOrder returns a level's buckets in the order in which they should get
// their seeds: along the digests, but large buckets first, since they need many
// free places. In a window of 512 buckets it selects the one with the largest
// difference between its weight and its number.
type seedOrder struct {
	level   *level
	ahead   []hashfam.Digest     // the digests of buckets after the window
	waiting [maxBucket + 2]queue // by number of keys; the last list is for all larger buckets
}

// newSeedOrder returns the order for the buckets of sorted digests.
func newSeedOrder(l *level, digests []hashfam.Digest) *seedOrder {
	o := &seedOrder{level: l, ahead: digests}
	for i := range o.waiting {
		o.waiting[i].ring = make([]bucket, min(windowSize, len(l.seeds)))
	}
	for range windowSize {
		o.admit()
	}
	return o
}

// admit moves the next bucket into the window.
func (o *seedOrder) admit() {
	if len(o.ahead) == 0 {
		return
	}
	number, n := o.level.bucket(o.ahead[0].Probe()), 1
	for n < len(o.ahead) && o.level.bucket(o.ahead[n].Probe()) == number {
		n++
	}
	q := &o.waiting[min(n, maxBucket+1)]
	q.ring[(q.first+q.n)%len(q.ring)] = bucket{number, o.ahead[:n]}
	q.n++
	o.ahead = o.ahead[n:]
}

// next removes a bucket from the window and admits the next one. It reports
// whether there was a bucket.
func (o *seedOrder) next() (bucket, bool) {
	var best *queue
	most := int64(math.MinInt64)
	for size := range o.waiting {
		q := &o.waiting[size]
		if q.n == 0 {
			continue
		}
		if p := weights[size] - int64(q.ring[q.first].number); p > most {
			best, most = q, p
		}
	}
	if best == nil {
		return bucket{}, false
	}
	b := best.ring[best.first]
	best.first = (best.first + 1) % len(best.ring)
	best.n--
	o.admit()
	return b, true
}

// weights contains the weights of buckets by their number of keys. They were
// found by experiment.
var weights = [maxBucket + 2]int64{0, 0, 45, 100, 135, 155, 170, 180, 190, 200, 210, 220, 230, 240, 250, 260, 270}

// A queue is a ring of buckets in ascending order.
type queue struct {
	ring     []bucket
	first, n int
}
