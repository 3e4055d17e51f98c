package static

import (
	"context"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// New returns a filter of keys, in any order. Copies of a key count once. New
// does not keep any key. It takes 8 bytes of memory for each key and 1.5 MB for
// each worker, besides the filter. O(n) time: about 0.1 microseconds per key
// and worker.
//
// It returns [ErrParams], naming the field, if c is invalid for that number of
// keys, and also if the digests need more than 32 layers, which takes keys that
// were chosen for that.
func New(c Config, keys [][]byte) (*Filter, error) {
	return NewContext(context.Background(), c, keys)
}

// NewContext is like [New]. It returns the error of ctx if that ends first.
func NewContext(ctx context.Context, c Config, keys [][]byte) (*Filter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n := uint64(len(keys))
	b := c.build(3 * n)
	digests, err := hash(ctx, b, c.Family, keys)
	if err != nil {
		return nil, buildError(err, n)
	}
	f, _, err := c.fromDigests(ctx, b, digests)
	return f, err
}

// hashBlock is the number of keys that a worker hashes at a time.
const hashBlock = 1 << 14

// hash returns the digests of the keys.
func hash(ctx context.Context, b ribbon.Build, fam hashfam.Family, keys [][]byte) ([]hashfam.Digest, error) {
	digests := make([]hashfam.Digest, len(keys))
	err := b.Parallel(ctx, (len(keys)+hashBlock-1)/hashBlock, func(next func() (int, bool)) {
		for i, ok := next(); ok; i, ok = next() {
			from, to := i*hashBlock, min(len(keys), (i+1)*hashBlock)
			fam.SumAll(digests[from:from:to], keys[from:to])
			b.Report(to - from)
		}
	})
	return digests, err
}

// NewFromDigests is [New] for keys already hashed by c.Family. It overwrites
// digests: afterward they are in another order, and copies are zero.
func NewFromDigests(c Config, digests []hashfam.Digest) (*Filter, error) {
	return NewFromDigestsContext(context.Background(), c, digests)
}

// NewFromDigestsContext is like [NewFromDigests]. It returns the error of ctx
// if that ends first.
func NewFromDigestsContext(ctx context.Context, c Config, digests []hashfam.Digest) (*Filter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	f, _, err := c.fromDigests(ctx, c.build(2*uint64(len(digests))), digests)
	return f, err
}

// fromDigests returns a filter of the digests, and the digests sorted and
// without copies. c is valid.
func (c Config) fromDigests(ctx context.Context, b ribbon.Build, digests []hashfam.Digest) (*Filter, []hashfam.Digest, error) {
	list, err := ribbon.Sort(ctx, b, digests)
	if err != nil {
		return nil, digests, buildError(err, uint64(len(digests)))
	}
	b.Report(len(digests) - len(list)) // the copies need not be placed
	n := uint64(len(list))
	columns, err := c.columns(n)
	if err != nil {
		return nil, list, err
	}
	r, err := ribbon.Members(ctx, b, columns, list)
	if err != nil {
		return nil, list, buildError(err, n)
	}
	return &Filter{c.Family, *r}, list, nil
}

// NewFromSorted returns a filter of n distinct digests that arrive in ascending
// order of d.Probe(), the first value of their probe sequence. So they need not
// be in memory together: they can come from files that an external sort has
// written. Besides the filter it allocates 0.5 bytes for each key, and 1.5 MB.
// One worker places the digests as they come; the others only help with the 2 %
// that go to further layers. O(n) time. The filter is the one that [New]
// returns.
//
// It returns [ErrParams] if c is invalid for n keys, if the digests are out of
// order, or if n is not their number. A digest that is repeated counts once.
//
// NewFromSorted allocates the filter before the first digest arrives. The
// program ends if the machine does not have that much memory. If n comes from
// an untrusted source, check [Config.SizeBytes] first.
func NewFromSorted(c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Filter, error) {
	return NewFromSortedContext(context.Background(), c, n, digests)
}

// NewFromSortedContext is like [NewFromSorted]. It returns the error of ctx if
// that ends first.
func NewFromSortedContext(ctx context.Context, c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Filter, error) {
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
	return &Filter{c.Family, *r}, nil
}

// NewReceiver returns an empty filter to decode into. It accepts encodings made
// under fam, as a zero Filter accepts those made under the public family. Until
// then it behaves like a zero Filter. O(1) time.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{family: fam} }
