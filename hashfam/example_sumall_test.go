package hashfam_test

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

func ExampleFamily_SumAllStrings() {
	var public hashfam.Family
	digests := public.SumAllStrings(nil, []string{"apple", "pear"})
	fmt.Println(len(digests), digests[1] == public.SumString("pear"))
	// Output: 2 true
}

// A slice with room for the digests can be used again and again.
func ExampleFamily_SumAllUint64() {
	var public hashfam.Family
	digests := make([]hashfam.Digest, 0, 3)
	for _, ids := range [][]uint64{{1, 2, 3}, {4, 5}} {
		digests = public.SumAllUint64(digests[:0], ids)
		fmt.Println(len(digests), digests[1] == public.SumUint64(ids[1]))
	}
	// Output:
	// 3 true
	// 2 true
}
