package perfect

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	// A filler lets this number of buckets wait. Since it exceeds the largest
	// weight, no bucket that arrives later could be the next one.
	windowSize = 264

	maxBucket = 15 // number of keys; larger buckets are bumped
)

// weights contains the weights of buckets by their number of keys. They were
// found by experiment.
var weights = [maxBucket + 1]int64{0, 0, 45, 100, 135, 155, 170, 180, 190, 200, 210, 220, 230, 240, 250, 260}

// An entry is a key in a bucket.
type entry struct {
	digest hashfam.Digest
	value  uint64
}

// A bucket contains the keys in a nonempty bucket of a level.
type bucket struct {
	number  uint64
	n       int // number of keys; above maxBucket if they are already bumped
	entries [maxBucket]entry
	after   *bucket // the next one in the queue
}

// A seedOrder determines the order in which buckets get their seeds: by their
// numbers, but large buckets earlier, since they need many free places. The
// next bucket is always the waiting one whose weight minus its number is
// largest.
type seedOrder struct {
	waiting [maxBucket + 1]queue // by number of keys
	n       int                  // number of waiting buckets
}

// A queue is a list of buckets in ascending order.
type queue struct{ first, last *bucket }

// admit adds a bucket whose number is higher than the previous ones.
func (o *seedOrder) admit(b *bucket) {
	q := &o.waiting[b.n]
	b.after = nil
	if q.first == nil {
		q.first = b
	} else {
		q.last.after = b
	}
	q.last = b
	o.n++
}

// next removes the next bucket. There must be one.
func (o *seedOrder) next() *bucket {
	best := 0
	most := int64(math.MinInt64)
	for size := range o.waiting {
		b := o.waiting[size].first
		if b == nil {
			continue
		}
		if rank := weights[size] - int64(b.number); rank > most {
			best = size
			most = rank
		}
	}
	q := &o.waiting[best]
	b := q.first
	q.first = b.after
	o.n--
	return b
}

// oldest returns the waiting bucket with the lowest number, or nil.
func (o *seedOrder) oldest() *bucket {
	var oldest *bucket
	for size := range o.waiting {
		b := o.waiting[size].first
		if b != nil && (oldest == nil || b.number < oldest.number) {
			oldest = b
		}
	}
	return oldest
}
