package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
	"github.com/filterfam/filterfam/internal/replace"
)

// An output is a file that is named by a flag or, if flag is empty, by an
// argument. It is written completely or not at all.
type output struct {
	flag, name string
}

// check returns an error if the output cannot be written or is one of the
// inputs. It is called before any line is read.
func (o output) check(inputs []string) error {
	if o.name == "" {
		return fmt.Errorf("want %s FILE", o.flag)
	}
	info, err := os.Stat(o.name)
	for _, input := range inputs {
		other, failed := statInput(input)
		if err == nil && failed == nil && os.SameFile(info, other) {
			return o.fail(errors.New("is also an input"))
		}
	}
	return o.fail(replace.Check(o.name))
}

// write writes a structure.
func (o output) write(ctx context.Context, w io.WriterTo) error {
	return o.fail(hashfam.WriteFile(o.name, stoppable{ctx, w}))
}

// fail returns an error that names the output as the flag does, or nil if err
// is nil.
func (o output) fail(err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", strings.TrimSpace(o.flag+" "+o.name), err)
}

// checkOutput checks the flag -o, which can be standard output.
func checkOutput(name string, inputs []string) error {
	if name == "-" {
		return checkStdout(inputs)
	}
	return output{"-o", name}.check(inputs)
}

// checkStdout returns an error if standard output is one of the inputs.
func checkStdout(inputs []string) error {
	info, err := os.Stdout.Stat()
	if err != nil {
		return nil // it is closed
	}
	return input.CheckOutput(inputs, info)
}

// write writes a structure to the file that -o names, or to standard output.
func write(ctx context.Context, name string, w io.WriterTo) error {
	if name == "-" {
		_, err := w.WriteTo(os.Stdout)
		return err
	}
	return output{"-o", name}.write(ctx, w)
}

// A stoppable structure stops writing when ctx is canceled.
type stoppable struct {
	ctx context.Context
	io.WriterTo
}

func (s stoppable) WriteTo(w io.Writer) (int64, error) {
	return s.WriterTo.WriteTo(stoppableWriter{s.ctx, w})
}

type stoppableWriter struct {
	ctx context.Context
	io.Writer
}

func (s stoppableWriter) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(b)
}
