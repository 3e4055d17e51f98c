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
	flagBits    = 5       // number of bits for dividing a large list in place
	countKeys   = 1 << 16 // maximum length of a list that is sorted by counting
	countBits   = 13      // maximum number of bits in one sorting step
	insertKeys  = 24      // maximum length for sorting by insertion
	compareKeys = 512     // maximum length for sorting by comparison: clearing the counters would take longer
)

// rank returns the value by which digests are sorted: the first value of the
// probe sequence. The starts are in the same order.
func rank(d hashfam.Digest) uint64 { return uint64(d.Probe()) }

// Sort sorts digests by the first value of their probe sequence, d.Probe(), and
// returns the distinct ones, which are at the beginning of digests. Their
// copies follow, so the slice contains the same digests in another order, even
// after an error. If ctx is canceled, Sort returns ctx's error. It uses 0.6 MB
// of memory per worker. The time is linear, but longer when digests are not
// random, for example because somebody chose them.
//
// Sort is a radix sort. It divides large lists in place (American flag sort,
// McIlroy, Bostic and McIlroy, Computing Systems 6, 1993), but uses a buffer
// for lists that fit into the cache.
func Sort(ctx context.Context, b Build, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	parts := [][]hashfam.Digest{digests}
	left := 64
	if len(digests) > countKeys {
		parts, left = divide(digests, left)
	}
	err := b.Parallel(ctx, len(parts), func(part int) {
		s := sorters.Get().(*sorter)
		defer sorters.Put(s)
		s.sort(parts[part], left)
		b.Report(len(parts[part]))
	})
	if err != nil {
		return nil, err
	}
	return distinct(digests), nil
}

// distinct moves one of each run of equal digests to the front of list, and
// returns these digests. Their copies follow.
func distinct(list []hashfam.Digest) []hashfam.Digest {
	n := 0
	for i, d := range list {
		if n > 0 && list[n-1] == d {
			continue
		}
		if n < i { // list[n] is a copy
			list[n], list[i] = d, list[n]
		}
		n++
	}
	return list[:n]
}

// A sorter sorts one list after the other.
type sorter struct{ buffer []hashfam.Digest }

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// sort sorts a list of digests whose ranks differ at most in their lowest bits.
// left is the number of these bits, so if left is 0, all digests are equal.
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

func insert(list []hashfam.Digest) {
	for i, d := range list {
		x := rank(d)
		j := i
		for ; j > 0 && rank(list[j-1]) > x; j-- {
			list[j] = list[j-1]
		}
		list[j] = d
	}
}

// divide sorts a list in place by some bits of the digests' ranks. left is the
// number of low bits in which the ranks can differ, and divide uses the highest
// flagBits of these. It returns the parts in which these bits are equal, and
// the number of low bits by which each part must still be sorted. With more
// than flagBits bits, it would write to too many parts at once for the cache.
func divide(list []hashfam.Digest, left int) (parts [][]hashfam.Digest, shift int) {
	const mask = 1<<flagBits - 1
	shift = max(0, left-flagBits) // this may include bits by which the list is already sorted
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

// count divides a list into parts of about 4 to 8 digests, using one counter
// per part, and then sorts each part.
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
