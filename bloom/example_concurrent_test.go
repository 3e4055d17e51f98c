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
func ExampleConcurrent() {
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
	c := bloom.NewConcurrentFrom(filter("a"))
	c.AddString("b")
	encoded, err := c.Snapshot().MarshalBinary() // while others add keys
	fmt.Println(len(encoded), err)
	fmt.Println(c.Merge(filter("c")), c.ContainsString("c"))
	fmt.Printf("about %.0f keys in %d bytes\n", c.EstimatedLen(), c.SizeBytes())
	// Output:
	// 1872 <nil>
	// <nil> true
	// about 3 keys in 1800 bytes
}
