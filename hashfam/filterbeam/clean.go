package filterbeam

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"
	"regexp"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
)

// Clean removes the intermediate files for out that were left by jobs that
// failed or were interrupted, and returns their names. It does not remove out
// itself or, if out is the index for parts, the parts' files. Clean must not be
// called while a job writes to out. A job that succeeds cleans up by itself.
// Clean returns the errors of the file system.
func Clean(ctx context.Context, out string) ([]string, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	keep, err := kept(ctx, fs, out)
	if err != nil {
		return nil, err
	}
	var removed []string
	var failed []error
	for _, purpose := range []string{partPurpose, shardPurpose, temporaryPurpose} {
		names, err := fs.List(ctx, pattern.Loose(out)+"."+purpose+"-*")
		failed = append(failed, err)
		for _, name := range names {
			if madeFor(name) == filepath.Clean(out) && !keep[filepath.Base(name)] {
				failed = append(failed, remove(ctx, fs, name)) // another attempt may have removed it
				removed = append(removed, name)
			}
		}
	}
	return removed, errors.Join(failed...)
}

// kept returns the file names of the parts if out is an index.
func kept(ctx context.Context, fs filesystem.Interface, out string) (map[string]bool, error) {
	if exists, err := pattern.Exists(ctx, fs, out); err != nil || !exists {
		return nil, err
	}
	keep := map[string]bool{}
	return keep, readFile(ctx, out, func(file io.Reader) error {
		buffered := bufio.NewReader(file)
		if first, err := buffered.Peek(1); err != nil || first[0] != '{' {
			return nil // a frame, or another file
		}
		data, err := io.ReadAll(buffered)
		if err != nil {
			return err
		}
		x, err := index.Parse(data)
		for _, p := range x.Parts {
			keep[p.Name] = true
		}
		return err
	})
}

// made matches the names that unique returns.
var made = regexp.MustCompile(`(?s)^(.+)\.(part|shard|tmp)-[A-Z2-7]{26,}$`)

// madeFor returns the cleaned name of the output for which unique returned
// name. It returns an empty string for other names.
func madeFor(name string) string {
	if m := made.FindStringSubmatch(filepath.Clean(name)); m != nil {
		return m[1]
	}
	return ""
}
