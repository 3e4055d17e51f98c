package filterbeam

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/filterfam/filterfam/hashfam"
)

func init() {
	register.DoFn3x1[context.Context, string, func(int, []byte), error](&keyFn[string]{})
	register.DoFn3x1[context.Context, []byte, func(int, []byte), error](&keyFn[[]byte]{})
	register.DoFn3x1[context.Context, hashfam.Digest, func(int, []byte), error](&digestFn{})
	beam.RegisterType(reflect.TypeFor[hashfam.Digest]())
}

// Build builds the structure of the plan from a collection of keys, which are
// string, []byte or hashfam.Digest, and writes its frame to the file out. Heavy
// hitters and a top k store keys, so they take no digests. An element of an
// engine costs several times what a line of a file costs in [Files].
//
// The result has one element, a [Summary]. The job fails if the elements have
// another type. Build is for bounded collections: it ignores their windows. It
// treats out as Files does, and the program must import the file system of out.
// O(keys) time, spread over the workers.
func Build(s beam.Scope, p Plan, out string, keys beam.PCollection) beam.PCollection {
	s = s.Scope("filterbeam.Build")
	if !reflect.DeepEqual(keys.WindowingStrategy(), window.DefaultWindowingStrategy()) {
		keys = beam.WindowInto(s, window.NewGlobalWindows(), keys) // takes time for each key
	}
	b := bundle{Spec: p.spec}
	var collect any
	switch keys.Type().Type() {
	case reflect.TypeFor[string]():
		collect = &keyFn[string]{elements{bundle: b}}
	case reflect.TypeFor[hashfam.Digest]():
		collect = &digestFn{elements{bundle: b}}
	default: // the engine reports any type but []byte
		collect = &keyFn[[]byte]{elements{bundle: b}}
	}
	return join(s, p, out, 0, beam.ParDo(s, collect, keys))
}

// The elements of a bundle are collected a batch at a time.
type elements struct {
	bundle
	arena []byte   // the bytes of the keys of the batch
	keys  [][]byte // none if the elements are digests
}

// The limits of a batch.
const (
	batchKeys  = 512
	batchBytes = blockBytes
)

// StartBundle drops what a bundle that failed may have left.
func (e *elements) StartBundle(emit func(int, []byte)) {
	e.bundle.StartBundle(emit)
	e.arena, e.keys, e.digests = e.arena[:0], e.keys[:0], e.digests[:0]
}

// FinishBundle collects the last batch and sends what is left.
func (e *elements) FinishBundle(ctx context.Context, emit func(int, []byte)) error {
	if len(e.keys)+len(e.digests) > 0 {
		if err := e.flush(ctx, emit); err != nil {
			return err
		}
	}
	return e.bundle.FinishBundle(ctx, emit)
}

// flush collects the batch.
func (e *elements) flush(ctx context.Context, emit func(int, []byte)) error {
	err := e.open(emit)
	if err == nil && e.keys != nil {
		e.tally.Totals[bytesRead] += uint64(len(e.arena))
		err = e.addKeys(ctx, e.keys)
	} else if err == nil {
		err = e.add(ctx, e.digests, nil)
	}
	e.arena, e.keys, e.digests = e.arena[:0], e.keys[:0], e.digests[:0]
	return err
}

// A keyFn collects keys that are not hashed yet.
type keyFn[K string | []byte] struct{ elements }

// ProcessElement adds a key to the batch.
func (f *keyFn[K]) ProcessElement(ctx context.Context, key K, emit func(int, []byte)) error {
	start := len(f.arena)
	f.arena = append(f.arena, key...)
	f.keys = append(f.keys, f.arena[start:len(f.arena):len(f.arena)])
	if len(f.keys) < batchKeys && len(f.arena) < batchBytes {
		return nil
	}
	return f.flush(ctx, emit)
}

// A digestFn collects digests.
type digestFn struct{ elements }

func (f *digestFn) ProcessElement(ctx context.Context, d hashfam.Digest, emit func(int, []byte)) error {
	f.digests = append(f.digests, d)
	if len(f.digests) < batchKeys {
		return nil
	}
	return f.flush(ctx, emit)
}
