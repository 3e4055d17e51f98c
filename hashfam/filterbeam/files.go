package filterbeam

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/internal/frame"
)

// A file describes a file that a task has written. If a task is repeated, each
// attempt writes a file with another name, so that concurrent attempts do not
// interfere. A file without a name was not written and contains only zeros.
type file struct {
	Name  fileName
	Bytes uint64
	CRC   uint32 // CRC-32, as in an index
}

// A fileName travels to the workers as JSON, which would change a string that
// is not UTF-8.
type fileName []byte

// writeFile writes a file with a new name in out's folder.
func writeFile(ctx context.Context, out, purpose string, content io.WriterTo) (file, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return file{}, err
	}
	defer fs.Close()
	name := unique(out, purpose)
	f, err := writeTo(ctx, fs, name, content)
	if err != nil {
		return file{}, errs.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// writeTo writes a file and syncs it if possible.
func writeTo(ctx context.Context, fs filesystem.Interface, name string, content io.WriterTo) (file, error) {
	opened, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return file{}, err
	}
	buffered := bufio.NewWriterSize(opened, blockBytes)
	crc := crc32.New(index.Table)
	n, err := content.WriteTo(io.MultiWriter(buffered, crc))
	if err == nil {
		err = buffered.Flush()
	}
	if syncer, ok := opened.(interface{ Sync() error }); ok && err == nil {
		err = syncer.Sync()
	}
	closing := opened.Close()
	return file{fileName(name), uint64(n), crc.Sum32()}, cmp.Or(err, closing)
}

// wordBytes is the size of a word or digest in a file or block.
const wordBytes = 8

// A wordFile is the content of a file of words, which may be digests.
type wordFile[W ~uint64] []W

// WriteTo writes the words, which parseWords parses.
func (all wordFile[W]) WriteTo(w io.Writer) (int64, error) {
	buffer := make([]byte, 0, blockBytes)
	for some := range slices.Chunk(all, blockBytes/wordBytes) {
		buffer = buffer[:0]
		for _, word := range some {
			buffer = binary.LittleEndian.AppendUint64(buffer, uint64(word))
		}
		if _, err := w.Write(buffer); err != nil {
			return 0, err
		}
	}
	return int64(wordBytes * len(all)), nil
}

// parseWords appends the words in a block to words, which may be digests.
func parseWords[W ~uint64](words []W, block []byte) []W {
	for ; len(block) >= wordBytes; block = block[wordBytes:] {
		words = append(words, W(binary.LittleEndian.Uint64(block)))
	}
	return words
}

// An openFile is a file that is read, or an unwritten file of zeros.
type openFile struct {
	io.Reader
	closer io.Closer // nil for zeros
	fs     filesystem.Interface
}

// open opens a file for reading. Its caller must close it.
func open(ctx context.Context, name string) (openFile, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return openFile{}, err
	}
	opened, err := fs.OpenRead(ctx, name)
	if err != nil {
		fs.Close()
		return openFile{}, err
	}
	return openFile{opened, opened, fs}, nil
}

// close closes the file. An error does not matter, since all bytes that are
// used have been read.
func (f openFile) close() {
	if f.closer != nil {
		f.closer.Close()
		f.fs.Close()
	}
}

// A fileReader reads files, one after the other.
type fileReader struct {
	ctx   context.Context
	files []file
	err   error // why a sequence has ended before all bytes were read, or nil
}

// pieces yields the bytes of all files, a multiple of 8 bytes at a time.
func (r *fileReader) pieces(yield func([]byte) bool) {
	for _, f := range r.files {
		if !r.piecesOf(f, yield) {
			return
		}
	}
}

// digests yields the digests in all files, some at a time.
func (r *fileReader) digests(yield func([]hashfam.Digest) bool) {
	var digests []hashfam.Digest
	for piece := range r.pieces {
		digests = parseWords(digests[:0], piece)
		if !yield(digests) {
			return
		}
	}
}

// piecesOf yields a file's bytes. It returns false if the sequence ends here,
// for example because the file differs from its description.
func (r *fileReader) piecesOf(f file, yield func([]byte) bool) bool {
	content := openFile{Reader: zeros{}}
	if len(f.Name) > 0 {
		content, r.err = open(r.ctx, string(f.Name))
		if r.err != nil {
			return false
		}
	}
	defer content.close()
	buffer := make([]byte, min(f.Bytes, blockBytes))
	crc := uint32(0)
	for left := f.Bytes; left > 0; {
		piece := buffer[:min(left, blockBytes)]
		if _, err := io.ReadFull(content, piece); err != nil {
			r.err = errs.Errorf("%s: %w", f.Name, err)
			return false
		}
		crc = crc32.Update(crc, index.Table, piece)
		left -= uint64(len(piece))
		if left == 0 && crc != f.CRC && len(f.Name) > 0 {
			r.err = errs.Field(hashfam.ErrCorrupt, "checksum of "+string(f.Name), crc, fmt.Sprint(f.CRC))
			return false
		}
		if !yield(piece) {
			return false
		}
	}
	return true
}

// A zeros reader returns zeros without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// A joined frame has a payload that consists of files.
type joined struct {
	header frame.Header
	files  fileReader
}

// WriteTo writes the frame.
func (j *joined) WriteTo(w io.Writer) (int64, error) {
	n, err := frame.Write(w, j.header, j.files.pieces)
	return n, cmp.Or(j.files.err, err)
}
