package filterbeam

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
)

// The names of intermediate files contain their purpose.
const (
	partPurpose      = "part"  // digests or a window, for the last task
	shardPurpose     = "shard" // a part of the filter, which the index names
	temporaryPurpose = "tmp"   // the output, until it is complete
)

// unique returns a name in out's folder that is not used by any other attempt.
func unique(out, purpose string) string { return out + "." + purpose + "-" + rand.Text() }

// intermediate matches the names that unique returns.
var intermediate = regexp.MustCompile(`(?s)^(.+)\.(part|shard|tmp)-[A-Z2-7]{26,}$`)

// outputOf returns the cleaned name of the output for which unique returned
// name. It returns an empty string for other names.
func outputOf(name string) string {
	if m := intermediate.FindStringSubmatch(filepath.Clean(name)); m != nil {
		return m[1]
	}
	return ""
}

// replace writes a file using a temporary name, renames it to out, and returns
// its size. If this fails, or if ctx is canceled before the file is complete,
// the temporary file is removed and out stays unchanged. But if the file system
// cannot rename files, the file is copied to out instead, and out may be
// incomplete if copying fails.
func replace(ctx context.Context, out string, content io.WriterTo) (uint64, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return 0, err
	}
	defer fs.Close()
	temporary := unique(out, temporaryPurpose)
	written, err := writeTo(ctx, fs, temporary, content)
	if err == nil {
		err = ctx.Err() // not every file system checks it
	}
	if err == nil {
		err = filesystem.Rename(ctx, fs, temporary, out)
	}
	if err != nil {
		remove(context.WithoutCancel(ctx), fs, temporary)
		return 0, fmt.Errorf("filterbeam: %s: %w", out, err)
	}
	return written.Bytes, nil
}

// remove removes a file if the file system can remove files.
func remove(ctx context.Context, fs filesystem.Interface, name string) error {
	if remover, ok := fs.(filesystem.Remover); ok {
		return remover.Remove(ctx, name)
	}
	return nil
}

// Clean removes the intermediate files for out that were left by jobs that
// failed or were interrupted, and returns the names of the removed files. It
// does not remove out itself or, if out is the index for parts, the parts'
// files. A job that succeeds cleans up by itself, so Clean is only needed after
// failures, and must not be called while a job writes to out.
//
// Clean returns [hashfam.ErrCorrupt] if out is a damaged index, and the errors
// of the file system. If it cannot remove a file, it still removes the others.
func Clean(ctx context.Context, out string) ([]string, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	keep, err := partsOf(ctx, fs, out)
	if err != nil {
		return nil, err
	}
	names, err := fs.List(ctx, pattern.Loose(out)+".*-*")
	failed := []error{err}
	var removed []string
	for _, name := range names {
		if outputOf(name) != filepath.Clean(out) || keep[filepath.Base(name)] {
			continue
		}
		if err := remove(ctx, fs, name); err != nil { // for example because another attempt has removed it
			failed = append(failed, err)
		} else {
			removed = append(removed, name)
		}
	}
	return removed, errors.Join(failed...)
}

// partsOf returns the file names of the parts if out is an index.
func partsOf(ctx context.Context, fs filesystem.Interface, out string) (map[string]bool, error) {
	exists, err := pattern.Exists(ctx, fs, out)
	if err != nil || !exists {
		return nil, err
	}
	opened, err := open(ctx, out)
	if err != nil {
		return nil, err
	}
	defer opened.close()
	buffered := bufio.NewReader(opened)
	first, err := buffered.Peek(1)
	if err != nil || first[0] != '{' {
		return nil, nil // a frame, or another file
	}
	data, err := io.ReadAll(buffered)
	if err != nil {
		return nil, err
	}
	x, err := index.Parse(data)
	if err != nil {
		return nil, errs.Field(hashfam.ErrCorrupt, out, err, "an index as it was written")
	}
	names := map[string]bool{}
	for _, p := range x.Parts {
		names[p.Name] = true
	}
	return names, nil
}
