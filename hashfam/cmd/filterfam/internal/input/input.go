// Package input reads the lines of files and of standard input.
//
// It decompresses gzip, zstd, xz and bzip2, decodes UTF-16 and skips byte order
// marks. Other files that are not lines, for example filters, archives and lists
// whose lines end with a carriage return, are errors that say what to do.
package input

import (
	"context"
	"io"

	"github.com/filterfam/filterfam/internal/lines"
)

// A Config says what the lines and keys of a file are.
type Config struct {
	NUL     bool    // lines end with a zero byte instead of a line break
	Empty   bool    // empty keys are keys; otherwise their lines are skipped
	Key     Columns // the part of a line that is the key
	Fold    bool    // upper and lower case are the same, see [Fold]
	Weight  int     // the field that contains a line's weight, from 1, or 0 for none
	MaxLine int     // length of the longest line in bytes, or 0 for [MaxLine]

	// Frames says what to do with a filter that was given as a file of lines,
	// for example "use merge".
	Frames string

	// Held returns the number of bytes that the caller needs for other things
	// while lines are read. It may be nil.
	Held func() uint64

	// Read is called with the number of bytes after each read. It may be nil.
	Read func(bytes int)
}

// MaxLine is the length of the longest line in bytes. If there is less memory,
// shorter lines are also an error.
const MaxLine = 1 << 30

// A Batch contains some lines. Its slices are valid until the next batch.
type Batch struct {
	Lines   [][]byte // the whole lines without their ends
	Keys    [][]byte // the key of each line
	Weights []uint64 // the weight of each line, or nil without [Config.Weight]
}

// Each calls use with all lines of a file in batches. The name "-" is standard
// input. A batch contains the lines that a single read has completed, so Each
// does not wait for more lines. Before it returns an error, which names the
// file, it calls use with all lines that were complete. If use returns an error,
// Each returns it unchanged. It stops when ctx is canceled.
func Each(ctx context.Context, name string, c Config, use func(Batch) error) error {
	file, err := Open(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	r := lines.NewReader(io.Reader(file), lines.Config{MaxLine: MaxLine, NUL: c.NUL, SkipEmpty: !c.Empty})
	for {
		err := r.Next()
		if err != nil {
			return Named(name, err)
		}
		if len(r.Keys) == 0 {
			return nil
		}
		if err := use(Batch{Lines: r.Keys, Keys: r.Keys}); err != nil {
			return err
		}
	}
}
