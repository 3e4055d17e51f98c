package static_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// withFilter appends the filter of its keys to a table, and a footer of eight
// bytes: where the filter starts.
func withFilter(table []byte, digests []hashfam.Digest) ([]byte, error) {
	start := uint64(len(table))
	table, err := static.AppendFrame(context.Background(), table, static.Config{FPRate: 0.01}, digests)
	return binary.LittleEndian.AppendUint64(table, start), err
}

// mayContain tells whether to search a table, which is in a buffer or mapped.
// After an error it does.
func mayContain(reader static.FrameReader, table []byte, d hashfam.Digest) (bool, error) {
	footer := len(table) - 8
	return reader.ContainsDigest(table[binary.LittleEndian.Uint64(table[footer:]):footer], d)
}

// A file of sorted keys ends with their filter and a footer that tells where it
// begins. A reader asks the filter where it lies, before it searches the file.
func ExampleFrameReader() {
	var fam hashfam.Family
	table, err := withFilter([]byte("ada=1 alan=2 grace=3"), fam.SumAllStrings(nil, []string{"ada", "alan", "grace"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := static.NewFrameReader(fam) // one for all files
	fmt.Println(mayContain(reader, table, fam.SumString("grace")))
	fmt.Println(mayContain(reader, table, fam.SumString("edsger")))
	// Output:
	// true <nil>
	// false <nil>
}
