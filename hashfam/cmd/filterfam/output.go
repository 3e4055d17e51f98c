package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/filterfam/filterfam/hashfam"
)

// checkOutput returns an error if the output cannot be written or is one of the
// inputs. It is called before any line is read.
func checkOutput(output string, inputs []string) error {
	if output == "" {
		return errors.New("want -o FILE")
	}
	if output == "-" {
		return nil
	}
	info, err := os.Stat(output)
	if err == nil && info.IsDir() {
		return fmt.Errorf("-o %s: is a folder", output)
	}
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("-o %s: is not a regular file", output)
	}
	for _, input := range inputs {
		other, failed := os.Stat(input)
		if err == nil && failed == nil && os.SameFile(info, other) {
			return fmt.Errorf("-o %s: is also an input", output)
		}
	}
	probe, err := os.CreateTemp(filepath.Dir(output), ".filterfam-*")
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("-o %s: %w", output, path.Err) // path.Path is not the output
	}
	if err != nil {
		return fmt.Errorf("-o %s: %w", output, err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// write writes a structure to the output, whole or not at all.
func write(ctx context.Context, output string, w io.WriterTo) error {
	if output == "-" {
		_, err := w.WriteTo(os.Stdout)
		return err
	}
	err := hashfam.WriteFile(output, stoppable{ctx, w})
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("-o %s: %w", output, path.Err)
	}
	if err != nil {
		return fmt.Errorf("-o %s: %w", output, err)
	}
	return nil
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
