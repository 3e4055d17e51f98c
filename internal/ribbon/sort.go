package ribbon

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	flagBits    = 5       // at most that many bits divide a large list in place
	countKeys   = 1 << 16 // a list of at most that many is divided through a buffer
	countBits   = 13      // at most that many bits at a time
	insertKeys  = 24      // a list of at most that many is sorted by insertion
	compareKeys = 512     // and by comparison; to clear the counters takes longer
)

// rank returns what digests are sorted by: the first value of the probe
// sequence, which is in the order of the starts.
func rank(d hashfam.Digest) uint64 { return uint64(d.Probe()) }

// Sort sorts digests by the first value of their probe sequence, d.Probe(), and
// returns the distinct ones, which are then the first of digests. The rest of
// digests are copies of some of them. So digests stay the same set, also after
// an error. O(n) time for random digests, and at most eight times as much for
// others, with 0.6 MB of memory for each worker. It returns the error of ctx if
// that ends first.
//
// It is a radix sort: large lists are divided in place (American flag sort,
// McIlroy, Bostic and McIlroy, Computing Systems 6, 1993), those that fit into
// the cache through a buffer.
func Sort(ctx context.Context, b Build, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	parts := [][]hashfam.Digest{digests}
	left := 64
	if len(digests) > countKeys {
		parts, left = divide(digests, left)
	}
	err := b.Parallel(ctx, len(parts), func(next func() (int, bool)) {
		s := sorters.Get().(*sorter)
		defer sorters.Put(s)
		for i, ok := next(); ok; i, ok = next() {
			s.sort(parts[i], left)
			b.Report(len(parts[i]))
		}
	})
	if err != nil {
		return nil, err
	}
	return distinct(digests), nil
}

// distinct moves one of each run of equal digests to the front of list and
// returns these. Unlike slices.Compact, it does not clear the others.
func distinct(list []hashfam.Digest) []hashfam.Digest {
	n := 0
	for _, d := range list {
		if n == 0 || list[n-1] != d {
			list[n] = d
			n++
		}
	}
	return list[:n]
}

// A sorter sorts lists one after the other.
type sorter struct{ buffer []hashfam.Digest }

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// sort sorts a list whose ranks differ in the last left bits only. It stops if
// no bit is left: all digests are equal then.
func (s *sorter) sort(list []hashfam.Digest, left int) {
	switch {
	case len(list) <= insertKeys:
		insert(list)
	case left == 0:
	case len(list) <= compareKeys:
		slices.SortFunc(list, func(a, b hashfam.Digest) int { return cmp.Compare(rank(a), rank(b)) })
	case len(list) > countKeys:
		parts, left := divide(list, left)
		for _, part := range parts {
			s.sort(part, left)
		}
	default:
		s.count(list, left)
	}
}

// insert sorts a short list by insertion.
func insert(list []hashfam.Digest) {
	for i, d := range list {
		j, x := i, rank(d)
		for ; j > 0 && rank(list[j-1]) > x; j-- {
			list[j] = list[j-1]
		}
		list[j] = d
	}
}

// divide sorts a list by the first of the left last bits of the rank, in place.
// It returns the parts with equal bits, and the number of bits left. With more
// bits at a time each one costs more: the parts would not all be in the cache.
func divide(list []hashfam.Digest, left int) (parts [][]hashfam.Digest, shift int) {
	const mask = 1<<flagBits - 1
	shift = max(0, left-flagBits) // a bit that has been sorted by may be among them
	var end, at [1 << flagBits]int
	for _, d := range list {
		end[rank(d)>>shift&mask]++
	}
	total := 0
	for i, n := range end {
		at[i] = total
		total += n
		end[i] = total
		parts = append(parts, list[at[i]:total])
	}
	for i := range end {
		for at[i] < end[i] {
			d := list[at[i]]
			for to := rank(d) >> shift & mask; int(to) != i; to = rank(d) >> shift & mask {
				d, list[at[to]] = list[at[to]], d
				at[to]++
			}
			list[at[i]] = d
			at[i]++
		}
	}
	return parts, shift
}

// count sorts a list by counting, by as many of the left last bits as leave
// about 8 digests in a part, and then each part.
func (s *sorter) count(list []hashfam.Digest, left int) {
	n := min(left, countBits, bits.Len(uint(len(list)))-3)
	shift, mask := left-n, uint64(1)<<n-1
	var ends [1 << countBits]uint32
	at := ends[:1<<n]
	for _, d := range list {
		at[rank(d)>>shift&mask]++
	}
	total := uint32(0)
	for i, n := range at {
		at[i] = total
		total += n
	}
	s.buffer = append(s.buffer[:0], list...)
	for _, d := range s.buffer {
		i := rank(d) >> shift & mask
		list[at[i]] = d
		at[i]++
	}
	from := uint32(0)
	for _, to := range at {
		s.sort(list[from:to], left-n)
		from = to
	}
}
