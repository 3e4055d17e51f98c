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
	addKeys(keys [][]byte) error
	addDigests(digests []hashfam.Digest) error
	merge(frame []byte) error
	frame() ([]byte, error)
	io.WriterTo // of the frame
	describe(*Summary)
}

// open returns the empty structure of the plan.
func (s spec) open() (structure, error) {
	switch s.Kind {
	case bloomKind:
		return s.openBloom()
	case countingKind:
		return s.openCounting()
	case sketchKind:
		return s.openSketch()
	case heavyKind:
		return s.openHeavy()
	}
	return nil, errs.Field(ErrParams, "kind of a plan", s.Kind, "a kind that is built of frames")
}

// A codable is a pointer to a structure.
type codable[T any] interface {
	Merge(T) error
	io.WriterTo
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// An adapter gives a structure of type T the form of all of them.
type adapter[T codable[T]] struct {
	value    T
	receiver func() T // returns a structure to decode into
	keys     func([][]byte) error
	digests  func([]hashfam.Digest) error
	tell     func(*Summary)
}

func (a adapter[T]) addKeys(keys [][]byte) error         { return a.keys(keys) }
func (a adapter[T]) addDigests(d []hashfam.Digest) error { return a.digests(d) }
func (a adapter[T]) frame() ([]byte, error)              { return a.value.MarshalBinary() }
func (a adapter[T]) WriteTo(w io.Writer) (int64, error)  { return a.value.WriteTo(w) }
func (a adapter[T]) describe(s *Summary)                 { a.tell(s) }

func (a adapter[T]) merge(frame []byte) error {
	other := a.receiver()
	if err := other.UnmarshalBinary(frame); err != nil {
		return err
	}
	return a.value.Merge(other)
}

// unfailing returns add as a function that returns an error, which is nil.
func unfailing[K any](add func([]K)) func([]K) error {
	return func(keys []K) error {
		add(keys)
		return nil
	}
}

// needKeys is the error of a structure that stores keys, given only digests.
func needKeys([]hashfam.Digest) error {
	return errs.Field(ErrParams, "element type", "hashfam.Digest", "string or []byte: the structure stores keys")
}

// build decodes the parameters, enters the family at fam, and returns the empty
// structure that build makes of them.
func build[P, T any](s spec, params *P, fam *hashfam.Family, make func(P) (T, error)) (T, error) {
	var none T
	known, err := s.family()
	if err != nil {
		return none, err
	}
	if err := s.decode(params); err != nil {
		return none, err
	}
	*fam = known
	return make(*params)
}

func (s spec) openBloom() (structure, error) {
	var p bloom.Params
	f, err := build(s, &p, &p.Family, bloom.NewFromParams)
	return adapter[*bloom.Filter]{
		value:    f,
		receiver: func() *bloom.Filter { return bloom.NewReceiver(p.Family) },
		keys:     unfailing(f.AddAll),
		digests:  unfailing(f.AddAllDigests),
		tell:     func(s *Summary) { s.FPRate = p.RateAt(s.Keys) },
	}, err
}

func (s spec) openCounting() (structure, error) {
	var p counting.Params
	f, err := build(s, &p, &p.Family, counting.NewFromParams)
	return adapter[*counting.Filter]{
		value:    f,
		receiver: func() *counting.Filter { return counting.NewReceiver(p.Family) },
		keys:     unfailing(f.AddAll),
		digests:  unfailing(f.AddAllDigests),
		tell:     func(s *Summary) { s.FPRate = p.RateAt(s.Keys) },
	}, err
}

func (s spec) openSketch() (structure, error) {
	var p countmin.Params
	f, err := build(s, &p, &p.Family, countmin.NewFromParams)
	return adapter[*countmin.Sketch]{
		value:    f,
		receiver: func() *countmin.Sketch { return countmin.NewReceiver(p.Family) },
		keys:     unfailing(f.AddAll),
		digests:  unfailing(f.AddAllDigests),
		tell:     func(*Summary) {},
	}, err
}

func (s spec) openHeavy() (structure, error) {
	var c countmin.HeavyConfig
	h, err := build(s, &c, &c.Family, countmin.NewHeavyHitters)
	return adapter[*countmin.HeavyHitters]{
		value:    h,
		receiver: func() *countmin.HeavyHitters { return countmin.NewHeavyReceiver(c.Family) },
		keys:     unfailing(h.AddAll),
		digests:  needKeys,
		tell:     func(s *Summary) { s.Complete = h.Complete() },
	}, err
}
