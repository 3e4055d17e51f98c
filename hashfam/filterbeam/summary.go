package filterbeam

import "fmt"

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
