package cuckoo_test

import (
	"bytes"
	"fmt"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
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

// The memory that a filter takes at first can be checked before it is made.
func ExampleScalableConfig_SizeBytes() {
	c := cuckoo.ScalableConfig{Expected: 100_000, FPRate: 0.01}
	size, err := c.SizeBytes()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f bits per key\n", 8*float64(size)/100_000)
	// Output: 13.2 bits per key
}

// The configuration of an encoded filter is read before the filter is.
func ExampleReadScalableConfig() {
	s, err := cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := s.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cuckoo.ReadScalableConfig(bytes.NewReader(file.Bytes()), hashfam.Family{}))
	// Output: plain, 1000 keys expected, rate 0.01, family public <nil>
}
