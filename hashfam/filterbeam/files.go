package filterbeam

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"regexp"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
)

// replace writes a file using a temporary name, renames it to out, and returns
// its size. If this fails, or if ctx is canceled before the file is complete,
// out stays unchanged and the temporary file is removed. If the file system has
// no rename, the file is copied instead, which is not atomic.
func replace(ctx context.Context, out string, content io.WriterTo) (uint64, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return 0, err
	}
	defer fs.Close()
	temporary := unique(out, temporaryPurpose)
	written, err := writeFile(ctx, fs, temporary, content)
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

// A fileName travels to the workers as JSON, which would change a string that
// is not UTF-8.
type fileName []byte

// The names of intermediate files contain their purpose.
const (
	partPurpose      = "part"  // a part
	shardPurpose     = "shard" // a part that is also output
	temporaryPurpose = "tmp"   // the frame, until it is complete
)

// unique returns a name in out's folder that is not used by any other attempt.
func unique(out, purpose string) string { return out + "." + purpose + "-" + rand.Text() }

// writeFile writes a file, syncs it if possible, and returns its description.
func writeFile(ctx context.Context, fs filesystem.Interface, name string, content io.WriterTo) (part, error) {
	file, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return part{}, err
	}
	buffered, crc := bufio.NewWriterSize(file, blockBytes), crc32.New(index.Table)
	n, err := content.WriteTo(io.MultiWriter(buffered, crc))
	if err == nil {
		err = buffered.Flush()
	}
	if syncer, ok := file.(interface{ Sync() error }); ok && err == nil {
		err = syncer.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return part{fileName(name), uint64(n), crc.Sum32()}, err
}

// readFile calls use with an open file, and then closes the file.
func readFile(ctx context.Context, name string, use func(io.Reader) error) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	file, err := fs.OpenRead(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	return use(file)
}

// remove removes a file if the file system can remove files.
func remove(ctx context.Context, fs filesystem.Interface, name string) error {
	if remover, ok := fs.(filesystem.Remover); ok {
		return remover.Remove(ctx, name)
	}
	return nil
}

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
