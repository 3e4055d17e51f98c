package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
)

// errChanged means that the parameters in a file are not those of the program.
var errChanged = errors.New("the configuration has changed")

func inTemporaryFolder(do func(folder string)) {
	folder := hashfam.Must(os.MkdirTemp("", "journal"))
	defer os.RemoveAll(folder)
	do(folder)
}

// After a crash, the filter contains the keys that were added before the last
// Sync.
func Example() {
	inTemporaryFolder(func(folder string) {
		name := filepath.Join(folder, "seen.journal")
		config := bloom.Config{Capacity: 1000, FPRate: 0.01}
		for range 2 {
			seen := hashfam.Must(bloom.New(config))
			j, err := journal.Open(name, seen)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(j.Position(), seen.ContainsString("a"), seen.ContainsString("b"))
			for i, key := range []string{"a", "b"} {
				d := seen.Family().SumString(key)
				seen.AddDigest(d)
				j.Add(d)
				if i == 0 {
					fmt.Println(j.Sync(1))
				}
			}
			j.Close() // as after a crash: b was not synced
		}
	})
	// Output:
	// 0 false false
	// <nil>
	// 1 true false
	// <nil>
}

// A program that must limit its memory reads the parameters first.
func ExampleOpen_limit() {
	inTemporaryFolder(func(folder string) {
		name := filepath.Join(folder, "seen.journal")
		j := hashfam.Must(journal.Open(name, hashfam.Must(bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01}))))
		j.Close()

		file := hashfam.Must(os.Open(name))
		defer file.Close()
		hashfam.Must(file.Seek(72, 0))
		params, err := bloom.ReadParams(file, hashfam.Family{})
		fmt.Println(params.SizeBytes(), err)
	})
	// Output: 1199120 <nil>
}
