package ribbon

import (
	"math"
	"sort"
)

// bumpedShare is one over the share of digests that the first layer bumps:
// 0.0225 to 0.023 of large sets, measured. Later layers bump next to none.
const bumpedShare = 43

// EstimateBytes returns about the size of a ribbon of n digests. It cannot be
// known exactly, since the second layer depends on the digests. It is within 1
// % for a million digests and 2 % for 10,000. O(1) time.
func EstimateBytes(columns uint32, n uint64) uint64 {
	if columns == 0 || n == 0 {
		return 0
	}
	first, second := newGeometry(0, n, columns), newGeometry(1, n/bumpedShare, columns)
	if n < bumpedShare {
		return 8 * first.size()
	}
	return 8 * (first.size() + second.size() + 1)
}

// EstimateColumns returns the most columns with which a ribbon of n digests
// takes at most that many bytes according to [EstimateBytes]. O(1) time.
func EstimateColumns(bytes, n uint64) uint32 {
	return uint32(sort.Search(MaxColumns, func(c int) bool { return EstimateBytes(uint32(c+1), n) > bytes }))
}

// ColumnsWithin returns the most columns with which a ribbon of the digests of
// r has a payload of at most that many bytes. It is exact for as many whole
// columns as r has, since how many digests a layer bumps depends on these only.
// O(1) time.
func (r *Ribbon) ColumnsWithin(bytes uint64) uint32 {
	return uint32(sort.Search(MaxColumns, func(c int) bool {
		words := uint64(max(1, len(r.layers)) - 1)
		for i := range r.layers {
			words += newGeometry(i, r.layers[i].keys, uint32(c+1)).size()
		}
		return 8*words > bytes
	}))
}

// Within returns the ribbon with the most columns whose payload has at most
// that many bytes. build builds one with the given columns, first with those of
// a guess and as a rule once more. If one column is too much, Within returns
// the ribbon that has it.
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
			limit = whole // so many columns fit with no fraction of them
		}
		columns = best
	}
	return build(1 << 16)
}

// Bounds returns the smallest payload of a ribbon of a shape that [Check] has
// accepted, and an upper bound on the largest: each layer after the first has
// between one digest and as many as the first. O(1) time.
func Bounds(s Shape) (least, most uint64) {
	if s.Layers == 0 {
		return 0, 0
	}
	first, one, all := newGeometry(0, s.Keys, s.Columns), newGeometry(1, 1, s.Columns), newGeometry(1, s.Keys, s.Columns)
	large := all.size() + 1 // rounding can make a layer of fewer digests a word larger
	more := uint64(s.Layers - 1)
	return 8 * (first.size() + more*(1+one.size())), 8 * (first.size() + more*(1+large))
}

// Rate returns the chance that r contains a digest that is not a member, if
// both are random. It follows from the starts that are not bumped and their
// columns. O(n/64) time.
func (r *Ribbon) Rate() float64 {
	if r.columns == 0 {
		return 1
	}
	rate, reach := 0.0, 1.0
	for i := range r.layers {
		found, bumped := r.layers[i].rate()
		rate += reach * found
		reach *= bumped
	}
	return rate
}

// rate returns the share of random digests that a layer contains, and the share
// that it bumps.
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
