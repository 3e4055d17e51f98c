// Package lines reads keys from files. Each line is a key.
//
// A line ends with "\n" or "\r\n". If NUL is set, it ends with a zero byte
// instead, so that it can contain line breaks. The last line may lack its end.
// All other bytes are part of the key.
package lines

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// A Config describes the lines in a file.
type Config struct {
	MaxLine   int   // length of the longest line in bytes
	NUL       bool  // lines end with a zero byte
	SkipEmpty bool  // empty lines are not keys
	SkipFirst bool  // the first line is not a key, for example because only its end is there
	Offset    int64 // offset of the first byte in the file
}

// A Reader reads lines in batches, without copying them.
type Reader struct {
	Keys   [][]byte // the lines in the last batch
	Starts []int64  // the offset of each line in the file
	Offset int64    // offset of the byte after the batch

	config   Config
	r        io.Reader
	buffer   []byte
	from     int  // start of the bytes in the buffer that have not been returned
	searched int  // the bytes before this one do not end a line
	to       int  // end of the bytes that have been read
	ended    bool // r has returned io.EOF
}

// chunk is the number of bytes that are read at once.
const chunk = 128 << 10

// patience is the number of consecutive empty reads before an error.
const patience = 100

// NewReader returns a Reader for the lines in r.
func NewReader(r io.Reader, c Config) *Reader {
	return &Reader{config: c, r: r, Offset: c.Offset, buffer: make([]byte, chunk)}
}

// Next reads the next batch of lines into Keys and Starts. A batch contains the
// lines that a single read has completed, so Next does not wait for more lines.
// Only at the end of the file is it empty. Both slices and the lines are valid
// until the next call.
func (r *Reader) Next() error {
	r.Keys = r.Keys[:0]
	r.Starts = r.Starts[:0]
	for len(r.Keys) == 0 && !(r.ended && r.from == r.to) {
		if err := r.refill(); err != nil {
			return err
		}
		if err := r.split(); err != nil {
			return err
		}
	}
	return nil
}

// refill moves the remaining bytes to the front of the buffer and reads more. If
// they fill the buffer, they are part of a single line, and the buffer doubles,
// up to the longest line with its end.
func (r *Reader) refill() error {
	if r.from > 0 {
		r.to = copy(r.buffer, r.buffer[r.from:r.to])
		r.searched -= r.from
		r.from = 0
	}
	if r.to == len(r.buffer) {
		size := 2 * uint64(r.to)
		if size >= uint64(r.config.MaxLine) {
			size = uint64(r.config.MaxLine) + 2 // not twice in a row for the longest line
		}
		grown := make([]byte, size)
		copy(grown, r.buffer)
		r.buffer = grown
	}
	for idle := 0; !r.ended; idle++ {
		n, err := r.r.Read(r.buffer[r.to:min(r.to+chunk, len(r.buffer))])
		r.to += n
		r.ended = err == io.EOF
		switch {
		case err != nil && !r.ended:
			return err
		case n > 0:
			return nil
		case idle == patience:
			return io.ErrNoProgress
		}
	}
	return nil
}

// split appends the lines in the buffer to the batch. It returns an error if a
// line is too long.
func (r *Reader) split() error {
	for r.from < r.to {
		length := bytes.IndexByte(r.buffer[r.searched:r.to], r.end())
		full := r.to-r.from >= r.config.MaxLine+2
		if length < 0 && !r.ended && !full {
			r.searched = r.to
			return nil
		}
		key := r.buffer[r.from:r.to]
		next := r.to
		if length >= 0 {
			key = r.buffer[r.from : r.searched+length]
			next = r.searched + length + 1
		}
		key = r.trim(key)
		if len(key) > r.config.MaxLine {
			return fmt.Errorf("line at byte %d has more than %d bytes", r.Offset, r.config.MaxLine)
		}
		if !r.config.SkipFirst && !(r.config.SkipEmpty && len(key) == 0) {
			r.Keys = append(r.Keys, key)
			r.Starts = append(r.Starts, r.Offset)
		}
		r.config.SkipFirst = false
		r.Offset += int64(next - r.from)
		r.from = next
		r.searched = next
	}
	return nil
}

// end returns the byte that ends lines.
func (r *Reader) end() byte {
	if r.config.NUL {
		return 0
	}
	return '\n'
}

// trim removes the first byte of "\r\n".
func (r *Reader) trim(key []byte) []byte {
	n := len(key)
	if n > 0 && key[n-1] == '\r' && !r.config.NUL {
		n--
	}
	return key[:n:n]
}

// gzipMagic are the first bytes of compressed files.
const gzipMagic = "\x1f\x8b"

// Unzip returns a reader for the decompressed contents of r if r begins like a
// compressed file. Otherwise, it returns a reader for the contents of r.
func Unzip(r io.Reader) (io.Reader, error) {
	zipped, whole, err := Zipped(r)
	if err != nil || !zipped {
		return whole, err
	}
	return gzip.NewReader(bufio.NewReaderSize(whole, chunk))
}

// Zipped reports whether r begins like a compressed file. It also returns a
// reader for the whole contents of r. This is r itself if r can seek.
func Zipped(r io.Reader) (bool, io.Reader, error) {
	first := make([]byte, len(gzipMagic))
	n, err := io.ReadFull(r, first)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, nil, err
	}
	zipped := string(first[:n]) == gzipMagic
	if seeker, ok := r.(io.Seeker); ok {
		if _, err := seeker.Seek(-int64(n), io.SeekCurrent); err == nil {
			return zipped, r, nil
		}
	}
	return zipped, io.MultiReader(bytes.NewReader(first[:n]), r), nil
}
