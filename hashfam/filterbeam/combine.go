package filterbeam

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*accumulator](), encodeAccumulator, decodeAccumulator)
	register.Combiner3[*accumulator, string, []byte](&combineFn[string]{})
	register.Combiner3[*accumulator, []byte, []byte](&combineFn[[]byte]{})
	register.Combiner3[*accumulator, hashfam.Digest, []byte](&combineFn[hashfam.Digest]{})
}

// A Key is a type of elements that [Combine] takes.
type Key interface {
	string | []byte | hashfam.Digest
}

// Combine returns a function for beam.Combine and beam.CombinePerKey: it
// combines keys of type K to the frame of the plan's structure. Use it to build
// many small filters, one for each key of a collection of pairs, or one for
// each window of a stream. An accumulator holds digests until the structure is
// smaller. For one large filter [Build] costs much less: the SDK calls
// Combine's function for every key, and one task merges all accumulators.
//
// It returns [ErrParams] for the zero Plan and for one in parts, if the
// structure takes more than 8 MiB, or if it is not built of frames: a cuckoo
// filter, a static filter, or a top k. The size of heavy hitters is their
// MemoryBytes; if that is 0, their size is not known in advance and Combine
// does not check it. O(1) time.
func Combine[K Key](p Plan) (any, error) {
	if _, err := p.spec.family(); err != nil {
		return nil, err
	}
	if err := p.spec.single(); err != nil {
		return nil, err
	}
	switch p.spec.Kind {
	case cuckooKind, staticKind, topkKind:
		return nil, errs.Field(ErrParams, "Plan", p.spec.Kind, "bloom, counting, sketch or heavy")
	}
	size := p.spec.Bytes
	if p.spec.Kind == heavyKind {
		c, err := params[countmin.HeavyConfig](p.spec)
		if err != nil {
			return nil, err
		}
		size = uint64(c.MemoryBytes)
	}
	if size > frameLimit {
		return nil, errs.Field(ErrParams, "size of the structure", size, fmt.Sprintf("at most %d bytes", frameLimit))
	}
	return &combineFn[K]{Spec: p.spec}, nil
}

// An accumulator holds the keys that it got as digests, or as the keys
// themselves if the structure stores keys, until they take half the size of the
// structure. Then it holds the structure.
//
// A decoded accumulator does not know the plan, so it keeps the bytes of the
// structure until the combineFn decodes them.
//
// An engine may keep accumulators in memory, as elements of a collection, and
// give them to a function twice. So a function changes only what it has made.
type accumulator struct {
	pending   []byte    // digests of eight bytes, or lengths and keys
	encoded   []byte    // a frame
	structure structure // nil, or the structure of all earlier keys
}

// frame returns the frame of the keys that are not pending, or nothing if there
// are none.
func (a *accumulator) frame() ([]byte, error) {
	if a.structure == nil {
		return a.encoded, nil
	}
	return a.structure.frame()
}

// clone returns a copy of a, to change.
func (a *accumulator) clone() (*accumulator, error) {
	frame, err := a.frame()
	return &accumulator{pending: slices.Clone(a.pending), encoded: frame}, err
}

// The two parts of an encoded accumulator: the length of the first, the pending
// keys, a frame.
func encodeAccumulator(a *accumulator) ([]byte, error) {
	frame, err := a.frame()
	if err != nil {
		return nil, err
	}
	return append(appendKey(nil, a.pending), frame...), nil
}

func decodeAccumulator(encoded []byte) (*accumulator, error) {
	pending, rest, err := cutKey(slices.Clone(encoded))
	return &accumulator{pending: pending, encoded: rest}, err
}

// A combineFn combines keys to a frame.
type combineFn[K Key] struct {
	Spec spec

	family hashfam.Family
	merger *accumulator // what MergeAccumulators has returned last
}

// Setup opens the family once for each worker.
func (c *combineFn[K]) Setup() error {
	var err error
	c.family, err = c.Spec.family()
	return err
}

// CreateAccumulator returns an accumulator without keys.
func (c *combineFn[K]) CreateAccumulator() *accumulator { return &accumulator{} }

// AddInput adds a key.
func (c *combineFn[K]) AddInput(a *accumulator, key K) (*accumulator, error) {
	var err error
	if a.pending, err = c.appendPending(a.pending, key); err != nil {
		return nil, err
	}
	if c.full(a) {
		err = c.settle(a)
	}
	return a, err
}

// full reports whether the pending keys take more than half of the structure.
func (c *combineFn[K]) full(a *accumulator) bool {
	return uint64(len(a.pending)) > max(c.Spec.Bytes/2, 1<<12)
}

// MergeAccumulators returns a merger of a and b, which stay as they are: the
// first of several to merge is an element of the engine. The next ones are
// added to the merger.
func (c *combineFn[K]) MergeAccumulators(a, b *accumulator) (*accumulator, error) {
	var err error
	if a != c.merger {
		if a, err = a.clone(); err != nil {
			return nil, err
		}
		c.merger = a
	}
	a.pending = append(a.pending, b.pending...)
	frame, err := b.frame()
	if err != nil || len(frame) == 0 && !c.full(a) {
		return a, err
	}
	if err = c.settle(a); err == nil && len(frame) > 0 {
		err = a.structure.merge(frame)
	}
	return a, err
}

// ExtractOutput returns the frame of all keys.
func (c *combineFn[K]) ExtractOutput(a *accumulator) ([]byte, error) {
	a, err := a.clone()
	if err == nil {
		err = c.settle(a)
	}
	if err != nil {
		return nil, err
	}
	return a.structure.frame()
}

// settle moves all keys of a into its structure.
func (c *combineFn[K]) settle(a *accumulator) error {
	var err error
	if a.structure == nil {
		if a.structure, err = c.Spec.open(); err != nil {
			return err
		}
	}
	if len(a.encoded) > 0 {
		if err := a.structure.merge(a.encoded); err != nil {
			return err
		}
		a.encoded = nil
	}
	err = c.addPending(a)
	a.pending = a.pending[:0]
	return err
}

// storesKeys reports whether pending keys are kept as they are.
func (c *combineFn[K]) storesKeys() bool { return c.Spec.Kind == heavyKind }

// appendPending appends a key in its pending form.
func (c *combineFn[K]) appendPending(pending []byte, key K) ([]byte, error) {
	var d hashfam.Digest
	switch key := any(key).(type) {
	case string:
		if c.storesKeys() {
			return appendKey(pending, key), nil
		}
		d = c.family.SumString(key)
	case []byte:
		if c.storesKeys() {
			return appendKey(pending, key), nil
		}
		d = c.family.Sum(key)
	case hashfam.Digest:
		if c.storesKeys() {
			return pending, needKeys()
		}
		d = key
	}
	return binary.LittleEndian.AppendUint64(pending, uint64(d)), nil
}

// addPending adds the pending keys to the structure.
func (c *combineFn[K]) addPending(a *accumulator) error {
	if !c.storesKeys() {
		return a.structure.add(parseWords[hashfam.Digest](nil, a.pending), nil)
	}
	var keys [][]byte
	for pending := a.pending; len(pending) > 0; {
		key, rest, err := cutKey(pending)
		if err != nil {
			return err
		}
		keys, pending = append(keys, key), rest
	}
	return a.structure.add(c.family.SumAll(nil, keys), keys)
}
