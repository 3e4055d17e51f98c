package filterbeam

import (
	"encoding"
	"io"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// A structure is one that a task builds. The structures of all plans have this
// form, whatever their types.
type structure interface {
	add(digests []hashfam.Digest, keys [][]byte) error // keys is nil if they are not known
	merge(frame []byte) error
	frame() ([]byte, error)
	io.WriterTo // of the frame
	describe(*Summary)
}

// open returns the empty structure of the plan.
func (s spec) open() (structure, error) {
	switch s.Kind {
	case bloomKind:
		return opened(s, familyOfBloom, bloom.NewFromParams, bloom.NewReceiver)
	case countingKind:
		return opened(s, familyOfCounting, counting.NewFromParams, counting.NewReceiver)
	case sketchKind:
		return opened(s, familyOfSketch, countmin.NewFromParams, countmin.NewReceiver)
	case heavyKind:
		return opened(s, familyOfHeavy, countmin.NewHeavyHitters, countmin.NewHeavyReceiver)
	case topkKind:
		return opened(s, familyOfTopK, countmin.NewTopK, countmin.NewTopKReceiver)
	}
	return nil, errs.Field(ErrParams, "kind of a plan", s.Kind, "a kind that is built of frames")
}

// The places of the families in the parameters of structures.
func familyOfBloom(p *bloom.Params) *hashfam.Family         { return &p.Family }
func familyOfCounting(p *counting.Params) *hashfam.Family   { return &p.Family }
func familyOfSketch(p *countmin.Params) *hashfam.Family     { return &p.Family }
func familyOfHeavy(c *countmin.HeavyConfig) *hashfam.Family { return &c.Family }
func familyOfTopK(c *countmin.TopKConfig) *hashfam.Family   { return &c.Family }

// params decodes the parameters of a plan and enters the family in them.
func params[P any](s spec, family func(*P) *hashfam.Family) (P, error) {
	var p P
	fam, err := s.family()
	if err == nil {
		err = s.decode(&p)
	}
	*family(&p) = fam
	return p, err
}

// opened returns the empty structure that make makes of the plan's parameters.
func opened[P any, T codable[T]](s spec, family func(*P) *hashfam.Family, make func(P) (T, error), receiver func(hashfam.Family) T) (structure, error) {
	p, err := params(s, family)
	if err != nil {
		return nil, err
	}
	value, err := make(p)
	return adapter[T]{value, func() T { return receiver(*family(&p)) }}, err
}

// A codable is a pointer to a structure.
type codable[T any] interface {
	Merge(...T) error
	io.WriterTo
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// An adapter gives a structure of type T the form of all of them.
type adapter[T codable[T]] struct {
	value    T
	receiver func() T // returns a structure to decode into
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

// needKeys is the error of a structure that stores keys, given only digests.
func needKeys() error {
	return errs.Field(ErrParams, "element type", "hashfam.Digest", "string or []byte: the structure stores keys")
}

func (a adapter[T]) merge(frame []byte) error {
	other := a.receiver()
	if err := other.UnmarshalBinary(frame); err != nil {
		return err
	}
	return a.value.Merge(other)
}

// describe sets what the summary tells of the structure.
func (a adapter[T]) describe(sum *Summary) {
	switch made := any(a.value).(type) {
	case interface{ FalsePositiveRate() float64 }:
		sum.FPRate = made.FalsePositiveRate()
	case interface{ Complete() bool }:
		sum.Complete = made.Complete()
	}
}
