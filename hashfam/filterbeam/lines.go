package filterbeam

import (
	"bytes"
	"fmt"
	"io"
)

// maxLine is the length of the longest line in bytes. Keys are far shorter, so
// a longer line means that the file does not contain lines.
const maxLine = 16 << 20

// A scanner reads lines in batches. Unlike a bufio.Scanner, it reports where
// each line starts, and returns many lines at once without copying them.
type scanner struct {
	r      io.Reader
	buffer []byte
	from   int   // start of the bytes in the buffer that have not been returned
	to     int   // end of the bytes that have been read
	offset int64 // of buffer[from] in the file
	ended  bool  // r has returned io.EOF
	skip   bool  // skip the next line

	keys   [][]byte // lines in the last batch
	starts []int64  // offsets of these lines
}

func newScanner(r io.Reader, offset int64) *scanner {
	return &scanner{r: r, buffer: make([]byte, blockBytes), offset: offset}
}

// next reads the next batch of lines into keys and starts. Lines are split as
// by bufio.ScanLines. The batch is empty only at the end of the file. Both
// slices and the lines are valid until the next call.
func (s *scanner) next() error {
	s.keys, s.starts = s.keys[:0], s.starts[:0]
	for len(s.keys) == 0 && !(s.ended && s.from == s.to) {
		if err := s.fill(); err != nil {
			return err
		}
		if err := s.split(); err != nil {
			return err
		}
	}
	return nil
}

// maxBuffer is the size of the longest line with its line end.
const maxBuffer = maxLine + len("\r\n")

// fill moves the remaining bytes to the front of the buffer and reads more. If
// they fill the buffer, they are part of a single line, and the buffer doubles,
// up to maxBuffer.
func (s *scanner) fill() error {
	s.to = copy(s.buffer, s.buffer[s.from:s.to])
	s.from = 0
	if s.to == len(s.buffer) {
		if s.to >= maxBuffer {
			return s.tooLong()
		}
		s.buffer = append(s.buffer, make([]byte, min(s.to, maxBuffer-s.to))...)
	}
	for s.to < len(s.buffer) && !s.ended {
		n, err := s.r.Read(s.buffer[s.to:])
		s.to += n
		s.ended = err == io.EOF
		if err != nil && !s.ended {
			return err
		}
	}
	return nil
}

// tooLong returns the error for a line that is longer than maxLine.
func (s *scanner) tooLong() error {
	return fmt.Errorf("line at byte %d has more than %d bytes", s.offset, maxLine)
}

// split appends the lines in the buffer to the batch.
func (s *scanner) split() error {
	for s.from < s.to {
		rest := s.buffer[s.from:s.to]
		length, next := bytes.IndexByte(rest, '\n'), 1
		if length < 0 && !s.ended {
			return nil
		}
		if length < 0 {
			length, next = len(rest), 0
		}
		key := bytes.TrimSuffix(rest[:length:length], []byte("\r"))
		if len(key) > maxLine {
			return s.tooLong()
		}
		if !s.skip {
			s.keys = append(s.keys, key)
			s.starts = append(s.starts, s.offset)
		}
		s.skip = false
		s.from += length + next
		s.offset += int64(length + next)
	}
	return nil
}
