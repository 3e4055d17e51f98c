package filterbeam

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/filterfam/filterfam/hashfam"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*accumulator](), encodeAccumulator, decodeAccumulator)
	register.Combiner3[*accumulator, string, []byte](&combineFn[string]{})
	register.Combiner3[*accumulator, []byte, []byte](&combineFn[[]byte]{})
	register.Combiner3[*accumulator, hashfam.Digest, []byte](&combineFn[hashfam.Digest]{})
}

// A Key is a type of element that [Combine] can combine.
type Key interface {
	string | []byte | hashfam.Digest
}

// Combine returns a function for beam.Combine and beam.CombinePerKey, which
// combines keys of type K into the frame of the plan's structure. Use it to
// build many small filters, for example one for each key in a collection of
// pairs, or one for each of a stream's windows. For one large filter, [Build]
// is much cheaper, because the SDK calls Combine's function for every key and
// merges all accumulators in one task. An accumulator with few keys contains
// the digests of these keys, or for heavy hitters the keys themselves, because
// this is smaller than a structure.
//
// Combine returns [hashfam.ErrParams] if p is the zero Plan or has parts, if it
// is a plan for a cuckoo filter, a static filter or a top k, or if the
// structure needs more than 8 MiB. The size of heavy hitters is their
// MemoryBytes, but if this is 0, the size is not known in advance, so Combine
// does not check it. Heavy hitters store keys, so a job that combines them from
// digests fails.
func Combine[K Key](p Plan) (any, error) {
	if _, err := p.spec.family(); err != nil {
		return nil, err
	}
	if p.spec.Parts > 0 {
		return nil, errs.Field(hashfam.ErrParams, "parts", p.spec.Parts, "0: only Files and Build make parts")
	}
	switch p.spec.Kind {
	case cuckooKind, staticKind, topkKind:
		return nil, errs.Field(hashfam.ErrParams, "Plan", p.spec.Kind, "bloom, counting, sketch or heavy")
	}
	if p.spec.Bytes > frameLimit {
		return nil, errs.Field(hashfam.ErrParams, "size of the structure", p.spec.Bytes, fmt.Sprintf("at most %d bytes", frameLimit))
	}
	return &combineFn[K]{Spec: p.spec}, nil
}

// An accumulator consists of the structure's frame and of pending keys. When
// the pending keys need more than half of the structure's size, and more than 4
// KiB, they are added to the structure.
//
// An engine may hold accumulators in memory as elements of a collection, and
// pass the same one to a function twice. So a combineFn only changes
// accumulators that it has created, and it never changes a frame.
type accumulator struct {
	pending []byte // digests of eight bytes, or lengths and keys if the structure stores keys
	frame   []byte // empty if all keys are pending
}

// An encoded accumulator consists of the length of the pending keys, these
// keys, and the frame.
func encodeAccumulator(a *accumulator) []byte { return append(appendKey(nil, a.pending), a.frame...) }

func decodeAccumulator(encoded []byte) (*accumulator, error) {
	pending, frame, err := cutKey(slices.Clone(encoded))
	return &accumulator{pending, frame}, err
}

// A combineFn combines keys into a frame.
type combineFn[K Key] struct {
	Spec spec

	family hashfam.Family
	merger *accumulator // the previous result of MergeAccumulators
}

// Setup opens the family, once for each worker.
func (c *combineFn[K]) Setup() error {
	var err error
	c.family, err = c.Spec.family()
	return err
}

// CreateAccumulator returns an accumulator without keys.
func (c *combineFn[K]) CreateAccumulator() *accumulator { return &accumulator{} }

// AddInput adds a key.
func (c *combineFn[K]) AddInput(a *accumulator, key K) (*accumulator, error) {
	pending, err := c.appendPending(a.pending, key)
	if err != nil {
		return nil, err
	}
	a.pending = pending
	if c.full(a) {
		err = c.settle(a, nil)
	}
	return a, err
}

// full reports whether the pending keys need so much memory that they should be
// added to the structure.
func (c *combineFn[K]) full(a *accumulator) bool {
	return uint64(len(a.pending)) > max(c.Spec.Bytes/2, uint64(len(a.frame)/2), 1<<12)
}

// MergeAccumulators returns an accumulator with the keys in a and b. It changes
// and returns a if a is the result of the previous call. Otherwise it copies a,
// which the engine may still hold.
func (c *combineFn[K]) MergeAccumulators(a, b *accumulator) (*accumulator, error) {
	if a != c.merger {
		a = a.clone()
		c.merger = a
	}
	a.pending = append(a.pending, b.pending...)
	if len(b.frame) == 0 && !c.full(a) {
		return a, nil
	}
	return a, c.settle(a, b.frame)
}

// clone returns a deep copy.
func (a *accumulator) clone() *accumulator {
	return &accumulator{slices.Clone(a.pending), a.frame}
}

// ExtractOutput returns the frame of all keys.
func (c *combineFn[K]) ExtractOutput(a *accumulator) ([]byte, error) {
	a = a.clone()
	err := c.settle(a, nil)
	return a.frame, err
}

// settle adds the pending keys in a, and the keys in another frame if that is
// not empty, to the structure in a.
func (c *combineFn[K]) settle(a *accumulator, other []byte) error {
	made, err := c.Spec.empty()
	if err != nil {
		return err
	}
	for _, frame := range [][]byte{a.frame, other} {
		if len(frame) == 0 {
			continue
		}
		if err := made.merge(frame); err != nil {
			return err
		}
	}
	if len(a.pending) > 0 {
		if err := c.addPending(made, a.pending); err != nil {
			return err
		}
	}
	a.pending = a.pending[:0]
	a.frame, err = made.frame()
	return err
}

// storesKeys reports whether the structure stores keys.
func (c *combineFn[K]) storesKeys() bool { return c.Spec.Kind == heavyKind }

// appendPending appends a key in its pending form.
func (c *combineFn[K]) appendPending(pending []byte, key K) ([]byte, error) {
	if !c.storesKeys() {
		return binary.LittleEndian.AppendUint64(pending, uint64(c.digest(key))), nil
	}
	switch key := any(key).(type) {
	case string:
		return appendKey(pending, key), nil
	case []byte:
		return appendKey(pending, key), nil
	}
	return nil, needKeys()
}

// digest returns the digest of a key, which can be a digest already.
func (c *combineFn[K]) digest(key K) hashfam.Digest {
	switch key := any(key).(type) {
	case string:
		return c.family.SumString(key)
	case []byte:
		return c.family.Sum(key)
	}
	return any(key).(hashfam.Digest)
}

// addPending adds pending keys to a structure.
func (c *combineFn[K]) addPending(to structure, pending []byte) error {
	if !c.storesKeys() {
		return to.add(parseWords[hashfam.Digest](nil, pending), nil)
	}
	var keys [][]byte
	for len(pending) > 0 {
		key, rest, err := cutKey(pending)
		if err != nil {
			return err
		}
		keys = append(keys, key)
		pending = rest
	}
	return to.add(c.family.SumAll(nil, keys), keys)
}
