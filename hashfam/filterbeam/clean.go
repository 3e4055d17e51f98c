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

// Clean removes what jobs that failed, were interrupted or were killed have
// left beside their output out, and returns the names of these files. It keeps
// out itself and, if that is the index of a filter in parts, the parts. No job
// that writes to out may be running. A job that succeeds does the same at its
// end. It returns the errors of the file system. O(files) time.
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

// kept returns the names of the parts of a filter of which out is the index.
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

// made matches what unique returns.
var made = regexp.MustCompile(`(?s)^(.+)\.(part|shard|tmp)-[A-Z2-7]{26,}$`)

// madeFor returns the cleaned name of the output for which unique has returned
// name, or an empty name.
func madeFor(name string) string {
	if m := made.FindStringSubmatch(filepath.Clean(name)); m != nil {
		return m[1]
	}
	return ""
}
