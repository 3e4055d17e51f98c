package perfect

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	windowSize = 512 // buckets
	maxBucket  = 15  // keys: larger buckets are bumped
)

// A bucket is a bucket of a level with at least one key.
type bucket struct {
	number  uint64
	digests []hashfam.Digest
}

// A seedOrder yields the buckets of a level in the order in which they get
// their seeds: along the digests, but full buckets first, since they need many
// free places. Of a window of 512 buckets it yields the one with the most
// weight less its number.
type seedOrder struct {
	level   *level
	ahead   []hashfam.Digest     // of buckets that are not in the window yet
	waiting [maxBucket + 2]queue // by the number of keys; larger buckets are in the last
}

// newSeedOrder returns the order of the buckets of sorted digests.
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
	o.waiting[min(n, maxBucket+1)].push(bucket{number, o.ahead[:n]})
	o.ahead = o.ahead[n:]
}

// next removes a bucket from the window and admits another one. It reports
// whether there was one.
func (o *seedOrder) next() (bucket, bool) {
	var best *queue
	most := int64(math.MinInt64)
	for size := range o.waiting {
		q := &o.waiting[size]
		if q.n == 0 {
			continue
		}
		if p := weight(size) - int64(q.ring[q.first].number); p > most {
			best, most = q, p
		}
	}
	if best == nil {
		return bucket{}, false
	}
	b := best.pop()
	o.admit()
	return b, true
}

// weights are the weights of buckets of up to 6 keys, found by trying.
var weights = [...]int64{0, 0, 45, 100, 135, 155, 170}

// weight returns the weight of a bucket of size keys.
func weight(size int) int64 {
	if end := len(weights) - 1; size > end {
		return weights[end] + 10*int64(size-end)
	}
	return weights[size]
}

// A queue is a ring of buckets in ascending order.
type queue struct {
	ring     []bucket
	first, n int
}

func (q *queue) push(b bucket) {
	q.ring[(q.first+q.n)%len(q.ring)] = b
	q.n++
}

func (q *queue) pop() bucket {
	b := q.ring[q.first]
	q.first = (q.first + 1) % len(q.ring)
	q.n--
	return b
}
