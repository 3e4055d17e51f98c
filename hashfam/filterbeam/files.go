package filterbeam

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// replace writes a file under a temporary name of its own and renames it to
// out. If write or the rename fails, or if ctx ends before the file is written,
// out stays as it was, and the temporary file is removed. A file system without
// a rename copies the file instead, which is not atomic.
func replace(ctx context.Context, out string, write func(io.Writer) error) error {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return err
	}
	defer fs.Close()
	temporary := unique(out, temporaryPurpose)
	err = writeFile(ctx, fs, temporary, write)
	if err == nil {
		err = ctx.Err() // not every file system looks at it
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

// The purposes of intermediate files are parts of their names.
const (
	partPurpose      = "part"  // a part
	shardPurpose     = "shard" // a part that stays
	temporaryPurpose = "tmp"   // the frame, until it is complete
)

// A fileName travels to the workers as JSON, which changes strings that are not
// UTF-8, but not bytes.
type fileName []byte

// unique returns a name beside out that no other attempt uses.
func unique(out, purpose string) string { return out + "." + purpose + "-" + rand.Text() }

// writeFile writes one file. If the file can be synced, it is.
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

// readFile calls use with a file, and closes the file.
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

// remove removes a file as well as the file system can.
func remove(ctx context.Context, fs filesystem.Interface, name string) error {
	if remover, ok := fs.(filesystem.Remover); ok {
		return remover.Remove(ctx, name)
	}
	return nil
}
