package ribbon

import (
	"math"
	"sort"
)

// bumpedShare is about the inverse of the fraction of digests that the first
// layer bumps, which is 0.022 to 0.023 in large sets. Later layers bump almost
// no digests.
const bumpedShare = 43

// EstimateBytes returns the approximate size for n digests and the given number
// of columns, in units of 1/65536. The exact size depends on the digests, but
// the error is below 1% for a million digests, and below 3% for 10,000.
func EstimateBytes(columns uint32, n uint64) uint64 {
	if columns == 0 || n == 0 {
		return 0
	}
	words := newGeometry(0, n, columns).size()
	if bumped := n / bumpedShare; bumped > 0 {
		words += newGeometry(1, bumped, columns).size() + 1
	}
	return 8 * words
}

// EstimateColumns returns the largest number of columns for which
// [EstimateBytes] does not exceed the given size.
func EstimateColumns(bytes, n uint64) uint32 {
	return uint32(sort.Search(MaxColumns, func(c int) bool { return EstimateBytes(uint32(c+1), n) > bytes }))
}

// LeastBytes returns a size that is enough for the payload of n random digests
// if the ribbon has the fewest columns, which is 1/65536 of one column. In a
// large set, nearly all of this size is used for thresholds. For more than
// 1,000 digests, the size includes a third layer, which only some sets need.
func LeastBytes(n uint64) uint64 {
	words := EstimateBytes(1, n) / 8
	if bumped := n / bumpedShare; bumped > 0 {
		words += newGeometry(1, n/enough, 1).size() - newGeometry(1, bumped, 1).size()
	}
	if n > 1000 {
		words += 1 + newGeometry(1, 1, 1).size()
	}
	return 8 * words
}

// ColumnsWithin returns the largest number of columns for which the payload for
// the digests of r will not exceed the given size. The result is exact if it
// rounds up to the same whole number as the columns of r, because this number
// determines which digests are bumped. Otherwise it is an estimate.
func (r *Ribbon) ColumnsWithin(bytes uint64) uint32 {
	return uint32(sort.Search(MaxColumns, func(c int) bool {
		words := uint64(max(1, len(r.layers)) - 1)
		for i := range r.layers {
			words += newGeometry(i, r.layers[i].keys, uint32(c+1)).size()
		}
		return 8*words > bytes
	}))
}

// Within returns the ribbon with the most columns whose payload does not exceed
// the given size. build must build a ribbon with the given number of columns.
// Within calls it with guess first, and then usually once more. If no ribbon
// fits, Within returns the one with the fewest columns.
func Within(bytes uint64, guess uint32, build func(columns uint32) (*Ribbon, error)) (*Ribbon, error) {
	for columns, limit := guess, uint32(MaxColumns); columns > 0; {
		r, err := build(columns)
		if err != nil {
			return nil, err
		}
		best := min(limit, r.ColumnsWithin(bytes))
		if best == columns {
			return r, nil
		}
		if whole := (columns - 1) >> 16 << 16; best <= whole {
			limit = whole // this number of columns fits, but no fraction of a column more
		}
		columns = best
	}
	return build(1)
}

// Bounds returns the size of the smallest payload for shape s, which must be
// valid, and an upper bound for the largest. Each layer after the first has at
// least one digest, and no more than the first.
func Bounds(s Shape) (least, most uint64) {
	if s.Layers == 0 {
		return 0, 0
	}
	first, one, all := newGeometry(0, s.Keys, s.Columns), newGeometry(1, 1, s.Columns), newGeometry(1, s.Keys, s.Columns)
	large := all.size() + 1 // rounding can make a layer of fewer digests a word larger
	more := uint64(s.Layers - 1)
	return 8 * (first.size() + more*(1+one.size())), 8 * (first.size() + more*(1+large))
}

// Rate returns the probability that r contains a random digest, other than
// those from which it was built. It reads the threshold of every bucket, so it
// runs in O(n) time.
func (r *Ribbon) Rate() float64 {
	rate := r.first()
	if r.class != nil {
		rate *= r.class.first()
	}
	if r.inverse {
		return 1 - rate
	}
	return rate
}

// first returns the rate of the first ribbon.
func (r *Ribbon) first() float64 {
	if r.columns == 0 {
		return 1
	}
	rate := 0.0
	reach := 1.0 // the probability of reaching the layer
	for i := range r.layers {
		found, bumped := r.layers[i].rate()
		rate += reach * found
		reach *= bumped
	}
	return rate
}

// rate returns the fraction of random digests that a layer contains, and the
// fraction that it bumps.
func (l *layer) rate() (found, bumped float64) {
	for start := uint64(0); start < l.starts; start += groupStarts {
		switch {
		case l.bumps(start):
			bumped++
		case segment(start) < l.narrow:
			found += 2
		default:
			found++
		}
	}
	all := float64(l.starts / groupStarts)
	return math.Ldexp(found/all, -int(l.r)), bumped / all
}
