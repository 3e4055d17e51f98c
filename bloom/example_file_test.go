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

// save replaces a file by the encoding of f, a structure of any kind. After a
// crash of the program or of the machine the file is the old one or the new
// one, and never a part of one: the new one is on the disk before it gets the
// name. After save has returned nil, it is the new one. A crash can leave a
// file behind whose name begins with ".filter-".
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

// syncDir writes the names of files in a directory to the disk. Windows has no
// call for that.
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

// A filter is kept in a file from one run to the next.
func Example_saveToFile() {
	dir, err := os.MkdirTemp("", "filter")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
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

// Ten workers build a filter each, and one merges them.
func ExampleFilter_MergeAll() {
	p, err := bloom.Config{Capacity: 100_000, FPRate: 0.01}.Params()
	if err != nil {
		fmt.Println(err)
		return
	}
	parts := make([]*bloom.Filter, 10)
	for worker := range parts {
		if parts[worker], err = bloom.NewFromParams(p); err != nil {
			fmt.Println(err)
			return
		}
		for i := range uint64(10_000) {
			parts[worker].AddUint64(uint64(worker)<<32 | i)
		}
	}
	err = parts[0].MergeAll(parts[1:]...)
	fmt.Printf("about %.0f keys, %v\n", parts[0].EstimatedLen(), err)
	// Output: about 99884 keys, <nil>
}

// A filter that got far fewer keys than it was made for is folded before it is
// sent.
func ExampleFilter_FoldTo() {
	f, err := bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range uint64(100_000) {
		f.AddUint64(i)
	}
	fmt.Println(f.SizeBytes(), f.FoldTo(0.01))
	fmt.Printf("%d bytes, rate %.2f %%\n", f.SizeBytes(), 100*f.FalsePositiveRate())
	// Output:
	// 1199120 <nil>
	// 149896 bytes, rate 0.33 %
}
