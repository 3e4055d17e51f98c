package filterbeam

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
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

var purposes = []string{partPurpose, shardPurpose, temporaryPurpose}

// A fileName travels to the workers as JSON, which changes bytes that are not
// UTF-8: so it is escaped.
type fileName string

// MarshalText returns the escaped name.
func (n fileName) MarshalText() ([]byte, error) { return []byte(url.PathEscape(string(n))), nil }

// UnmarshalText sets n to the name of which text is the escaped form.
func (n *fileName) UnmarshalText(text []byte) error {
	name, err := url.PathUnescape(string(text))
	*n = fileName(name)
	return err
}

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

// A part describes an intermediate file. Its name is unique to the attempt that
// wrote it, so that attempts that run twice do not meet.
type part struct {
	Owner int
	Name  fileName
	Bytes uint64
	CRC   uint32
}

// checksumBytes is the size of what follows the payload of a frame: a checksum
// and four zero bytes.
const checksumBytes = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writePart writes words to a part file and returns its record.
func writePart[W ~uint64](ctx context.Context, out string, owner int, words []W) ([]byte, error) {
	p, err := newPart(ctx, out, owner, words)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// newPart writes words to a part file.
func newPart[W ~uint64](ctx context.Context, out string, owner int, words []W) (part, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return part{}, err
	}
	defer fs.Close()
	p := part{Owner: owner, Name: fileName(unique(out, partPurpose)), Bytes: uint64(len(words)) * 8}
	err = writeFile(ctx, fs, string(p.Name), func(w io.Writer) error {
		buffer := make([]byte, 0, blockBytes)
		for len(words) > 0 {
			n := min(len(words), blockBytes/8)
			buffer = appendWords(buffer[:0], words[:n])
			words = words[n:]
			p.CRC = crc32.Update(p.CRC, castagnoli, buffer)
			if _, err := w.Write(buffer); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return part{}, fmt.Errorf("filterbeam: %s: %w", p.Name, err)
	}
	return p, nil
}

// read yields the bytes of the part, a multiple of 8 at a time. It returns
// ErrCorrupt if the file is not what was written.
func (p part) read(ctx context.Context, yield func([]byte) bool) error {
	return readFile(ctx, string(p.Name), func(file io.Reader) error {
		crc, left, buffer := uint32(0), p.Bytes, make([]byte, blockBytes)
		for left > 0 {
			piece := buffer[:min(left, blockBytes)]
			if _, err := io.ReadFull(file, piece); err != nil {
				return fmt.Errorf("filterbeam: %s: %w", p.Name, err)
			}
			crc = crc32.Update(crc, castagnoli, piece)
			left -= uint64(len(piece))
			if left == 0 && crc != p.CRC {
				return errs.Field(ErrCorrupt, "checksum of "+string(p.Name), crc, fmt.Sprint(p.CRC))
			}
			if !yield(piece) {
				return nil
			}
		}
		return nil
	})
}

// decodeRecords decodes the records of all owners.
func decodeRecords[T any](records iter.Seq2[[]byte, error]) ([]T, error) {
	var all []T
	for record, err := range records {
		var v T
		if err == nil {
			err = json.Unmarshal(record, &v)
		}
		if err != nil {
			return nil, fmt.Errorf("filterbeam: records of the shards: %w", err)
		}
		all = append(all, v)
	}
	return all, nil
}

// partsOf decodes the records of all parts.
func partsOf(records iter.Seq2[[]byte, error]) (map[int]part, error) {
	all, err := decodeRecords[part](records)
	parts := map[int]part{}
	for _, p := range all {
		parts[p.Owner] = p
	}
	return parts, err
}

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
	for _, purpose := range purposes {
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
	file, err := fs.OpenRead(ctx, out)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	buffered := bufio.NewReader(file)
	if first, err := buffered.Peek(1); err != nil || first[0] != '{' {
		return nil, nil // a frame, or another file
	}
	data, err := io.ReadAll(buffered)
	if err != nil {
		return nil, err
	}
	x, err := index.Parse(data)
	keep := map[string]bool{}
	for _, p := range x.Parts {
		keep[p.Name] = true
	}
	return keep, err
}

// madeFor returns the cleaned name of the output for which unique has returned
// name, or an empty name.
func madeFor(name string) string {
	name = filepath.Clean(name)
	for _, purpose := range purposes {
		i := strings.LastIndex(name, "."+purpose+"-")
		text := name[max(i, 0):]
		text = text[min(len(purpose)+2, len(text)):]
		if i > 0 && len(text) == len(rand.Text()) && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
			return name[:i]
		}
	}
	return ""
}

func binaryLength(n uint64) string { return fmt.Sprintf("%d bytes", n) }
