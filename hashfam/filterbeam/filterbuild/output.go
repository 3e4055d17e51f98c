package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
	"github.com/filterfam/filterfam/internal/replace"
)

// checkOutput returns an error if the output cannot be written, or if it exists
// and -force is not set.
func (o *options) checkOutput(ctx context.Context) error {
	fs, err := filesystem.New(ctx, o.output)
	if err != nil {
		return err
	}
	defer fs.Close()
	if !strings.Contains(o.output, "://") {
		if err := o.checkLocal(); err != nil {
			return err
		}
	}
	exists, err := pattern.Exists(ctx, fs, o.output)
	if err == nil && exists && !o.force {
		err = fmt.Errorf("%s exists; -force replaces it", o.output)
	}
	return err
}

// checkLocal returns an error if a local output cannot be written, or exists
// but is not a regular file, or is the key's file.
func (o *options) checkLocal() error {
	name := o.output
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("-o %s is a %s, want the name of a file", name, kindOf(info.Mode()))
	}
	if key, unknown := os.Stat(o.keyFile); err == nil && unknown == nil && os.SameFile(info, key) {
		return fmt.Errorf("-o %s is the file of the secret key", name)
	}
	if _, err := os.Stat(filepath.Dir(name)); os.IsNotExist(err) {
		return nil // the job will create it
	}
	err = replace.Check(name)
	var path *os.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("-o %s: %w", name, path.Err)
	}
	return err
}

// kindOf names a type of file that is not regular.
func kindOf(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&os.ModeSymlink != 0:
		return "link"
	}
	return "device"
}
