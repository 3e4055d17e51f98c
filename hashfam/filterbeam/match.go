package filterbeam

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A matchFn lists the files that match the patterns, each once, with their
// sizes. It tallies what is to be read. A pattern that matches no file is an
// error: the usual cause is a mistake in it. So is one that matches the output,
// or a file that a job has left.
type matchFn struct {
	Out      fileName
	Patterns []fileName
}

func newMatchFn(out string, patterns []string) *matchFn {
	f := &matchFn{Out: fileName(out)}
	for _, pattern := range patterns {
		f.Patterns = append(f.Patterns, fileName(pattern))
	}
	return f
}

func (f *matchFn) ProcessElement(ctx context.Context, _ []byte, file func(string, int64), tell func(int, []byte)) error {
	all, err := f.match(ctx)
	if err != nil {
		return err
	}
	listed := tally{Totals: [totals]uint64{listsMade: 1, filesListed: uint64(len(all))}}
	for name, size := range all {
		file(name, size)
		if !compressed(name) {
			listed.Totals[bytesListed] += uint64(size)
		}
	}
	tell(tallyOwner, listed.append(nil))
	return nil
}

// match returns the sizes of all files that match, by their canonical names.
func (f *matchFn) match(ctx context.Context) (map[string]int64, error) {
	all := map[string]int64{}
	for _, pattern := range f.Patterns {
		if err := f.list(ctx, string(pattern), all); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errs.Field(ErrParams, "patterns", "none", "at least one that matches a file")
	}
	return all, nil
}

// list adds the files that match a pattern.
func (f *matchFn) list(ctx context.Context, pattern string, all map[string]int64) error {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	if err == nil && len(names) == 0 {
		err = errs.Field(ErrParams, "pattern", fmt.Sprintf("%q", pattern), "one that matches a file")
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := f.check(name); err != nil {
			return err
		}
		if all[canonical(name)], err = fs.Size(ctx, name); err != nil {
			return err
		}
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
