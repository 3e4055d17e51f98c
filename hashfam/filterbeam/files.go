package filterbeam

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// replace writes a file using a temporary name and renames it to out. If write
// or the rename fails, or if ctx is canceled before the file is complete, out
// stays unchanged and the temporary file is removed. If the file system has no
// rename, the file is copied instead, which is not atomic.
func replace(ctx context.Context, out string, write func(io.Writer) error) error {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return err
	}
	defer fs.Close()
	temporary := unique(out, temporaryPurpose)
	err = writeFile(ctx, fs, temporary, write)
	if err == nil {
		err = ctx.Err() // not every file system checks it
	}
	if err == nil {
		err = filesystem.Rename(ctx, fs, temporary, out)
	}
	if err != nil {
		remove(context.WithoutCancel(ctx), fs, temporary)
		return fmt.Errorf("filterbeam: %s: %w", out, err)
	}
	return nil
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

// writeFile writes a file, and syncs it if possible.
func writeFile(ctx context.Context, fs filesystem.Interface, name string, write func(io.Writer) error) error {
	file, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, blockBytes)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if syncer, ok := file.(interface{ Sync() error }); ok && err == nil {
		err = syncer.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
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
