package filterbeam

import (
	"context"

	"github.com/filterfam/filterfam/hashfam"
)

// A bundle collects one bundle's keys in a worker. Its exported field is sent
// to the workers as JSON.
type bundle struct {
	Spec spec

	family    hashfam.Family
	perKey    uint64
	collector collector         // nil before the bundle's first key
	emit      func(int, []byte) // of the engine's current call
	tally     tally
	digests   []hashfam.Digest // of a batch
}

// StartBundle drops the state that a failed bundle may have left.
func (b *bundle) StartBundle(func(int, []byte)) {
	b.collector = nil
	b.tally = tally{}
}

// prepare creates the collector when the bundle's first key arrives.
func (b *bundle) prepare(emit func(int, []byte)) error {
	b.emit = emit
	if b.collector != nil {
		return nil
	}
	d, err := b.Spec.design()
	if err != nil {
		return err
	}
	b.perKey = d.perKey()
	b.family, err = b.Spec.family()
	if err != nil {
		return err
	}
	b.collector, err = d.collector(b.send)
	return err
}

// send is the collector's emitter. It counts the values that it sends.
func (b *bundle) send(task int, items uint64, value []byte) {
	value = sealed(value, items)
	b.tally.send(task, value)
	b.emit(task, value)
}

// addKeys collects keys.
func (b *bundle) addKeys(ctx context.Context, keys [][]byte) error {
	b.digests = b.family.SumAll(b.digests[:0], keys)
	return b.add(ctx, b.digests, keys)
}

// add collects keys by their digests. keys may be nil.
func (b *bundle) add(ctx context.Context, digests []hashfam.Digest, keys [][]byte) error {
	n := uint64(len(digests))
	b.tally.Totals[keysRead] += n
	b.tally.Totals[itemsRead] += n * b.perKey
	progress.Inc(ctx, int64(n))
	return b.collector.add(digests, keys)
}

// FinishBundle sends the values that are left, and then the bundle's tally.
func (b *bundle) FinishBundle(_ context.Context, emit func(int, []byte)) error {
	if b.collector == nil {
		return nil
	}
	b.emit = emit
	if err := b.collector.flush(); err != nil {
		return err
	}
	b.collector = nil
	emit(tallyTask, b.tally.append(nil))
	return nil
}

// The elements are the keys of a collection. They are collected in batches.
type elements struct {
	bundle
	arena []byte   // bytes of the keys in the batch
	keys  [][]byte // none if the elements are digests
}

// The limits for a batch.
const (
	batchKeys  = 512
	batchBytes = blockBytes
)

// StartBundle drops the state that a failed bundle may have left.
func (e *elements) StartBundle(emit func(int, []byte)) {
	e.bundle.StartBundle(emit)
	e.drop()
}

// drop drops the batch.
func (e *elements) drop() {
	e.arena = e.arena[:0]
	e.keys = e.keys[:0]
	e.digests = e.digests[:0]
}

// A keyFn collects keys that have not been hashed.
type keyFn[K string | []byte] struct{ elements }

func (f *keyFn[K]) ProcessElement(ctx context.Context, key K, emit func(int, []byte)) error {
	start := len(f.arena)
	f.arena = append(f.arena, key...)
	f.keys = append(f.keys, f.arena[start:len(f.arena):len(f.arena)])
	if len(f.keys) < batchKeys && len(f.arena) < batchBytes {
		return nil
	}
	return f.addBatch(ctx, emit)
}

// A digestFn collects digests.
type digestFn struct{ elements }

func (f *digestFn) ProcessElement(ctx context.Context, d hashfam.Digest, emit func(int, []byte)) error {
	f.digests = append(f.digests, d)
	if len(f.digests) < batchKeys {
		return nil
	}
	return f.addBatch(ctx, emit)
}

// addBatch collects the batch.
func (e *elements) addBatch(ctx context.Context, emit func(int, []byte)) error {
	defer e.drop()
	if err := e.prepare(emit); err != nil {
		return err
	}
	if e.keys == nil {
		return e.add(ctx, e.digests, nil)
	}
	e.tally.Totals[bytesRead] += uint64(len(e.arena))
	return e.addKeys(ctx, e.keys)
}

// FinishBundle collects the last batch and sends the values that are left.
func (e *elements) FinishBundle(ctx context.Context, emit func(int, []byte)) error {
	if len(e.keys)+len(e.digests) > 0 {
		if err := e.addBatch(ctx, emit); err != nil {
			return err
		}
	}
	return e.bundle.FinishBundle(ctx, emit)
}
