package cuckoo_test

import (
	"fmt"

	"github.com/filterfam/filterfam/cuckoo"
)

// A filter that began with room for a thousand keys takes a hundred thousand.
// Its rate stays below the one asked for.
func ExampleNewScalable() {
	s, err := cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range uint64(100_000) {
		if err := s.AddDigest(s.Family().SumUint64(id)); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(s.Len(), s.Pages(), s.FalsePositiveRate() < 0.01)
	fmt.Println(s.DeleteDigest(s.Family().SumUint64(99_999)), s.Len())
	// Output:
	// 100000 355 true
	// true 99999
}
