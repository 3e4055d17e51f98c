package static

import (
	"context"
	"iter"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// New returns a filter of keys, given by their digests under c.Family, in any
// order. Copies of a digest count once. O(n) time: about 0.1 microseconds per
// digest and worker. Besides the filter, it takes about a byte of memory per
// digest and 1.5 MB for each worker.
//
// New does not keep digests, but sorts them in place and may replace one copy
// of a digest by a copy of another. So they are the same set afterwards, also
// after an error: you can append further digests and build again.
//
// It returns [ErrParams], naming the field, if c is invalid for that number of
// digests, and also if they need more than 32 layers, which takes keys that
// were chosen for that. It returns the error of ctx if that ends first.
func New(ctx context.Context, c Config, digests []hashfam.Digest) (*Filter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n := uint64(len(digests))
	b := c.build(n, n)
	list, err := ribbon.Sort(ctx, b, digests)
	if err != nil {
		return nil, buildError(err, 0)
	}
	return c.filter(b, uint64(len(list)), func(columns uint32) (*ribbon.Ribbon, error) {
		return ribbon.Members(ctx, b, columns, list)
	})
}

// NewFromSorted returns a filter of n distinct digests that arrive in ascending
// order of d.Probe(), the first value of their probe sequence. So they need not
// be in memory together: they can come from files that an external sort has
// written. Besides the filter it allocates 0.5 bytes for each digest, and 1.5
// MB. One worker places the digests as they come; the others only help with the
// 2 % that go to further layers. O(n) time. The filter is the one that [New]
// returns. If c has MemoryBytes and no FPRate, it reads digests twice.
//
// It returns [ErrParams] if c is invalid for n digests, if they are out of
// order, or if n is not their number; a digest that is repeated counts once. It
// returns the error of ctx if that ends first.
//
// NewFromSorted allocates the filter before the first digest arrives. The
// program ends if the machine does not have that much memory. If n comes from
// an untrusted source, check [Config.SizeBytes] first.
func NewFromSorted(ctx context.Context, c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Filter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := c.build(0, n)
	return c.filter(b, n, func(columns uint32) (*ribbon.Ribbon, error) {
		return ribbon.Stream(ctx, b, columns, n, digests)
	})
}

// filter returns the filter of n distinct digests. members builds their ribbon
// and reports to b, which has all steps at the end.
func (c Config) filter(b ribbon.Build, n uint64, members func(columns uint32) (*ribbon.Ribbon, error)) (*Filter, error) {
	columns, err := c.columns(n)
	if err != nil {
		return nil, err
	}
	var r *ribbon.Ribbon
	rate := c.FPRate
	if c.fills() {
		rate = 0.5 // for the error
		r, err = ribbon.Within(c.most(), columns, members)
	} else {
		r, err = members(columns)
	}
	if err != nil {
		return nil, buildError(err, n)
	}
	if size := r.PayloadBytes(); c.MemoryBytes > 0 && size > c.MemoryBytes {
		return nil, c.tooSmall(size, rate, sizing.RibbonRate(r.ColumnsWithin(c.MemoryBytes), n))
	}
	b.Report(math.MaxInt)
	return &Filter{newReader(c.Family, *r)}, nil
}
