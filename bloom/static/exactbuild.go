package static

import (
	"context"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// classColumns is the number of columns of the second level, in units of
// 1/65536.
const classColumns = 1 << 16

// filterColumns returns the number of columns of the first level, floor(log2
// (common/rare)), in units of 1/65536. A column needs one bit for each rarer
// key, and halves the number of other keys that need a bit in the second level.
// Between two integers, the size is linear in the number of columns, so a
// fraction of a column would not save memory.
func filterColumns(rare, common uint64) uint32 {
	if rare == 0 {
		return 0
	}
	return min(uint32(max(1, bits.Len64(common/rare))-1)<<16, ribbon.MaxColumns)
}

// inBoth returns the number of digests that are in both lists, which must have
// been sorted by [ribbon.Sort].
func inBoth(a, b []hashfam.Digest) (n int) {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0].Probe(), b[0].Probe()
		if x == y {
			n++
		}
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return n
}

// build builds both levels of e from two disjoint lists, which must have been
// sorted by [ribbon.Sort]. It reorders the second one.
func (e *Exact) build(ctx context.Context, b ribbon.Build, rare, other []hashfam.Digest) error {
	if len(rare) == 0 {
		other = nil // every key is in the other class
	}
	filter, err := ribbon.Members(ctx, b, filterColumns(e.params.classes()), rare)
	if err != nil {
		return err
	}
	passed, err := passing(ctx, b, filter, other)
	if err != nil {
		return err
	}
	class, err := ribbon.Values(ctx, b, classColumns, passed, rare)
	if err != nil {
		return err
	}
	e.set(filter, class)
	return nil
}

// passBlock is the number of digests that a worker looks up at a time.
const passBlock = 1 << 14

// passing moves the digests that pass the filter to the front, without changing
// their order, and returns them.
func passing(ctx context.Context, b ribbon.Build, filter *ribbon.Ribbon, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	blocks := (len(digests) + passBlock - 1) / passBlock
	passed := make([]int, blocks) // number in each block
	err := b.Parallel(ctx, blocks, func(i int) {
		block := digests[i*passBlock : min(len(digests), (i+1)*passBlock)]
		for j, d := range block {
			if filter.Contains(d) {
				block[passed[i]], block[j] = d, block[passed[i]]
				passed[i]++
			}
		}
	})
	n := 0
	for i, count := range passed {
		for j := range count {
			digests[n], digests[i*passBlock+j] = digests[i*passBlock+j], digests[n]
			n++
		}
	}
	return digests[:n], err
}

// set sets the levels of e, whose key counts must already be set.
func (e *Exact) set(filter, class *ribbon.Ribbon) {
	e.filter = *filter
	e.class = *class
	e.direct = e.params.direct()
	e.params.bytes = filter.PayloadBytes() + class.PayloadBytes()
	e.hash = e.params.Family.Hasher(e.params.bytes)
}

// checkUnused returns ErrCorrupt if an unused bit is set in either level.
func (e *Exact) checkUnused() error {
	if err := e.filter.Verify(errs); err != nil {
		return err
	}
	return e.class.Verify(errs)
}
