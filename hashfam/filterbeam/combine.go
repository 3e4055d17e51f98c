package filterbeam

import (
	"encoding/binary"
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
	encoded := binary.AppendUvarint(nil, uint64(len(a.pending)))
	encoded = append(encoded, a.pending...)
	return append(encoded, frame...), nil
}

func decodeAccumulator(encoded []byte) (*accumulator, error) {
	n, start := binary.Uvarint(encoded)
	if start <= 0 || n > uint64(len(encoded)-start) {
		return nil, errs.Field(ErrCorrupt, "length of an accumulator", n, "one that its encoding contains")
	}
	rest := append([]byte(nil), encoded[start:]...)
	return &accumulator{pending: rest[:n:n], encoded: rest[n:]}, nil
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
	if a.pending, err = c.appendKey(a.pending, key); err != nil {
		return nil, err
	}
	if uint64(len(a.pending)) > max(c.Spec.Bytes/2, 1<<12) {
		err = c.settle(a)
	}
	return a, err
}

// MergeAccumulators returns a merger of a and b, which stay as they are: the
// first of several to merge is an element of the engine. The next ones are
// added to the merger.
func (c *combineFn[K]) MergeAccumulators(a, b *accumulator) (*accumulator, error) {
	if a != c.merger {
		var err error
		if a, err = a.clone(); err != nil {
			return nil, err
		}
		c.merger = a
	}
	a.pending = append(a.pending, b.pending...)
	if len(b.encoded) == 0 && b.structure == nil && uint64(len(a.pending)) <= max(c.Spec.Bytes/2, 1<<12) {
		return a, nil
	}
	if err := c.settle(a); err != nil {
		return nil, err
	}
	frame, err := b.frame()
	if err == nil && len(frame) > 0 {
		err = a.structure.merge(frame)
	}
	return a, err
}

// ExtractOutput returns the frame of all keys.
func (c *combineFn[K]) ExtractOutput(a *accumulator) ([]byte, error) {
	a, err := a.clone()
	if err != nil {
		return nil, err
	}
	if err := c.settle(a); err != nil {
		return nil, err
	}
	return a.structure.frame()
}

// settle moves all keys of a into its structure.
func (c *combineFn[K]) settle(a *accumulator) error {
	if a.structure == nil {
		s, err := c.Spec.open()
		if err != nil {
			return err
		}
		a.structure = s
	}
	if len(a.encoded) > 0 {
		if err := a.structure.merge(a.encoded); err != nil {
			return err
		}
		a.encoded = nil
	}
	err := c.addPending(a)
	a.pending = a.pending[:0]
	return err
}

// storesKeys reports whether pending keys are kept as they are.
func (c *combineFn[K]) storesKeys() bool { return c.Spec.Kind == heavyKind }

// appendKey appends a key in its pending form.
func (c *combineFn[K]) appendKey(pending []byte, key K) ([]byte, error) {
	if c.storesKeys() {
		return appendWhole(pending, key)
	}
	var d hashfam.Digest
	switch key := any(key).(type) {
	case string:
		d = c.family.SumString(key)
	case []byte:
		d = c.family.Sum(key)
	case hashfam.Digest:
		d = key
	}
	return binary.LittleEndian.AppendUint64(pending, uint64(d)), nil
}

// appendWhole appends the length of a key and the key.
func appendWhole(pending []byte, key any) ([]byte, error) {
	switch key := key.(type) {
	case string:
		return append(binary.AppendUvarint(pending, uint64(len(key))), key...), nil
	case []byte:
		return append(binary.AppendUvarint(pending, uint64(len(key))), key...), nil
	}
	return pending, needKeys()
}

// addPending adds the pending keys to the structure.
func (c *combineFn[K]) addPending(a *accumulator) error {
	pending := a.pending
	if !c.storesKeys() {
		digests := make([]hashfam.Digest, 0, len(pending)/8)
		for ; len(pending) >= 8; pending = pending[8:] {
			digests = append(digests, hashfam.Digest(binary.LittleEndian.Uint64(pending)))
		}
		return a.structure.add(digests, nil)
	}
	var keys [][]byte
	for len(pending) > 0 {
		n, start := binary.Uvarint(pending)
		if start <= 0 || n > uint64(len(pending)-start) {
			return errs.Field(ErrCorrupt, "length of a key", n, "one that the accumulator contains")
		}
		end := start + int(n)
		keys = append(keys, pending[start:end:end])
		pending = pending[end:]
	}
	return a.structure.add(c.family.SumAll(nil, keys), keys)
}
