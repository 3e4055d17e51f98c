package filterbeam

import "fmt"

// A Summary is the result of a job.
type Summary struct {
	Output string // the file that was written
	Keys   uint64 // keys read, copies included
	Files  uint64 // files read
	Bytes  uint64 // bytes of these files, after decompression
	Size   uint64 // bytes of the encoded structure

	// Binary is the number of files that hardly hold lines: they begin with
	// zero bytes, or are compressed and not named .gz. Their lines are read.
	Binary uint64

	// Distinct is the number of different keys of a cuckoo or a static filter;
	// 0 for other structures, which do not know it.
	Distinct uint64

	// FPRate is the false-positive rate of the filter that was made; 0 for a
	// sketch, heavy hitters and a top k.
	FPRate float64

	// Complete reports whether heavy hitters or a top k are certain to miss no
	// key. It is true for every other structure.
	Complete bool
}

// String returns the summary as a line of text.
func (s Summary) String() string {
	text := fmt.Sprintf("%s: %d keys", s.Output, s.Keys)
	if s.Files > 0 {
		text = fmt.Sprintf("%s: %d lines of %d files", s.Output, s.Keys, s.Files)
	}
	if s.Distinct > 0 {
		text += fmt.Sprintf(", %d distinct keys", s.Distinct)
	}
	text += fmt.Sprintf(", %d bytes", s.Size)
	if s.FPRate > 0 {
		text += fmt.Sprintf(", false-positive rate %.3g %%", 100*s.FPRate)
	}
	if !s.Complete {
		text += ", may miss keys"
	}
	return text
}
