package bloom_test

import (
	"fmt"
	"slices"
	"sync"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/data"
)

// Eight goroutines share a filter and count distinct pages: for each page only
// one of them gets false.
func ExampleNewConcurrent() {
	seen, err := bloom.NewConcurrent(bloom.Config{Capacity: 20_000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	requests := data.RequestsWeb12()
	distinct := make([]int, 8)
	var wg sync.WaitGroup
	for worker := range distinct {
		wg.Go(func() {
			for i := worker; i < len(requests); i += len(distinct) {
				if !seen.ContainsOrAddString(requests[i]) {
					distinct[worker]++
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range distinct {
		total += n
	}
	exact := len(slices.Compact(slices.Sorted(slices.Values(requests))))
	fmt.Println("within 1 %:", total <= exact && total > exact-exact/100)
	// Output: within 1 %: true
}

// A concurrent filter is made from a plain one, and a snapshot of it is one.
func ExampleConcurrent_Snapshot() {
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01, Layout: bloom.Blocked})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("a")
	c, err := bloom.NewConcurrentFrom(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	c.AddString("b")
	encoded, err := c.Snapshot().MarshalBinary() // while others add keys
	fmt.Println(len(encoded), err)
	other, err := bloom.NewFromParams(c.Params())
	if err != nil {
		fmt.Println(err)
		return
	}
	other.AddString("c")
	fmt.Println(c.Merge(other), c.ContainsAllStrings(nil, []string{"a", "b", "c", "d"}))
	fmt.Printf("about %.0f keys in %d bytes\n", c.EstimatedLen(), c.SizeBytes())
	c.Reset()
	fmt.Println(c.FillRatio(), c)
	// Output:
	// 1352 <nil>
	// <nil> [true true true false]
	// about 3 keys in 1280 bytes
	// 0 bloom.Concurrent(blocked, 10240 bits, 7 hashes, family public)
}
