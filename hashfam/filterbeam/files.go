package filterbeam

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"time"

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

// A watched file counts the bytes that are read from it.
type watched struct {
	io.Reader
	read, size int64     // size is -1 if it is not known
	modified   time.Time // at the start
}

// watch returns a watched file. Its size is the one that a regular file has
// now, or else the one that its file system lists.
func watch(file io.Reader, listed int64) *watched {
	w := &watched{Reader: file, size: listed}
	if info := stat(file); info != nil {
		w.size, w.modified = info.Size(), info.ModTime()
		if !info.Mode().IsRegular() { // such as a pipe
			w.size = -1
		}
	}
	return w
}

// stat returns the description of a local file, or nil.
func stat(file io.Reader) fs.FileInfo {
	if local, ok := file.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := local.Stat(); err == nil {
			return info
		}
	}
	return nil
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.read += int64(n)
	return n, err
}

// check returns ErrParams if the file, which was read to its end, did not have
// the size that was known before.
func (w *watched) check() error {
	if w.size < 0 || w.read == w.size {
		return nil
	}
	return errs.Field(ErrParams, "length", w.read, fmt.Sprintf("%d bytes, as before the file was read", w.size))
}

// changed reports whether a regular file was modified while it was read.
func (w *watched) changed() bool {
	info := stat(w.Reader)
	return info != nil && w.size >= 0 && !info.ModTime().Equal(w.modified)
}

// remove removes a file as well as the file system can.
func remove(ctx context.Context, fs filesystem.Interface, name string) error {
	if remover, ok := fs.(filesystem.Remover); ok {
		return remover.Remove(ctx, name)
	}
	return nil
}

// A part describes an intermediate file. Its name is unique to the attempt that
// wrote it, so that attempts that run twice do not meet. A part without a name
// is zeros.
type part struct {
	Name  fileName
	Bytes uint64
	CRC   uint32 // CRC-32, as in an index
}

// A partWriter adds what is written to the description of a part.
type partWriter struct {
	io.Writer
	part *part
}

func (w partWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.part.Bytes += uint64(n)
	w.part.CRC = crc32.Update(w.part.CRC, index.Table, b[:n])
	return n, err
}

// writePart writes a part beside out.
func writePart(ctx context.Context, out, purpose string, write func(io.Writer) error) (part, error) {
	p := part{Name: fileName(unique(out, purpose))}
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return part{}, err
	}
	defer fs.Close()
	if err := writeFile(ctx, fs, string(p.Name), func(w io.Writer) error { return write(partWriter{w, &p}) }); err != nil {
		return part{}, errs.Errorf("%s: %w", p.Name, err)
	}
	return p, nil
}

// writeWords writes a part of words.
func writeWords[W ~uint64](ctx context.Context, out string, words []W) (part, error) {
	return writePart(ctx, out, partPurpose, func(w io.Writer) error {
		buffer := make([]byte, 0, blockBytes)
		for some := range slices.Chunk(words, blockBytes/8) {
			buffer = buffer[:0]
			for _, word := range some {
				buffer = binary.LittleEndian.AppendUint64(buffer, uint64(word))
			}
			if _, err := w.Write(buffer); err != nil {
				return err
			}
		}
		return nil
	})
}

// pieces returns the bytes of all parts, a multiple of 8 at a time. It ends
// with ErrCorrupt at a file that is not what was written.
func pieces(ctx context.Context, parts []part) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		going := true
		for _, p := range parts {
			err := p.read(ctx, func(piece []byte) bool {
				going = yield(piece, nil)
				return going
			})
			if going && err != nil {
				yield(nil, err)
			}
			if !going || err != nil {
				return
			}
		}
	}
}

// read yields the bytes of a part.
func (p part) read(ctx context.Context, yield func([]byte) bool) error {
	use := func(file io.Reader) error {
		buffer := make([]byte, min(p.Bytes, blockBytes))
		for crc, left := uint32(0), p.Bytes; left > 0; {
			piece := buffer[:min(left, blockBytes)]
			if _, err := io.ReadFull(file, piece); err != nil {
				return errs.Errorf("%s: %w", p.Name, err)
			}
			crc = crc32.Update(crc, index.Table, piece)
			left -= uint64(len(piece))
			if left == 0 && crc != p.CRC && p.Name != "" {
				return errs.Field(ErrCorrupt, "checksum of "+string(p.Name), crc, fmt.Sprint(p.CRC))
			}
			if !yield(piece) {
				break
			}
		}
		return nil
	}
	if p.Name == "" {
		return use(zeros{})
	}
	return readFile(ctx, string(p.Name), use)
}

// Zeros is a file that never ends.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// encoded returns the encoded form of a value that was made without an error.
func encoded(v any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// byOwner returns the values of the records of all owners, numbers below n. An
// owner that got nothing has none.
func byOwner(records iter.Seq2[record, error], n int) ([][]byte, error) {
	all := make([][]byte, n)
	for r, err := range records {
		if err == nil && uint64(r.owner) >= uint64(n) {
			err = errs.Field(ErrCorrupt, "number of a shard", r.owner, fmt.Sprintf("below %d", n))
		}
		if err != nil {
			return nil, err
		}
		all[r.owner] = r.value
	}
	return all, nil
}

// decodeRecords returns the decoded values of all owners. That of an owner that
// got nothing is zero.
func decodeRecords[T any](records iter.Seq2[record, error], n int) ([]T, error) {
	values, err := byOwner(records, n)
	if err != nil {
		return nil, err
	}
	all := make([]T, n)
	for owner, value := range values {
		if value != nil {
			if err := json.Unmarshal(value, &all[owner]); err != nil {
				return nil, errs.Errorf("record of shard %d: %w", owner, err)
			}
		}
	}
	return all, nil
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
