package filterbeam

import (
	"encoding/binary"
	"fmt"
)

// A Summary is the result of a job.
type Summary struct {
	Output string // the file that was written
	Keys   uint64 // keys read, copies included
	Files  uint64 // files read
	Bytes  uint64 // bytes of these files, after decompression
	Size   uint64 // bytes of the encoded structure

	// FPRate is the expected false-positive rate if no key occurs twice; 0 for
	// a sketch, heavy hitters and a top k.
	FPRate float64

	// Complete reports whether heavy hitters or a top k are certain to miss no
	// key. It is true for every other structure.
	Complete bool
}

// String returns the summary as a line of text.
func (s Summary) String() string {
	text := fmt.Sprintf("%s: %d keys of %d files, %d bytes", s.Output, s.Keys, s.Files, s.Size)
	if s.FPRate > 0 {
		text += fmt.Sprintf(", expected false-positive rate %.3g %%", 100*s.FPRate)
	}
	if !s.Complete {
		text += ", may miss keys"
	}
	return text
}

// A tally counts what a bundle has read.
type tally struct{ keys, files, bytes uint64 }

const tallyBytes = 24

func (t tally) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, t.keys)
	dst = binary.LittleEndian.AppendUint64(dst, t.files)
	return binary.LittleEndian.AppendUint64(dst, t.bytes)
}

// add adds an encoded tally to t.
func (t *tally) add(encoded []byte) error {
	if len(encoded) != tallyBytes {
		return errs.Field(ErrCorrupt, "length of a tally", len(encoded), fmt.Sprint(tallyBytes))
	}
	t.keys += binary.LittleEndian.Uint64(encoded)
	t.files += binary.LittleEndian.Uint64(encoded[8:])
	t.bytes += binary.LittleEndian.Uint64(encoded[16:])
	return nil
}

// add adds an encoded tally to the sum.
func (s *Summary) add(encoded []byte) error {
	t := tally{s.Keys, s.Files, s.Bytes}
	err := t.add(encoded)
	s.Keys, s.Files, s.Bytes = t.keys, t.files, t.bytes
	return err
}
