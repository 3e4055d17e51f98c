package countmin_test

import (
	"fmt"
	"sync"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/internal/data"
)

// Eight goroutines count the words of a novel. Readers never wait for them.
func ExampleNewConcurrentSketch() {
	s, err := countmin.NewConcurrentSketch(countmin.Config{Epsilon: 0.0001, Delta: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	words := data.Tokens(data.MobyDick())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { s.AddAllStrings(words[i*len(words)/8 : (i+1)*len(words)/8]) })
	}
	wg.Wait()
	low, high := s.BoundsString("whale")
	fmt.Println(s.Total(), s.CountString("whale"), low <= 1226 && 1226 <= high)
	// Output: 219047 1240 true
}

func concurrentSketch() *countmin.ConcurrentSketch {
	s, err := countmin.NewConcurrentSketch(countmin.Config{Width: 1000, Depth: 4})
	if err != nil {
		panic(err)
	}
	return s
}

// A snapshot is a plain sketch, which can be encoded.
func ExampleConcurrentSketch_Snapshot() {
	s := concurrentSketch()
	s.AddNString("a", 3)
	plain := s.Snapshot()
	s.AddString("a")
	encoded, err := plain.MarshalBinary()
	fmt.Println(plain.CountString("a"), s.CountString("a"), len(encoded), err)
	// Output: 3 4 16072 <nil>
}

// A sketch that was built by one goroutine, or decoded, goes on with many.
func ExampleNewConcurrentSketchFrom() {
	plain, _ := countmin.New(countmin.Config{Width: 1000, Depth: 4})
	plain.AddNString("a", 3)
	s, err := countmin.NewConcurrentSketchFrom(plain)
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Add([]byte("a"))
	fmt.Println(s.CountString("a"), s.Total(), s.SizeBytes(), s.Params())
	// Output: 4 4 16000 plain, 4 x 1000 counters of 32 bits, family public
}

func ExampleConcurrentSketch_Remove() {
	s := concurrentSketch()
	s.AddN([]byte("a"), 3)
	fmt.Println(s.Remove([]byte("a")), s.Count([]byte("a")))
	fmt.Println(s.RemoveN([]byte("a"), 3))
	// Output:
	// <nil> 2
	// countmin: invalid parameters: n = 3, want at most the key's count, 2
}

func ExampleConcurrentSketch_Reset() {
	s := concurrentSketch()
	s.AddN([]byte("a"), 3)
	s.Reset()
	s.Add([]byte("a"))
	fmt.Println(s.Count([]byte("a")), s.Total())
	// Output: 1 1
}

func ExampleConcurrentSketch_CountAll() {
	s := concurrentSketch()
	s.AddAll([][]byte{[]byte("a"), []byte("b"), []byte("a")})
	fmt.Println(s.CountAll(nil, [][]byte{[]byte("a"), []byte("b"), []byte("c")}))
	// Output: [2 1 0]
}

// Several goroutines count the requests of a shop, and any of them may ask for
// the top pages while the others go on.
func ExampleNewConcurrentHeavyHitters() {
	h, err := countmin.NewConcurrentHeavyHitters(countmin.HeavyConfig{Phi: 0.003})
	if err != nil {
		fmt.Println(err)
		return
	}
	pages := data.RequestsWeb12()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { h.AddAllStrings(pages[i*len(pages)/4 : (i+1)*len(pages)/4]) })
	}
	wg.Wait()
	printAll(h.All())
	fmt.Println(h.Total(), h.Threshold(), h.Complete())
	// Output:
	// 282 914, 55 909, 68 727, 131 724, 153 713, 34 699, 367 615, 4 557, 288 477, 39 460, 76 430, 229 408, 379 375, 355 368, 785 359, 29 345, 11 333, 160 320, 123 310, 266 307, 188 302, 909 294, 241 293, 21 291
	// 95607 287 true
}

func concurrentHeavy() *countmin.ConcurrentHeavyHitters {
	h, err := countmin.NewConcurrentHeavyHitters(countmin.HeavyConfig{Phi: 0.3})
	if err != nil {
		panic(err)
	}
	return h
}

// A snapshot is plain heavy hitters, which can be encoded and merged.
func ExampleConcurrentHeavyHitters_Snapshot() {
	h := concurrentHeavy()
	h.AddNString("a", 3)
	h.AddString("b")
	plain := h.Snapshot()
	h.AddNString("b", 5)
	fmt.Println(plain.Merge(h.Snapshot()))
	printAll(plain.All())
	// Output:
	// <nil>
	// b 7, a 6
}

func ExampleNewConcurrentHeavyHittersFrom() {
	h, err := countmin.NewConcurrentHeavyHittersFrom(heavyHitters("a", "b", "a"))
	if err != nil {
		fmt.Println(err)
		return
	}
	h.Add([]byte("b"))
	printAll(h.All())
	fmt.Println(h.EstimateString("a"), h.MissBound())
	// Output:
	// a 2, b 2
	// {2 2 2} 0
}

func ExampleConcurrentHeavyHitters_Reset() {
	h := concurrentHeavy()
	h.AddString("a")
	h.Reset()
	fmt.Println(h.Total(), h.Params())
	// Output: 0 phi 0.3, memory as needed, family public
}

// The counts of ten workers are one sketch.
func ExampleSketch_MergeAll() {
	workers := make([]*countmin.Sketch, 10)
	for i := range workers {
		workers[i], _ = countmin.New(countmin.Config{Width: 1000, Depth: 4})
		workers[i].AddNString("a", uint64(i))
	}
	err := workers[0].MergeAll(workers[1:]...)
	fmt.Println(workers[0].CountString("a"), err)
	// Output: 45 <nil>
}

func ExampleHeavyHitters_MergeAll() {
	h := heavyHitters()
	err := h.MergeAll(heavyHitters("a", "b"), heavyHitters("a", "c"), heavyHitters("a", "d"))
	printAll(h.All())
	fmt.Println(h.Total(), h.Complete(), err)
	// Output:
	// a 3
	// 6 true <nil>
}

func ExampleTopK_MergeAll() {
	var tops []*countmin.TopK
	for _, words := range [][]string{{"a", "b"}, {"b", "c"}, {"a", "b"}} {
		k, _ := countmin.NewTopK(countmin.TopKConfig{K: 2})
		k.AddAllStrings(words)
		tops = append(tops, k)
	}
	err := tops[0].MergeAll(tops[1:]...)
	printAll(tops[0].All())
	fmt.Println(err)
	// Output:
	// b 3, a 2
	// <nil>
}
