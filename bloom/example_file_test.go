package bloom_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/filterfam/filterfam/bloom"
)

// save replaces a file with the encoding of f, which can be any structure. When
// the program or the machine crashes, the file is either the old or the new
// one, and always complete, because the new file is on the disk before it is
// renamed. After save has returned nil, it is the new file. A crash can leave
// behind a file whose name begins with ".filter-".
func save(f io.WriterTo, name string) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".filter-*")
	if err != nil {
		return err
	}
	_, err = f.WriteTo(file)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		os.Remove(file.Name())
		return err
	}
	return syncDir(filepath.Dir(name))
}

// syncDir writes the names of a directory's files to the disk. Windows has no
// call for this.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// load returns the filter in a file.
func load(name string) (*bloom.Filter, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := new(bloom.Filter)
	_, err = f.ReadFrom(file)
	return f, err
}

// This example saves a filter to a file and loads it again.
func Example_saveToFile() {
	dir, err := os.MkdirTemp("", "filter")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		panic(err)
	}
	f.AddString("example.org")
	name := filepath.Join(dir, "seen.bloom")
	fmt.Println(save(f, name))
	g, err := load(name)
	fmt.Println(g.Equal(f), err)
	// Output:
	// <nil>
	// true <nil>
}
