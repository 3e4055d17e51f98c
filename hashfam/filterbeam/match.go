package filterbeam

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam"
)

// A matchFn lists the files that match the patterns, each once and with its
// size, and tallies what must be read. It returns an error for a pattern that
// matches no file, since this is probably a mistake, and for one that matches
// the output or a file that a job has made.
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

func (f *matchFn) ProcessElement(ctx context.Context, _ []byte, emitFile func(string, int64), emit func(int, []byte)) error {
	all, err := f.match(ctx)
	if err != nil {
		return err
	}
	listed := tally{Totals: [totals]uint64{listsMade: 1, filesListed: uint64(len(all))}}
	for name, size := range all {
		emitFile(name, size)
		listed.Totals[bytesListed] += uint64(size)
	}
	emit(tallyTask, listed.append(nil))
	return nil
}

// match returns the sizes of all matching files by their canonical names.
func (f *matchFn) match(ctx context.Context) (map[string]int64, error) {
	all := map[string]int64{}
	for _, pattern := range f.Patterns {
		if err := f.list(ctx, string(pattern), all); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errs.Field(hashfam.ErrParams, "patterns", "none", "at least one that matches a file")
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
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errs.Field(hashfam.ErrParams, "pattern", fmt.Sprintf("%q", pattern), "one that matches a file")
	}
	for _, name := range names {
		if err := f.check(name); err != nil {
			return err
		}
		size, err := fs.Size(ctx, name)
		if err != nil {
			return err
		}
		all[canonical(name)] = size
	}
	return nil
}

// check returns hashfam.ErrParams if a file is the output, or has a name that
// is used by jobs.
func (f *matchFn) check(name string) error {
	switch {
	case canonical(name) == canonical(string(f.Out)):
		return errs.Field(hashfam.ErrParams, "input", name, "a file that is not the output")
	case outputOf(name) != "":
		return errs.Field(hashfam.ErrParams, "input", name, "a file that no job has made: this one is a part of a filter, or was left by a job that failed")
	}
	return nil
}

// canonical returns a name that does not depend on how a local file's name is
// spelled: its cleaned absolute name. Names in a store are unchanged.
func canonical(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	if absolute, err := filepath.Abs(name); err == nil {
		return absolute
	}
	return filepath.Clean(name)
}
