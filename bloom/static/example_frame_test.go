package static_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// A file of sorted keys ends with their filter and a footer that tells where it
// begins. A reader asks the filter where it lies, before it searches the file.
func ExampleFrameReader() {
	var fam hashfam.Family
	table := []byte("apple=1 banana=2 cherry=3")
	digests := fam.SumAllStrings(nil, []string{"apple", "banana", "cherry"})
	start := uint64(len(table))
	table, err := static.AppendFrame(context.Background(), table, static.Config{FPRate: 0.01}, digests)
	if err != nil {
		fmt.Println(err)
		return
	}
	table = binary.LittleEndian.AppendUint64(table, start)

	reader := static.NewFrameReader(fam) // one for all files
	for _, key := range []string{"banana", "mango"} {
		footer := len(table) - 8
		filter := table[binary.LittleEndian.Uint64(table[footer:]):footer]
		maybe, err := reader.ContainsDigest(filter, fam.SumString(key))
		fmt.Println(key, maybe, err)
	}
	// Output:
	// banana true <nil>
	// mango false <nil>
}
