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

// Build builds the structure of the plan from a collection of keys and writes
// its frame to the file out. The keys must be of type string, []byte or
// hashfam.Digest. Heavy hitters and a top k store keys, so these cannot be
// built from digests. When the keys are in files, [Files] should be used
// instead, because an element is several times as expensive as a line.
//
// The result has one element, a [Summary]. The job fails if the elements have
// another type. The collection must be bounded, and its windows are ignored.
// Build uses out like Files, and the program must import the file system of
// out.
func Build(s beam.Scope, p Plan, out string, keys beam.PCollection) beam.PCollection {
	s = s.Scope("filterbeam.Build")
	if !reflect.DeepEqual(keys.WindowingStrategy(), window.DefaultWindowingStrategy()) {
		keys = beam.WindowInto(s, window.NewGlobalWindows(), keys) // needs time for each key
	}
	e := elements{bundle: bundle{Spec: p.spec}}
	var collect any
	switch keys.Type().Type() {
	case reflect.TypeFor[string]():
		collect = &keyFn[string]{e}
	case reflect.TypeFor[hashfam.Digest]():
		collect = &digestFn{e}
	default: // the engine returns an error unless this is []byte
		collect = &keyFn[[]byte]{e}
	}
	return join(s, p, out, 0, beam.ParDo(s, collect, keys))
}

// The elements are collected in batches.
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
func (e *elements) drop() { e.arena, e.keys, e.digests = e.arena[:0], e.keys[:0], e.digests[:0] }

// FinishBundle collects the last batch and sends the values that are left.
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
	defer e.drop()
	if err := e.open(emit); err != nil {
		return err
	}
	if e.keys == nil {
		return e.add(ctx, e.digests, nil)
	}
	e.tally.Totals[bytesRead] += uint64(len(e.arena))
	return e.addKeys(ctx, e.keys)
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
