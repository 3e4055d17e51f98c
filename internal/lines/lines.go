// Package lines reads keys from files. Each line is a key.
//
// A line ends with "\n" or "\r\n". If Config.NUL is set, a line ends with a
// zero byte instead, so that it can contain line breaks. The last line may lack
// its end. A UTF-8 byte order mark at the beginning of the file is skipped. All
// other bytes are part of the key. [Recognize] detects files that do not
// consist of lines.
package lines

import (
	"bytes"
	"errors"
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

	// Fits returns an error if there is no memory for a buffer of this size. It
	// may be nil.
	Fits func(bytes uint64) error
}

// A Reader reads lines in batches, without copying them.
type Reader struct {
	Keys   [][]byte // the lines in the last batch
	Starts []int64  // the offset of each line in the file
	Offset int64    // offset of the byte after the batch

	config   Config
	r        io.Reader
	buffer   []byte
	from     int   // start of the bytes in the buffer that have not been returned
	searched int   // the bytes before this one do not end a line
	to       int   // end of the bytes that have been read
	err      error // io.EOF at the end of the file; it is returned after all complete lines
}

// chunk is the number of bytes that are read at once.
const chunk = 128 << 10

// patience is the number of consecutive empty reads before an error.
const patience = 100

// mark is the UTF-8 byte order mark, which programs of Windows write at the
// beginning of a file.
const mark = "\ufeff"

// surplus is the number of bytes of the longest line that are not its key.
const surplus = len(mark) + len("\r\n")

// NewReader returns a Reader for the lines in r.
func NewReader(r io.Reader, c Config) *Reader {
	return &Reader{config: c, r: r, Offset: c.Offset, buffer: make([]byte, chunk)}
}

// Next reads the next batch of lines into Keys and Starts. A batch contains the
// lines that a single read has completed, so Next does not wait for more lines.
// An empty batch without an error means the end of the file. Both slices and
// the lines are valid until the next call. Next returns all lines that are
// complete before it returns an error.
func (r *Reader) Next() error {
	r.Keys = r.Keys[:0]
	r.Starts = r.Starts[:0]
	for len(r.Keys) == 0 && r.err == nil {
		r.err = r.refill()
		if err := r.split(); err != nil {
			r.err = err
		}
	}
	if len(r.Keys) > 0 || r.err == io.EOF {
		return nil
	}
	return r.err
}

// refill moves the remaining bytes to the front of the buffer and reads more.
func (r *Reader) refill() error {
	if r.from > 0 {
		r.to = copy(r.buffer, r.buffer[r.from:r.to])
		r.searched -= r.from
		r.from = 0
	}
	if r.to == len(r.buffer) {
		if err := r.grow(); err != nil {
			return err
		}
	}
	for range patience {
		n, err := r.r.Read(r.buffer[r.to:min(r.to+chunk, len(r.buffer))])
		r.to += n
		if err != nil || n > 0 {
			return err
		}
	}
	return io.ErrNoProgress
}

// grow doubles a buffer that is full of a single line, up to the longest line
// with its end.
func (r *Reader) grow() error {
	size := 2 * uint64(r.to)
	if size >= uint64(r.config.MaxLine) {
		size = uint64(r.config.MaxLine + surplus) // not twice in a row for the longest line
	}
	if r.config.Fits != nil {
		if err := r.config.Fits(size); err != nil {
			return fmt.Errorf("line at byte %d has more than %d bytes: a longer one %w", r.Offset, r.to, err)
		}
	}
	grown := make([]byte, size)
	copy(grown, r.buffer)
	r.buffer = grown
	return nil
}

// split appends the lines in the buffer to the batch. It returns an error if a
// line is too long, or if the file has other line ends.
func (r *Reader) split() error {
	for r.from < r.to {
		length := bytes.IndexByte(r.buffer[r.searched:r.to], r.end())
		line := r.buffer[r.from:r.to]
		next := r.to
		if length >= 0 {
			line = r.buffer[r.from : r.searched+length]
			next = r.searched + length + 1
		}
		last := length < 0 && r.err == io.EOF
		if r.Offset == 0 && !r.config.NUL && hasOtherEnds(line, last) {
			return errOtherEnds
		}
		if length < 0 && !last && len(line) < r.config.MaxLine+surplus {
			r.searched = r.to
			return nil
		}
		key := r.trim(line)
		if len(key) > r.config.MaxLine {
			return fmt.Errorf("line at byte %d has more than %d bytes", r.Offset, r.config.MaxLine)
		}
		if !r.skips(key, last && string(line) == mark) {
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

// skips reports whether a line is not a key. A file that contains only a byte
// order mark has no lines.
func (r *Reader) skips(key []byte, onlyMark bool) bool {
	return r.config.SkipFirst || r.config.SkipEmpty && len(key) == 0 || r.Offset == 0 && onlyMark
}

// end returns the byte that ends lines.
func (r *Reader) end() byte {
	if r.config.NUL {
		return 0
	}
	return '\n'
}

// trim returns the key of a line, without a byte order mark at the beginning of
// the file and, unless NUL is set, without a carriage return at the end.
func (r *Reader) trim(line []byte) []byte {
	n := len(line)
	if n > 0 && line[n-1] == '\r' && !r.config.NUL {
		n--
	}
	key := line[:n:n]
	if r.Offset == 0 {
		key = bytes.TrimPrefix(key, []byte(mark))
	}
	return key
}

// errOtherEnds is returned for files from programs that end lines with a
// carriage return alone. Such a file would be a single line.
var errOtherEnds = errors.New(`lines end with a carriage return alone: use tr '\r' '\n'`)

// otherBytes is the number of bytes in which a line feed must be.
const otherBytes = 64 << 10

// hasOtherEnds reports whether a file that begins with this line, or with a
// part of it, has a carriage return but no line feed in its first 64 KiB. whole
// is true if the file consists of this line alone. A carriage return at the end
// of the line does not count, because the line's key does not contain it.
func hasOtherEnds(line []byte, whole bool) bool {
	if !whole && len(line) < otherBytes {
		return false
	}
	first := bytes.IndexByte(line[:min(len(line), otherBytes)], '\r')
	return first >= 0 && first < len(line)-1
}
