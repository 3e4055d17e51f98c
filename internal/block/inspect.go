package block

import (
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// Contents describes a journal.
type Contents struct {
	Structures int    // frames between the start and the blocks; several if the structure is sharded
	Position   uint64 // in the last block
	Blocks     int    // without the start
	Records    uint64 // keys that were added or deleted, and times, since the structure was written
	Cut        int64  // bytes of an interrupted block at the end, which will be cut off
}

// Inspect reads the journal in a file of the given size, which begins with the
// header h, and verifies all of it. It does not need the family's key.
func Inspect(file io.ReaderAt, size int64, h frame.Header, m *fault.Maker) (Contents, error) {
	var c Contents
	if err := ReadStart(section(file, 0, size), h.Check, m); err != nil {
		return c, err
	}
	begin := int64(StartBytes)
	for {
		inner, err := headerAt(file, begin, size)
		if err != nil {
			return c, err
		}
		if inner.Kind == frame.Journal {
			break
		}
		if inner.Check != h.Check {
			return c, m.Field(hashfam.ErrCorrupt, "family of the structure", inner.Family(), h.Family())
		}
		if err := frame.Verify(section(file, begin, size), inner); err != nil {
			return c, err
		}
		c.Structures++
		begin += int64(inner.Size())
	}
	if c.Structures == 0 {
		return c, m.Field(hashfam.ErrCorrupt, "structures", 0, "at least 1")
	}
	end, err := Scan(file, begin, size, h.Check, m, c.count(m))
	c.Position = end.Position
	c.Cut = size - end.At
	return c, err
}

// headerAt returns the header of the frame at an offset.
func headerAt(file io.ReaderAt, at, size int64) (frame.Header, error) {
	first := make([]byte, min(frame.MaxHeader, max(0, size-at)))
	if _, err := io.ReadFull(section(file, at, size), first); err != nil && err != io.EOF {
		return frame.Header{}, err
	}
	return frame.Identify(first)
}

// count returns a function that counts blocks and records.
func (c *Contents) count(m *fault.Maker) func(Block) error {
	return func(b Block) error {
		c.Blocks++
		return EachRun(b.Words, m, func(_ Op, _ int, run []uint64) error {
			c.Records += uint64(len(run))
			return nil
		})
	}
}
