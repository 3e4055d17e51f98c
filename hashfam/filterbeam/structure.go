package filterbeam

import (
	"encoding"
	"io"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// A structure is a mutable filter or counter of any type.
type structure interface {
	add(digests []hashfam.Digest, keys [][]byte) error // keys is nil if only the digests are known
	merge(frame []byte) error
	frame() ([]byte, error)
	io.WriterTo // writes the frame
	describe(*Summary)
}

// empty returns an empty structure for the plan.
func (s spec) empty() (structure, error) {
	switch s.Kind {
	case bloomKind:
		return adapt(s, bloom.NewFromParams, bloom.NewReceiver)
	case countingKind:
		return adapt(s, counting.NewFromParams, counting.NewReceiver)
	case sketchKind:
		return adapt(s, countmin.NewFromParams, countmin.NewReceiver)
	case heavyKind, topkKind:
		return adapt(s, countmin.NewHeavyHitters, countmin.NewHeavyReceiver)
	}
	return nil, errs.Field(hashfam.ErrParams, "kind of a plan", s.Kind, "a kind that is built of frames")
}

// adapt returns the empty structure that create returns for the plan's
// parameters.
func adapt[P any, T codable[T]](s spec, create func(P) (T, error), receiver func(hashfam.Family) T) (structure, error) {
	p, err := params[P](s)
	if err != nil {
		return nil, err
	}
	value, err := create(p)
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
	keeper, ok := any(a.value).(interface {
		AddAll([]hashfam.Digest, [][]byte) error
	})
	switch {
	case !ok:
		any(a.value).(interface{ AddAll([]hashfam.Digest) }).AddAll(digests)
		return nil
	case keys == nil:
		return needKeys()
	}
	return keeper.AddAll(digests, keys)
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
