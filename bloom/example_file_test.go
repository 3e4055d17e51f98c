package bloom_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

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
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01}))
	f.AddString("example.org")
	name := filepath.Join(dir, "seen.bloom")
	fmt.Println(hashfam.WriteFile(name, f))
	g, err := load(name)
	fmt.Println(g.Equal(f), err)
	// Output:
	// <nil>
	// true <nil>
}
