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
	// These are called once for a task or for a piece of a file, so that calls
	// by reflection are fast enough. Generic functions would take a minute to
	// compile.
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
