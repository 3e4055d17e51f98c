package filterbeam

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
)

// A structure is a mutable filter or counter of any type.
type structure interface {
	add(digests []hashfam.Digest, keys [][]byte) error // keys is nil if only the digests are known
	merge(frame []byte) error
	frame() ([]byte, error)
	io.WriterTo // writes the frame
	describe(*Summary)
}

// open returns an empty structure for the plan.
func (s spec) open() (structure, error) {
	switch s.Kind {
	case bloomKind:
		return opened(s, bloom.NewFromParams, bloom.NewReceiver)
	case countingKind:
		return opened(s, counting.NewFromParams, counting.NewReceiver)
	case sketchKind:
		return opened(s, countmin.NewFromParams, countmin.NewReceiver)
	case heavyKind, topkKind:
		return opened(s, countmin.NewHeavyHitters, countmin.NewHeavyReceiver)
	}
	return nil, errs.Field(hashfam.ErrParams, "kind of a plan", s.Kind, "a kind that is built of frames")
}

// opened returns the empty structure that make returns for the plan's
// parameters.
func opened[P any, T codable[T]](s spec, make func(P) (T, error), receiver func(hashfam.Family) T) (structure, error) {
	p, err := params[P](s)
	if err != nil {
		return nil, err
	}
	value, err := make(p)
	return adapter[T]{value, receiver}, err
}

// A codable is a pointer to a structure.
type codable[T any] interface {
	Family() hashfam.Family
	Merge(...T) error
	io.WriterTo
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// An adapter implements structure for type T.
type adapter[T codable[T]] struct {
	value    T
	receiver func(hashfam.Family) T // returns a structure to decode into
}

func (a adapter[T]) frame() ([]byte, error)             { return a.value.MarshalBinary() }
func (a adapter[T]) WriteTo(w io.Writer) (int64, error) { return a.value.WriteTo(w) }

func (a adapter[T]) add(digests []hashfam.Digest, keys [][]byte) error {
	switch to := any(a.value).(type) {
	case interface{ AddAll([]hashfam.Digest) }:
		to.AddAll(digests)
	case interface {
		AddAll([]hashfam.Digest, [][]byte) error
	}:
		if keys == nil {
			return needKeys()
		}
		return to.AddAll(digests, keys)
	}
	return nil
}

// needKeys returns the error for using only digests with a structure that
// stores keys.
func needKeys() error {
	return errs.Field(hashfam.ErrParams, "element type", "hashfam.Digest", "string or []byte: the structure stores keys")
}

func (a adapter[T]) merge(frame []byte) error {
	other := a.receiver(a.value.Family())
	if err := other.UnmarshalBinary(frame); err != nil {
		return err
	}
	return a.value.Merge(other)
}

func (a adapter[T]) describe(sum *Summary) {
	switch made := any(a.value).(type) {
	case interface{ FalsePositiveRate() float64 }:
		sum.FPRate = made.FalsePositiveRate()
	case interface{ Complete() bool }:
		sum.Complete = made.Complete()
	}
}

// A process builds a structure in this process's memory. It is a [collector]
// that sends nothing.
type process struct {
	spec    spec
	family  hashfam.Family
	opened  structure        // nil if the digests must be sorted first
	digests []hashfam.Digest // used if opened is nil
}

func (s spec) process() (*process, error) {
	fam, err := s.family()
	p := &process{spec: s, family: fam}
	if err == nil && s.Kind != cuckooKind && s.Kind != staticKind {
		p.opened, err = s.open()
	}
	return p, err
}

func (p *process) add(digests []hashfam.Digest, keys [][]byte) error {
	if p.opened != nil {
		return p.opened.add(digests, keys)
	}
	p.digests = append(p.digests, digests...)
	return nil
}

func (*process) flush() error { return nil }

// finish returns the structure with all keys, and describes it in sum.
func (p *process) finish(ctx context.Context, sum *Summary) (io.WriterTo, error) {
	if p.opened != nil {
		p.opened.describe(sum)
		return p.opened, nil
	}
	digests, err := sorted(ctx, p.digests)
	if err != nil {
		return nil, err
	}
	return p.spec.buildSorted(ctx, uint64(len(digests)), sum, slices.Values([][]hashfam.Digest{digests}))
}

// buildSorted returns the structure with n distinct digests, in ascending
// order, and describes it in sum.
func (s spec) buildSorted(ctx context.Context, n uint64, sum *Summary, digests iter.Seq[[]hashfam.Digest]) (io.WriterTo, error) {
	sum.Distinct = n
	var made interface {
		io.WriterTo
		FalsePositiveRate() float64
	}
	var err error
	if s.Kind == staticKind {
		made, err = s.buildStatic(ctx, n, digests)
	} else {
		made, err = s.buildCuckoo(n, digests)
	}
	if err == nil {
		sum.FPRate = made.FalsePositiveRate()
	}
	return made, err
}

func (s spec) buildCuckoo(n uint64, digests iter.Seq[[]hashfam.Digest]) (*cuckoo.Filter, error) {
	p, err := params[cuckoo.Params](s)
	if err != nil {
		return nil, err
	}
	f, err := cuckoo.NewFromParams(p)
	if err != nil {
		return nil, err
	}
	for some := range digests {
		_, err := f.AddAll(some)
		if errors.Is(err, cuckoo.ErrFull) { // or ErrCopies: the digests are distinct, but too similar
			err = cli.Full("the Capacity", n, fmt.Sprintf("a Capacity for %d keys", n*uint64(max(s.Parts, 1))))
			err = fmt.Errorf("filterbeam: %w: %w", cuckoo.ErrFull, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (s spec) buildStatic(ctx context.Context, n uint64, digests iter.Seq[[]hashfam.Digest]) (*static.Filter, error) {
	c, err := params[static.Config](s)
	if err != nil {
		return nil, err
	}
	return static.NewFromSorted(ctx, c, n, func(yield func(hashfam.Digest) bool) {
		for some := range digests {
			for _, d := range some {
				if !yield(d) {
					return
				}
			}
		}
	})
}
