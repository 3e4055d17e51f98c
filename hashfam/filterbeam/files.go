package filterbeam

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
	"github.com/filterfam/filterfam/internal/frame"
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
	buffered := bufio.NewWriterSize(file, blockBytes)
	crc := crc32.New(index.Table)
	n, err := content.WriteTo(io.MultiWriter(buffered, crc))
	if err == nil {
		err = buffered.Flush()
	}
	if syncer, ok := file.(interface{ Sync() error }); ok && err == nil {
		err = syncer.Sync()
	}
	closing := file.Close()
	if err == nil {
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
// itself or, if out is the index for parts, the parts' files. A job that
// succeeds cleans up by itself, so Clean is only needed after failures, and
// must not be called while a job writes to out. Clean returns the errors of the
// file system.
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
	names, err := fs.List(ctx, pattern.Loose(out)+".*-*")
	failed := []error{err}
	var removed []string
	for _, name := range names {
		if madeFor(name) == filepath.Clean(out) && !keep[filepath.Base(name)] {
			failed = append(failed, remove(ctx, fs, name)) // another attempt may have removed it
			removed = append(removed, name)
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

// A part describes an intermediate file. Each attempt uses another name, so
// that concurrent attempts do not interfere. A part without a name contains
// only zeros.
type part struct {
	Name  fileName
	Bytes uint64
	CRC   uint32 // CRC-32, as in an index
}

// A writerTo is a function that implements io.WriterTo.
type writerTo func(io.Writer) (int64, error)

func (write writerTo) WriteTo(w io.Writer) (int64, error) { return write(w) }

// writePart writes a part, to a file in out's folder.
func writePart(ctx context.Context, out, purpose string, content io.WriterTo) (part, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return part{}, err
	}
	defer fs.Close()
	name := unique(out, purpose)
	p, err := writeFile(ctx, fs, name, content)
	if err != nil {
		return part{}, errs.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// writeWords writes a part that consists of words.
func writeWords[W ~uint64](ctx context.Context, out string, words []W) (part, error) {
	return writePart(ctx, out, partPurpose, writerTo(func(w io.Writer) (int64, error) {
		buffer := make([]byte, 0, blockBytes)
		for some := range slices.Chunk(words, blockBytes/8) {
			buffer = buffer[:0]
			for _, word := range some {
				buffer = binary.LittleEndian.AppendUint64(buffer, uint64(word))
			}
			if _, err := w.Write(buffer); err != nil {
				return 0, err
			}
		}
		return int64(8 * len(words)), nil
	}))
}

// pieces returns the bytes of all parts, a multiple of 8 bytes at a time. If a
// file differs from its description, the sequence ends and failed is set.
func pieces(ctx context.Context, parts []part, failed *error) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		going := true
		for _, p := range parts {
			*failed = p.read(ctx, func(piece []byte) bool {
				going = yield(piece)
				return going
			})
			if !going || *failed != nil {
				return
			}
		}
	}
}

// read yields the part's bytes.
func (p part) read(ctx context.Context, yield func([]byte) bool) error {
	if len(p.Name) == 0 {
		return p.readFrom(zeros{}, yield)
	}
	return readFile(ctx, string(p.Name), func(file io.Reader) error { return p.readFrom(file, yield) })
}

func (p part) readFrom(file io.Reader, yield func([]byte) bool) error {
	buffer := make([]byte, min(p.Bytes, blockBytes))
	for crc, left := uint32(0), p.Bytes; left > 0; {
		piece := buffer[:min(left, blockBytes)]
		if _, err := io.ReadFull(file, piece); err != nil {
			return errs.Errorf("%s: %w", p.Name, err)
		}
		crc = crc32.Update(crc, index.Table, piece)
		left -= uint64(len(piece))
		if left == 0 && crc != p.CRC && len(p.Name) > 0 {
			return errs.Field(hashfam.ErrCorrupt, "checksum of "+string(p.Name), crc, fmt.Sprint(p.CRC))
		}
		if !yield(piece) {
			break
		}
	}
	return nil
}

// A zeros reader returns zeros without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// parseWords appends the words in a block to words, which may be digests.
func parseWords[W ~uint64](words []W, block []byte) []W {
	for ; len(block) >= 8; block = block[8:] {
		words = append(words, W(binary.LittleEndian.Uint64(block)))
	}
	return words
}

// wordsOf returns the number of words in all parts.
func wordsOf(parts []part) (n uint64) {
	for _, p := range parts {
		n += p.Bytes / 8
	}
	return n
}

// wordsIn returns the words in all parts.
func wordsIn[W ~uint64](ctx context.Context, parts []part) (words []W, err error) {
	for piece := range pieces(ctx, parts, &err) {
		words = parseWords(words, piece)
	}
	return words, err
}

// joined returns a frame whose payload contains the bytes of all parts.
func joined(ctx context.Context, h frame.Header, parts []part, payload func(frame.Payload) frame.Payload) writerTo {
	return func(w io.Writer) (int64, error) {
		var failed error
		n, err := frame.Write(w, h, payload(pieces(ctx, parts, &failed)))
		return n, cmp.Or(failed, err)
	}
}
