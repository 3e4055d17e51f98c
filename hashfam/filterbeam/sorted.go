package filterbeam

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// A digestSource passes digests to add in ascending order, some at a time. It
// stops at the first error, and returns it.
type digestSource func(add func([]hashfam.Digest) error) error

// buildSorted returns the structure of n different digests.
func (s spec) buildSorted(ctx context.Context, n uint64, sum *Summary, digests digestSource) (io.WriterTo, error) {
	sum.Distinct = n
	if s.Kind == staticKind {
		return s.buildStatic(ctx, n, sum, digests)
	}
	return s.buildCuckoo(n, sum, digests)
}

// writeSorted writes the structure of n different digests.
func (s spec) writeSorted(ctx context.Context, out string, n uint64, sum *Summary, digests digestSource) error {
	f, err := s.buildSorted(ctx, n, sum, digests)
	if err != nil {
		return err
	}
	return writeFrame(ctx, out, f, sum)
}

func (s spec) buildCuckoo(n uint64, sum *Summary, digests digestSource) (*cuckoo.Filter, error) {
	p, err := params(s, func(p *cuckoo.Params) *hashfam.Family { return &p.Family })
	if err != nil {
		return nil, err
	}
	f, err := cuckoo.NewFromParams(p)
	if err != nil {
		return nil, err
	}
	err = digests(func(some []hashfam.Digest) error {
		_, err := f.AddAll(some)
		return err
	})
	if errors.Is(err, ErrFull) { // of copies, too: the keys differ, but not enough
		err = fmt.Errorf("filterbeam: %w after %d of %d different keys: raise its Capacity", ErrFull, f.Len(), n)
	}
	sum.FPRate = f.FalsePositiveRate()
	return f, err
}

func (s spec) buildStatic(ctx context.Context, n uint64, sum *Summary, digests digestSource) (*static.Filter, error) {
	var p staticParams
	fam, err := s.family()
	if err == nil {
		err = s.decode(&p)
	}
	if err != nil {
		return nil, err
	}
	var failed error
	sequence := func(yield func(hashfam.Digest) bool) {
		failed = digests(func(some []hashfam.Digest) error {
			for _, d := range some {
				if !yield(d) {
					return errStopped
				}
			}
			return nil
		})
	}
	f, err := static.NewFromSorted(ctx, static.Config{FPRate: p.FPRate, Workers: p.Workers, Family: fam}, n, sequence)
	if failed != nil && failed != errStopped {
		return nil, failed
	}
	if err == nil {
		sum.FPRate = f.FalsePositiveRate()
	}
	return f, err
}

// errStopped stops a digestSource. The builder that stopped it has the cause.
var errStopped = errors.New("no more digests are needed")
