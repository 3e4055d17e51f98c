package filterbeam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A builder builds a structure in memory, as a single process does. It is a
// [collector] that sends nothing.
type builder struct {
	spec      spec
	structure structure        // nil if the digests must be sorted first
	digests   []hashfam.Digest // used if structure is nil
}

func (s spec) builder() (*builder, error) {
	if s.isSorted() {
		return &builder{spec: s}, nil
	}
	empty, err := s.empty()
	return &builder{spec: s, structure: empty}, err
}

func (b *builder) add(digests []hashfam.Digest, keys [][]byte) error {
	if b.structure != nil {
		return b.structure.add(digests, keys)
	}
	b.digests = append(b.digests, digests...)
	return nil
}

func (*builder) flush() error { return nil }

// finish returns the structure with all keys, and describes it in sum.
func (b *builder) finish(ctx context.Context, sum *Summary) (io.WriterTo, error) {
	if b.structure != nil {
		b.structure.describe(sum)
		return b.structure, nil
	}
	digests, err := sorted(ctx, b.digests)
	if err != nil {
		return nil, err
	}
	return b.spec.buildSorted(ctx, uint64(len(digests)), slices.Values([][]hashfam.Digest{digests}), sum)
}

// sorted sorts digests by the first value of their probe sequences, which is
// the order that a static filter needs, and drops duplicates. It overwrites its
// argument.
func sorted(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	return ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
}

// buildSorted returns the structure with n distinct digests, which batches
// yields in the order of sorted, and describes it in sum.
func (s spec) buildSorted(ctx context.Context, n uint64, batches iter.Seq[[]hashfam.Digest], sum *Summary) (io.WriterTo, error) {
	var made interface {
		io.WriterTo
		FalsePositiveRate() float64
	}
	var err error
	if s.Kind == staticKind {
		made, err = s.buildStatic(ctx, n, batches)
	} else {
		made, err = s.buildCuckoo(n, batches)
	}
	if err != nil {
		return nil, err
	}
	sum.Distinct = n
	sum.FPRate = made.FalsePositiveRate()
	return made, nil
}

func (s spec) buildCuckoo(n uint64, batches iter.Seq[[]hashfam.Digest]) (*cuckoo.Filter, error) {
	p, err := params[cuckoo.Params](s)
	if err != nil {
		return nil, err
	}
	f, err := cuckoo.NewFromParams(p)
	if err != nil {
		return nil, err
	}
	for batch := range batches {
		_, err := f.AddAll(batch)
		if errors.Is(err, cuckoo.ErrFull) { // or ErrCopies: the digests are distinct, but too similar
			err = cli.Full(cli.Capacity, n, cli.CapacityFor(n*uint64(max(s.Parts, 1))))
			err = fmt.Errorf("filterbeam: %w: %w", cuckoo.ErrFull, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// buildStatic needs the filter's memory, and 0.5 bytes per digest.
func (s spec) buildStatic(ctx context.Context, n uint64, batches iter.Seq[[]hashfam.Digest]) (*static.Filter, error) {
	c, err := params[static.Config](s)
	if err != nil {
		return nil, err
	}
	size, err := c.EstimatedBytes(n, 0)
	if err != nil {
		return nil, err
	}
	if err := checkMemory(size + n/2); err != nil {
		return nil, err
	}
	return static.NewFromSorted(ctx, c, n, func(yield func(hashfam.Digest) bool) {
		for batch := range batches {
			for _, d := range batch {
				if !yield(d) {
					return
				}
			}
		}
	})
}
