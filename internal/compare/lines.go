package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A reader reads keys from files. It shows a bar on stderr.
type reader struct {
	ctx    context.Context
	stdin  io.Reader
	stderr io.Writer
}

// read adds the lines of a file, or of standard input for "-", to set. It holds
// the keys and one line in memory, never the whole file.
func (r reader) read(flag, name string, set, exclude *keySet) (dropped, error) {
	c, err := r.readFile(flag, name, set, exclude)
	if err != nil && r.ctx.Err() == nil {
		err = fmt.Errorf("%s %s: %w", flag, printable(name), pathless(err))
		if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
			err = fmt.Errorf("%w; under go run -C internal/compare, relative paths start at internal/compare", err)
		}
	}
	return c, err
}

func (r reader) readFile(flag, name string, set, exclude *keySet) (dropped, error) {
	in, size := r.stdin, int64(-1)
	if name != "-" {
		file, err := await(r.ctx, func() (*os.File, error) { return os.Open(name) })
		if err != nil {
			return dropped{}, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		in = file
	}
	text, packed, err := unpack(patient{r.ctx, in})
	if err != nil {
		return dropped{}, err
	}
	if packed {
		size = -1
	}
	if start, _ := text.Peek(8 << 10); bytes.IndexByte(start, 0) >= 0 {
		fmt.Fprintf(r.stderr, "compare: warning: %s %s looks like a binary file; every line of it is taken as a key\n", flag, printable(name))
	}
	if size > 0 {
		set.bytes = slices.Grow(set.bytes, int(min(size, 1<<30))) // growing step by step would need twice the memory
	}
	step, finish := newProgress(r.stderr, "reading "+show(name), size, inBytes)
	defer finish()
	return distinct(r.ctx, set, text, exclude, step)
}

// A patient reads from a source that may have nothing to read for long, such as
// a pipe. If ctx ends, it waits no longer.
type patient struct {
	ctx context.Context
	in  io.Reader
}

func (p patient) Read(b []byte) (int, error) {
	return await(p.ctx, func() (int, error) { return p.in.Read(b) })
}

// await returns what do returns, or the error of ctx if that ends first: then
// do goes on in its goroutine, and its result is lost.
func await[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
	if ctx.Err() != nil {
		return result, ctx.Err()
	}
	done := make(chan struct{})
	var late T
	var lateErr error
	go func() {
		defer close(done)
		late, lateErr = do()
	}()
	select {
	case <-done:
		return late, lateErr
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

// unpack returns the text of a file and whether it was packed with gzip.
func unpack(in io.Reader) (text *bufio.Reader, packed bool, err error) {
	text = bufio.NewReaderSize(in, 1<<16)
	if magic, _ := text.Peek(2); string(magic) != "\x1f\x8b" {
		return text, false, nil
	}
	z, err := gzip.NewReader(text)
	if err != nil {
		return nil, true, gzipError(err)
	}
	return bufio.NewReaderSize(unpacker{z}, 1<<16), true, nil
}

// An unpacker names gzip in its errors.
type unpacker struct{ z *gzip.Reader }

func (u unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && err != io.EOF {
		err = gzipError(err)
	}
	return n, err
}

// gzipError names gzip, which some errors of its package do by themselves.
func gzipError(err error) error {
	if strings.HasPrefix(err.Error(), "gzip: ") {
		return err
	}
	return fmt.Errorf("gzip: %w", err)
}

// pathless removes the file name from an error: the message has it already.
func pathless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// longestKey bounds the memory that a file without line breaks takes.
const longestKey = 16 << 20

// dropped counts the lines that distinct left out.
type dropped struct {
	repeated, empty, excluded int
	both                      []byte // the first that was excluded
}

// distinct adds each line of text to set unless it is empty, is there already,
// or is in exclude. It reports the bytes read to step, and ends early when ctx
// does.
func distinct(ctx context.Context, set *keySet, text io.Reader, exclude *keySet, step func(int)) (dropped, error) {
	var c dropped
	l := lines{in: bufio.NewReaderSize(text, 1<<16)}
	reported := 0
	for {
		line, err := l.next()
		if l.read-reported >= 1<<16 || err != nil {
			step(l.read - reported)
			reported = l.read
			if ctx.Err() != nil {
				return c, ctx.Err()
			}
		}
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return c, err
		}
		if err := c.take(set, exclude, line); err != nil {
			return c, err
		}
	}
}

// take adds a line to set or counts why not.
func (c *dropped) take(set, exclude *keySet, line []byte) error {
	switch {
	case len(line) == 0:
		c.empty++
	case exclude != nil && exclude.has(line):
		if c.excluded++; c.both == nil {
			c.both = bytes.Clone(line)
		}
	case uint64(set.len()) == mostKeys:
		return fmt.Errorf("more than %s keys", thousands(uint64(mostKeys)))
	case !set.add(line):
		c.repeated++
	}
	return nil
}

// lines splits text into lines. A line ends with \n or \r\n, the last one
// perhaps with neither; any other byte belongs to the key.
type lines struct {
	in     *bufio.Reader
	number int    // of the line read last
	read   int    // bytes
	long   []byte // a line that is longer than the buffer
}

// next returns the next line without its end, valid until the next call, or
// io.EOF after the last one.
func (l *lines) next() ([]byte, error) {
	l.number++
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		l.read += len(part)
		switch {
		case err == bufio.ErrBufferFull:
			if l.long = append(l.long, part...); len(l.long) > longestKey {
				return nil, fmt.Errorf("line %s is longer than %s bytes: want one key per line", thousands(l.number), thousands(longestKey))
			}
			continue
		case err == io.EOF && len(part)+len(l.long) > 0: // the last line has no end
		case err != nil:
			return nil, err
		}
		if len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r")), nil
	}
}
