package block

import (
	"bufio"
	"errors"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// An End describes where the blocks of a file end.
type End struct {
	At       int64  // the offset in the file
	Place    uint64 // see [After]
	Position uint64 // in the last block
}

// Scan reads the blocks of a file of the given size, from the offset begin on,
// and passes every block to each. It returns the end of the last complete
// block. If this is before the end of the file, an interrupted block follows,
// which can be cut off.
//
// Scan returns ErrCorrupt if there is no complete block, or if an interrupted
// write cannot explain the damage of a block. Since a block is written only
// when the one before it is on the disk, an interrupted block is always the
// last one. So if a complete frame begins at a damaged block or after it, the
// file was damaged later.
func Scan(file io.ReaderAt, begin, size int64, check uint64, m *fault.Maker, each func(Block) error) (End, error) {
	end := End{At: begin}
	var err error
	if end.Place, err = AfterStructure(file, begin); err != nil {
		return end, err
	}
	r := &rest{bufio.NewReaderSize(section(file, begin, size), bufferBytes), size - begin}
	for end.At < size || end.At == begin {
		b, n, err := read(r, check, m)
		if err == nil && b.Previous != end.Place {
			err = m.Field(hashfam.ErrCorrupt, "previous checksums", b.Previous, "those of the frame before the block")
		}
		if err != nil {
			return end, interrupted(file, end.At, begin, size, err)
		}
		if err := each(b); err != nil {
			return end, err
		}
		if end.Place, err = afterBlock(file, end.At, n); err != nil {
			return end, err
		}
		end.At += n
		end.Position = b.Position
	}
	return end, nil
}

const bufferBytes = 1 << 20

// A rest reads the remaining bytes of a file. Since it has the method Len,
// package frame allocates the words of a block at once.
type rest struct {
	r io.Reader
	n int64
}

func (r *rest) Len() int { return int(min(r.n, 1<<31-1)) }

func (r *rest) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.n -= int64(n)
	return n, err
}

func section(file io.ReaderAt, from, to int64) *io.SectionReader {
	return io.NewSectionReader(file, from, to-from)
}

// afterBlock returns the place after a block of n bytes that begins at the
// offset at. See [After].
func afterBlock(file io.ReaderAt, at, n int64) (uint64, error) {
	var header, end [wordBytes]byte
	if _, err := file.ReadAt(header[:], at+headerBytes-wordBytes); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(section(file, at+n-wordBytes, at+n), end[:]); err != nil {
		return 0, err
	}
	return place(header[:], end[:]), nil
}

// interrupted is called with the error of reading the block at the offset at.
// It returns nil if an interrupted write explains the error, and an error
// otherwise.
func interrupted(file io.ReaderAt, at, begin, size int64, err error) error {
	if !errors.Is(err, hashfam.ErrCorrupt) || at == begin {
		return err
	}
	found, failed := frameAfter(file, at, size)
	if failed != nil {
		return failed
	}
	if found {
		return err
	}
	return nil
}

const magic = "\xf1fam"

// frameAfter reports whether a complete frame begins at the offset at or a
// multiple of eight bytes later.
func frameAfter(file io.ReaderAt, at, size int64) (bool, error) {
	r := bufio.NewReaderSize(section(file, at, size), bufferBytes)
	for ; ; at += wordBytes {
		first, err := r.Peek(frame.MaxHeader)
		if err != nil && err != io.EOF {
			return false, err
		}
		if len(first) < wordBytes {
			return false, nil
		}
		if string(first[:len(magic)]) == magic && isFrame(section(file, at, size), first) {
			return true, nil
		}
		if _, err := r.Discard(wordBytes); err != nil {
			return false, err
		}
	}
}

// isFrame reports whether r begins with a complete frame, whose header is in
// first.
func isFrame(r *io.SectionReader, first []byte) bool {
	h, err := frame.Identify(first)
	return err == nil && h.Size() <= uint64(r.Size()) && frame.Verify(r, h) == nil
}
