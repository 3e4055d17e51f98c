// Package input reads the lines of files and of standard input.
//
// It decompresses gzip, zstd, xz and bzip2, decodes UTF-16 and skips byte order
// marks. For files that it cannot read as lines, such as filters, archives, and
// lists whose lines end with a carriage return, it returns errors that say what
// to do.
package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/filterfam/filterfam/internal/lines"
	"github.com/filterfam/filterfam/internal/memory"
)

// A Config says what the lines and keys of a file are.
type Config struct {
	NUL     bool    // lines end with a zero byte instead of a line break
	Empty   bool    // empty keys are keys; otherwise their lines are skipped
	Key     Columns // the part of a line that is the key
	Fold    bool    // letters that differ only by case are the same, as in strings.EqualFold
	Weight  int     // the field that contains a line's weight, from 1, or 0 for none
	MaxLine int     // length of the longest line in bytes, or 0 for [MaxLine]

	// Frames says what to do with a filter that was given as a file of lines,
	// for example "use merge".
	Frames string

	// Read is called with the number of bytes that have been read, between
	// batches. It may be nil.
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

// Each calls use with all lines of a file, in batches. The name "-" means
// standard input. A batch contains the lines that a single read has completed,
// so lines from a pipe are used as soon as they arrive.
//
// If use returns an error, Each returns it unchanged. Other errors name the
// file, and before Each returns one, it calls use with the complete lines
// before the error. Each stops when ctx is canceled.
func Each(ctx context.Context, name string, c Config, use func(Batch) error) error {
	file, err := Open(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	return named(name, c.each(ctx, file, use))
}

// ownBytes is more than the memory that reading and decompressing needs, not
// counting long lines, the window of zstd and the dictionary of xz.
const ownBytes = 8 << 20

// A useError is an error of the caller's function.
type useError struct{ error }

// named returns err with the name of a file, unless it is nil or an error of
// the caller's function.
func named(name string, err error) error {
	var used useError
	switch {
	case errors.As(err, &used):
		return used.error
	case err == nil:
		return nil
	}
	return Named(name, err)
}

// each calls use with the lines in r.
func (c Config) each(ctx context.Context, r io.Reader, use func(Batch) error) error {
	if err := memory.CheckMore(ownBytes); err != nil {
		return fmt.Errorf("reading lines %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	from := &counted{Reader: r}
	text, err := c.text(ctx, from)
	if err != nil {
		return err
	}
	longest := c.MaxLine
	if longest == 0 {
		longest = MaxLine
	}
	all := lines.NewReader(text, lines.Config{MaxLine: longest, NUL: c.NUL, SkipEmpty: !c.Empty, Fits: memory.CheckMore})
	keys := newKeys(c)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := all.Next()
		if c.Read != nil {
			c.Read(int(from.bytes.Swap(0)))
		}
		if err != nil {
			return err
		}
		if len(all.Keys) == 0 {
			return nil
		}
		batch, failed := keys.of(all)
		if len(batch.Lines) > 0 {
			if err := use(batch); err != nil {
				return useError{err}
			}
		}
		if failed != nil {
			return failed
		}
	}
}

// text returns a reader for the contents of a file as plain text.
func (c Config) text(ctx context.Context, r io.Reader) (io.Reader, error) {
	outer := lines.Recognize(r, c.NUL)
	content := outer
	if isCompressed(outer.Form) {
		decompressed, err := decompress(outer)
		if err != nil {
			return nil, err
		}
		content = lines.Recognize(newAhead(ctx, decompressed), c.NUL)
	}
	switch {
	case content.Form == lines.Plain:
		return content, nil
	case content.Form == lines.UTF16LE, content.Form == lines.UTF16BE:
		return newUTF16(content, content.Form == lines.UTF16BE), nil
	case content != outer && isCompressed(content.Form):
		return nil, errTwice
	case content != outer && content.Form == lines.Frame:
		return nil, fmt.Errorf("after decompression, it %w: decompress it, and %s", content.Refusal(), c.Frames)
	case content.Form == lines.Frame:
		return nil, fmt.Errorf("%w: %s", content.Refusal(), c.Frames)
	}
	if content != outer {
		return nil, fmt.Errorf("after decompression, it %w", content.Refusal())
	}
	return nil, content.Refusal()
}

// errTwice is returned for a compressed file that contains a compressed file.
var errTwice = errors.New("is compressed twice: decompress it once, for example with zcat, zstdcat, xzcat or bzcat")

// A counted reader counts the bytes that are read, perhaps by another
// goroutine.
type counted struct {
	io.Reader
	bytes atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.bytes.Add(int64(n))
	return n, err
}
