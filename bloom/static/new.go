package static

import (
	"context"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
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
	b := c.build(2 * uint64(len(digests)))
	list, err := ribbon.Sort(ctx, b, digests)
	if err != nil {
		return nil, buildError(err, 0)
	}
	b.Report(len(digests) - len(list)) // the copies need not be placed
	columns, err := c.columns(uint64(len(list)))
	if err != nil {
		return nil, err
	}
	r, err := ribbon.Members(ctx, b, columns, list)
	if err != nil {
		return nil, buildError(err, 0)
	}
	return &Filter{newReader(c.Family, *r)}, nil
}

// NewFromSorted returns a filter of n distinct digests that arrive in ascending
// order of d.Probe(), the first value of their probe sequence. So they need not
// be in memory together: they can come from files that an external sort has
// written. Besides the filter it allocates 0.5 bytes for each digest, and 1.5
// MB. One worker places the digests as they come; the others only help with the
// 2 % that go to further layers. O(n) time. The filter is the one that [New]
// returns.
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
	columns, err := c.columns(n)
	if err != nil {
		return nil, err
	}
	r, err := ribbon.Stream(ctx, c.build(n), columns, n, digests)
	if err != nil {
		return nil, buildError(err, n)
	}
	return &Filter{newReader(c.Family, *r)}, nil
}
