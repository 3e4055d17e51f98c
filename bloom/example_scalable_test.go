package bloom_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/data"
)

// A stream of unknown length: the filter expects 1,000 keys and gets 13,756.
func ExampleScalable() {
	s, err := bloom.NewScalable(bloom.ScalableConfig{Expected: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, distinct := map[string]bool{}, 0
	for _, page := range data.RequestsWeb12() {
		exact[page] = true
		if !s.ContainsOrAddString(page) {
			distinct++
		}
	}
	fmt.Printf("%d distinct pages, %d of them found to be new\n", len(exact), distinct)
	fmt.Printf("%d stages, %.1f bits per key, rate %.2f %%\n",
		s.Stages(), float64(8*s.SizeBytes())/float64(len(exact)), 100*s.FalsePositiveRate())
	fmt.Printf("about %.0f keys\n", s.EstimatedLen())
	// Output:
	// 13756 distinct pages, 13667 of them found to be new
	// 4 stages, 15.7 bits per key, rate 0.81 %
	// about 13663 keys
}

// A plain filter becomes a further stage.
func ExampleScalable_Attach() {
	lastYear := filter("anna")
	s, err := bloom.NewScalable(bloom.ScalableConfig{Expected: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Attach(lastYear), s.Stages(), s.ContainsString("anna"))
	s.Reset()
	fmt.Println(s.Stages(), s.ContainsString("anna"))
	// Output:
	// <nil> 2 true
	// 1 false
}
