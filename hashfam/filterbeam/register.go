package filterbeam

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/filterfam/filterfam/hashfam"
)

// Workers look up functions and types by name, so these must be registered.
func init() {
	// The engine calls these functions only once for a task or a piece of a
	// file, so calling them by reflection is fast enough. Registering them with
	// generic functions, as below, would make compiling slower.
	for _, t := range []reflect.Type{
		reflect.TypeFor[matchFn](), reflect.TypeFor[readFn](), reflect.TypeFor[expectFn](), reflect.TypeFor[gatherFn](),
		reflect.TypeFor[finishFn](), reflect.TypeFor[sweepFn](),
		reflect.TypeFor[Summary](), reflect.TypeFor[hashfam.Digest](),
	} {
		beam.RegisterType(t)
	}
	register.DoFn3x1[context.Context, string, func(int, []byte), error](&keyFn[string]{})
	register.DoFn3x1[context.Context, []byte, func(int, []byte), error](&keyFn[[]byte]{})
	register.DoFn3x1[context.Context, hashfam.Digest, func(int, []byte), error](&digestFn{})
	register.Emitter2[string, int64]()
	register.Emitter2[int, []byte]()
	register.Emitter2[int, Summary]()
	register.Emitter1[Summary]()
	register.Iter1[[]byte]()
	register.Iter1[Summary]()
}
