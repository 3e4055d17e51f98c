package filterbeam

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"

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
// that matches none is an error: the usual cause is a mistake in it. So is one
// that matches the output, or a file that a job has left.
type matchFn struct{ Out fileName }

func (f *matchFn) ProcessElement(ctx context.Context, pattern string, emit func(string, int64)) error {
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
		if err := f.check(name); err != nil {
			return err
		}
		size, err := fs.Size(ctx, name)
		if err != nil {
			return err
		}
		emit(canonical(name), size)
	}
	return nil
}

// check returns ErrParams if a file does not hold keys: if it is the output, or
// has a name that jobs give to their files.
func (f *matchFn) check(name string) error {
	switch {
	case canonical(name) == canonical(string(f.Out)):
		return errs.Field(ErrParams, "input", name, "a file that is not the output")
	case madeFor(name) != "":
		return errs.Field(ErrParams, "input", name, "a file that no job has made: this one is a part of a filter, or was left by a job that failed")
	}
	return nil
}

// canonical returns the one name of a file that has several: the cleaned
// absolute name, or that of its store.
func canonical(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	if absolute, err := filepath.Abs(name); err == nil {
		return absolute
	}
	return filepath.Clean(name)
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
