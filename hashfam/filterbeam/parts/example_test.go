package parts_test

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"testing/fstest"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/hashfam/filterbeam/parts"
)

// written returns the files that a job writes for a filter with one part, which
// contains ada and grace. A program uses os.DirFS with the job's directory
// instead.
func written() fs.FS {
	frame, err := bloom.AppendFrame(nil, bloom.Config{Capacity: 100, FPRate: 0.01}, hashfam.Family{}.SumAllStrings(nil, []string{"ada", "grace"}))
	if err != nil {
		panic(err)
	}
	x := index.Index{Version: 1, Kind: "bloom", Check: hashfam.Family{}.CheckValue(), Parts: []index.Part{
		{Name: "users-0", Bytes: int64(len(frame)), CRC: crc32.Checksum(frame, index.Table)},
	}}
	data, err := x.Append(nil)
	if err != nil {
		panic(err)
	}
	return fstest.MapFS{"users": {Data: data}, "users-0": {Data: frame}}
}

// A server opens the index that a job has written, and queries keys.
func Example() {
	f, err := parts.Open(written(), "users", hashfam.Family{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, user := range []string{"grace", "alan"} {
		found, err := f.ContainsString(user) // reads the key's part, once
		fmt.Println(user, found, err)
	}
	// Output:
	// grace true <nil>
	// alan false <nil>
}
