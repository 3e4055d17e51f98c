package bloom_test

import (
	"bytes"
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/data"
)

// A stream of unknown length: the filter expects 1,000 keys and gets 13,756.
func ExampleNewScalable() {
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

// All forms of keys, and batches.
func ExampleScalable() {
	s, err := bloom.NewScalable(bloom.ScalableConfig{Expected: 100, FPRate: 0.01, Layout: bloom.Blocked})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.AddString("a")
	s.Add([]byte("b"))
	s.AddDigest(s.Config().Family.SumString("c"))
	s.AddAllStrings([]string{"d", "e"})
	s.AddSeq(bytes.SplitSeq([]byte("f g"), []byte(" ")))
	fmt.Println(s.ContainsString("c"), s.ContainsOrAdd([]byte("h")), s.Contains([]byte("h")))
	fmt.Println(s.ContainsAllStrings(nil, []string{"e", "g", "i"}))
	fmt.Println(s)
	// Output:
	// true false true
	// [true true false]
	// bloom.Scalable(blocked, 100 keys expected, rate 0.01, family public, stages: 1)
}

// A plain filter becomes a further stage.
func ExampleScalable_Merge() {
	old, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	old.AddString("last year")
	s, err := bloom.NewScalable(bloom.ScalableConfig{Expected: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Merge(old), s.Stages(), s.ContainsString("last year"))
	s.Reset()
	fmt.Println(s.Stages(), s.ContainsString("last year"))
	// Output:
	// <nil> 2 true
	// 1 false
}

func ExampleNewScalableReceiver() {
	s, err := bloom.NewScalable(bloom.ScalableConfig{Expected: 10, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range uint64(100) {
		s.AddUint64(i)
	}
	var file bytes.Buffer
	n, err := s.WriteTo(&file)
	fmt.Println(n, err)
	t := bloom.NewScalableReceiver(s.Config().Family)
	_, err = t.ReadFrom(&file)
	fmt.Println(t.Equal(s), t.Equal(s.Clone()), err)
	// Output:
	// 584 <nil>
	// true true <nil>
}
