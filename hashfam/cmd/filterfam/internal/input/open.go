package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A File is an open file, or standard input. When the context of Open is
// canceled, Read stops even if it is waiting for a pipe or a terminal.
type File struct {
	io.Reader
	Info fs.FileInfo
	file *os.File
	stop func()
}

// Open opens a file. The name "-" means standard input. Open returns an error
// if name is a folder, or if ctx is canceled while it waits for the writer of a
// named pipe.
func Open(ctx context.Context, name string) (*File, error) {
	file := os.Stdin
	var err error
	if name != "-" {
		file, err = open(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	f := &File{file, info, file, func() {}}
	switch {
	case err != nil:
		f.Close()
		return nil, Named(name, err)
	case info.IsDir():
		f.Close()
		return nil, Named(name, errors.New("is a folder"))
	case !info.Mode().IsRegular():
		ctx, f.stop = context.WithCancel(ctx)
		f.Reader = newAhead(ctx, file)
	}
	return f, nil
}

// open opens a file, unless ctx is canceled before.
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
		if err != nil {
			return nil, Named(name, err)
		}
		return file, nil
	case <-ctx.Done():
		return nil, Named(name, ctx.Err())
	}
}

// Close closes the file, but not standard input, which can be named twice.
func (f *File) Close() {
	f.stop()
	if f.file != os.Stdin {
		f.file.Close()
	}
}

// Named returns err with the name of a file, instead of the name that err may
// contain.
func Named(name string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Names returns the names of the files to read: "-" if there are no arguments.
// On Windows, it replaces patterns such as lists\*.txt with the names that
// match, because the command interpreters there do not. It returns an error for
// a pattern that matches nothing.
func Names(args []string) ([]string, error) {
	switch {
	case len(args) == 0:
		return []string{"-"}, nil
	case runtime.GOOS == "windows":
		return expand(args)
	}
	return args, nil
}

// expand replaces patterns with the names that match.
func expand(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		_, err := os.Lstat(arg)
		if err == nil || !strings.ContainsAny(arg, "*?[") {
			names = append(names, arg)
			continue
		}
		matches, err := filepath.Glob(arg)
		if err != nil {
			return nil, Named(arg, errors.New("is not a valid pattern"))
		}
		if len(matches) == 0 {
			return nil, Named(arg, errors.New("no file has such a name"))
		}
		names = append(names, matches...)
	}
	return names, nil
}

// CheckOutput returns an error if one of the named files is the output, which
// would then grow while it is read, perhaps without end. This can only happen
// if the output is a regular file. output can be the info of os.Stdout, for
// example.
func CheckOutput(names []string, output fs.FileInfo) error {
	if !output.Mode().IsRegular() {
		return nil
	}
	for _, name := range names {
		in, err := stat(name)
		if err == nil && os.SameFile(in, output) {
			return Named(name, errors.New("is also the output"))
		}
	}
	return nil
}

// stat returns the info of a file. The name "-" is standard input.
func stat(name string) (fs.FileInfo, error) {
	if name == "-" {
		return os.Stdin.Stat()
	}
	return os.Stat(name)
}
