package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/lines"
)

// maxLine is the length of the longest line. Tests change it.
var maxLine = 1 << 30

// The readFlags say what a line is.
type readFlags struct {
	nul, empty bool
}

// addRead adds the flags of all subcommands that read lines.
func (c *command) addRead() {
	c.Flags().BoolVarP(&c.read.nul, "null", "0", false, "lines end with a zero byte instead of a line break (also -z)")
	c.Flags().BoolVarP(&c.read.nul, "null-data", "z", false, "")
	c.Flags().Lookup("null-data").Hidden = true
	c.Flags().BoolVar(&c.read.empty, "empty", false, "empty lines are keys; otherwise they are skipped")
	c.addKey()
}

// end returns the byte that ends lines of the output.
func (c *command) end() byte {
	if c.read.nul {
		return 0
	}
	return '\n'
}

// eachBatch calls use with batches of lines of all files, or of standard input
// if there are none, with their digests. The slices are valid during the call.
func (c *command) eachBatch(ctx context.Context, names []string, fam hashfam.Family, use func(keys [][]byte, digests []hashfam.Digest) error) error {
	if len(names) == 0 {
		names = []string{"-"}
	}
	var digests []hashfam.Digest
	for _, name := range names {
		err := c.eachBatchOf(ctx, name, func(keys [][]byte) error {
			digests = fam.SumAll(digests[:0], keys)
			return use(keys, digests)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachBatchOf calls use with batches of lines of a file.
func (c *command) eachBatchOf(ctx context.Context, name string, use func(keys [][]byte) error) error {
	file, err := openInput(ctx, name)
	if err != nil {
		return err
	}
	defer closeInput(file)
	input := &counted{interruptible(ctx, file), c.progress}
	unzipped, err := lines.Unzip(input)
	if err != nil {
		return inFile(name, err)
	}
	r := lines.NewReader(unzipped, lines.Config{MaxLine: maxLine, NUL: c.read.nul, SkipEmpty: !c.read.empty})
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := r.Next()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the compressed data ends too early")
		}
		if err != nil {
			return inFile(name, err)
		}
		if len(r.Keys) == 0 {
			return nil
		}
		c.progress.lines += int64(len(r.Keys))
		if err := use(r.Keys); err != nil {
			return err
		}
	}
}

// open opens a file, unless ctx is canceled before: opening a named pipe waits
// for its writer.
func open(ctx context.Context, name string) (*os.File, error) {
	var file *os.File
	var err error
	done := make(chan struct{})
	go func() {
		file, err = os.Open(name)
		close(done)
	}()
	select {
	case <-done:
		return file, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// openInput opens a file. The name "-" is standard input.
func openInput(ctx context.Context, name string) (*os.File, error) {
	if name == "-" {
		return os.Stdin, nil
	}
	file, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, fmt.Errorf("%s: is a folder", name)
	}
	return file, nil
}

// closeInput closes a file, but not standard input, which can be named twice.
func closeInput(file *os.File) {
	if file != os.Stdin {
		file.Close()
	}
}

// statInput returns the info of a file. The name "-" is standard input.
func statInput(name string) (fs.FileInfo, error) {
	if name == "-" {
		return os.Stdin.Stat()
	}
	return os.Stat(name)
}

// inputs returns the names of all files that are read: those that are given, or
// standard input if there are none, and the file with the secret key.
func (c *command) inputs(names []string) []string {
	all := slices.Clone(names)
	if len(all) == 0 {
		all = append(all, "-")
	}
	if c.keyFile != "" {
		all = append(all, c.keyFile)
	}
	return all
}

// inFile returns err with the name of a file.
func inFile(name string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // without the name
	}
	return fmt.Errorf("%s: %w", name, err)
}

// regular reports whether all names are regular files, which can be read twice.
func regular(names []string) bool {
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return len(names) > 0
}

// A counted reader counts the bytes that are read.
type counted struct {
	io.Reader
	progress *progress
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.read(n)
	return n, err
}

// interruptible returns a reader that stops when ctx is canceled, even while a
// read of a pipe or a terminal is waiting.
func interruptible(ctx context.Context, file *os.File) io.Reader {
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		return file
	}
	w := &waiting{ctx: ctx, chunks: make(chan chunk), wanted: make(chan []byte)}
	go w.readAll(file)
	return w
}

// A waiting reader reads in another goroutine.
type waiting struct {
	ctx    context.Context
	wanted chan []byte
	chunks chan chunk
	buffer []byte
}

type chunk struct {
	n   int
	err error
}

func (w *waiting) readAll(file io.Reader) {
	for buffer := range w.wanted {
		n, err := file.Read(buffer)
		w.chunks <- chunk{n, err}
	}
}

func (w *waiting) Read(b []byte) (int, error) {
	if len(w.buffer) < len(b) {
		w.buffer = make([]byte, len(b))
	}
	select {
	case w.wanted <- w.buffer[:len(b)]:
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	}
	select {
	case got := <-w.chunks:
		return copy(b, w.buffer[:got.n]), got.err
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	}
}
