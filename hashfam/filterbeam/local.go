package filterbeam

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// Local is like [Files], but without an engine: one goroutine reads all files
// and adds their keys. The frame is the same, except that a Conservative
// sketch, heavy hitters and a top k can be more accurate. Local uses the memory
// of the structure and, for a cuckoo or static filter, an additional 8 bytes
// per key. If report is not nil, it is called with the totals so far after each
// block of a file. As for Files, the program must import the file systems.
//
// It returns [ErrParams] if p is the zero Plan or has parts, if there are no
// patterns, if a pattern matches no file, and if a file becomes shorter or
// longer while Local reads it. It also returns the errors of the file systems,
// and ctx's error if ctx is canceled. After an error, out is unchanged, if its
// file system can rename files.
func Local(ctx context.Context, p Plan, out string, report func(Summary), patterns ...string) (Summary, error) {
	sum := Summary{Output: out, Complete: true}
	if err := p.spec.single(); err != nil {
		return sum, err
	}
	process, err := p.spec.process()
	if err != nil {
		return sum, err
	}
	names, err := newMatchFn(out, patterns).match(ctx)
	if err != nil {
		return sum, err
	}
	b := bundle{collector: process, family: process.family}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := b.readAll(ctx, name, names[name], &sum, report); err != nil {
			return sum, errs.Errorf("%s: %w", name, err)
		}
	}
	made, err := process.finish(ctx, &sum)
	if err != nil {
		return sum, err
	}
	sum.Size, err = replace(ctx, out, made)
	return sum, err
}

// readAll adds all lines in a file whose listed size is given. It reports the
// totals before each batch.
func (b *bundle) readAll(ctx context.Context, name string, size int64, sum *Summary, report func(Summary)) error {
	return readFile(ctx, name, func(file io.Reader) error {
		w := watch(file, size)
		r, err := allLines(w, compressed(name))
		if err != nil {
			return err
		}
		err = b.addLines(ctx, r, func() int {
			b.tally.describe(sum)
			if report != nil {
				report(*sum)
			}
			return len(r.Keys)
		})
		b.tally.describe(sum)
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			err = cmp.Or(w.check(sum), err)
		}
		return err
	})
}

// A watched file counts the bytes that are read from it.
type watched struct {
	io.Reader
	read, size int64     // size is -1 if it is not known
	modified   time.Time // at the start
}

// watch returns a watched file. The size of a regular file is its current size.
// Otherwise, it is the listed size.
func watch(file io.Reader, listed int64) *watched {
	w := &watched{Reader: file, size: listed}
	if info := stat(file); info != nil {
		w.size, w.modified = info.Size(), info.ModTime()
		if !info.Mode().IsRegular() { // such as a pipe
			w.size = -1
		}
	}
	return w
}

// stat returns a description of a local file, or nil.
func stat(file io.Reader) fs.FileInfo {
	if local, ok := file.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := local.Stat(); err == nil {
			return info
		}
	}
	return nil
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.read += int64(n)
	return n, err
}

// check must be called when the whole file has been read. It returns ErrParams
// if this number of bytes differs from the file's size. Otherwise, it counts a
// regular file that was modified while it was read.
func (w *watched) check(sum *Summary) error {
	if w.size < 0 {
		return nil
	}
	if w.read != w.size {
		return errs.Field(ErrParams, "length", w.read, fmt.Sprintf("%d bytes, as before the file was read", w.size))
	}
	if info := stat(w.Reader); info != nil && !info.ModTime().Equal(w.modified) {
		sum.Changed++
	}
	return nil
}
