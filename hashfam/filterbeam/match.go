package filterbeam

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterType(reflect.TypeFor[matchFn]())
	beam.RegisterType(reflect.TypeFor[onceFn]())
	register.Emitter2[string, int64]()
	register.Iter1[int64]()
}

// atLeastOne returns the patterns, or the empty one if there are none. That
// matches no file, so that a build without a pattern fails like one whose
// pattern is wrong. A job has no other way to fail: it does nothing for a
// collection without elements.
func atLeastOne(patterns []string) []string {
	if len(patterns) == 0 {
		return []string{""}
	}
	return patterns
}

// A matchFn lists the files that match a pattern, with their sizes. A pattern
// that matches none is an error: the usual cause is a mistake in it.
type matchFn struct{}

func (matchFn) ProcessElement(ctx context.Context, pattern string, emit func(string, int64)) error {
	if pattern == "" {
		return errs.Field(ErrParams, "pattern", `""`, "at least one that matches a file")
	}
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errs.Field(ErrParams, "pattern", pattern, "one that matches a file")
	}
	for _, name := range names {
		size, err := fs.Size(ctx, name)
		if err != nil {
			return err
		}
		emit(name, size)
	}
	return nil
}

// A onceFn drops the second and later mentions of a file, which several
// patterns may match. It tallies what is to be read.
type onceFn struct{}

func (onceFn) ProcessElement(name string, sizes func(*int64) bool, file func(string, int64), tell func(int, []byte)) {
	var size int64
	sizes(&size)
	file(name, size)
	listed := totals{Listed: 1}
	if !compressed(name) {
		listed.Size = uint64(size)
	}
	tell(tallyOwner, tally{totals: listed}.append(nil))
}
