package countmin_test

import (
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// The words that make up a fiftieth of a novel or more. They are tracked from
// so early on that their counts are exact.
func ExampleNewHeavyHitters() {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 1.0 / 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, word := range data.Tokens(data.MobyDick()) {
		h.AddString(word)
	}
	for word, e := range h.All() {
		fmt.Println(word, e.Count)
	}
	fmt.Println("none is missing:", h.Complete())
	// Output:
	// the 14534
	// of 6624
	// and 6447
	// a 4747
	// to 4627
	// none is missing: true
}

// Memory can be bounded: what is given holds counters, index and keys. A path
// is certain to be a heavy hitter if it counts enough at the least.
func ExampleNewHeavyHitters_budget() {
	h, _ := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 1.0 / 50, MemoryBytes: 16 << 10})
	for _, path := range data.WeblogPaths() {
		h.AddString(path)
	}
	for path, e := range h.All() {
		fmt.Println(e.Low, e.High, path, e.Low >= h.Threshold())
	}
	fmt.Println("fewer than", h.Threshold(), "are not reported: / has", h.EstimateString("/").High)
	// Output:
	// 807 807 /favicon.ico true
	// 546 546 /style2.css true
	// 538 538 /reset.css true
	// 533 533 /images/jordan-80.png true
	// 516 516 /images/web/2009/banner.png true
	// 488 488 /blog/tags/puppet?flav=rss20 true
	// 224 224 /projects/xdotool/ true
	// 217 217 /?flav=rss20 true
	// fewer than 200 are not reported: / has 197
}

// The error of a sketch against its memory, on the words of a novel.
func ExampleSketch_CountString_error() {
	words := data.Tokens(data.MobyDick())
	truth := map[string]uint64{}
	for _, w := range words {
		truth[w]++
	}
	for _, epsilon := range []float64{0.01, 0.001, 0.0001} {
		for _, conservative := range []bool{false, true} {
			s, _ := countmin.New(countmin.Config{Epsilon: epsilon, Delta: 0.01, Conservative: conservative})
			for _, w := range words {
				s.AddString(w)
			}
			sum := uint64(0)
			for w, n := range truth {
				sum += s.CountString(w) - n
			}
			fmt.Printf("%6d bytes, conservative %-5v: mean error %.2f, bound %d\n",
				s.SizeBytes(), conservative, float64(sum)/float64(len(truth)), s.ErrorBound())
		}
	}
	// Output:
	// 5440 bytes, conservative false: mean error 275.82, bound 2189
	//   5440 bytes, conservative true : mean error 153.33, bound 2189
	//  54380 bytes, conservative false: mean error 9.57, bound 218
	//  54380 bytes, conservative true : mean error 4.52, bound 218
	// 543660 bytes, conservative false: mean error 0.03, bound 21
	// 543660 bytes, conservative true : mean error 0.00, bound 21
}

func heavyHitters(keys ...string) *countmin.HeavyHitters {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.3})
	if err != nil {
		panic(err)
	}
	for _, key := range keys {
		h.AddString(key)
	}
	return h
}

func printAll(all func(func(string, countmin.Estimate) bool)) {
	space := ""
	for key, e := range all {
		fmt.Print(space, key, " ", e.Count)
		space = ", "
	}
	fmt.Println()
}

func ExampleHeavyHitters_Add() {
	h := heavyHitters()
	h.Add([]byte("a"))
	h.AddN([]byte("b"), 2)
	h.AddNString("c", 3)
	printAll(h.All())
	// Output: c 3, b 2
}

func ExampleHeavyHitters_AddAll() {
	h := heavyHitters()
	h.AddAll([][]byte{[]byte("a"), []byte("b"), []byte("a")})
	printAll(h.All())
	// Output: a 2, b 1
}

func ExampleHeavyHitters_All() {
	h := heavyHitters("a", "a", "b", "b", "b", "c")
	for key, e := range h.All() {
		fmt.Println(key, e.Count, e.Low, e.High)
	}
	// Output:
	// b 3 3 3
	// a 2 2 2
}

// Every key can be asked for, not only heavy hitters.
func ExampleHeavyHitters_Estimate() {
	h := heavyHitters("a", "a", "b", "b", "b", "c")
	fmt.Println(h.Estimate([]byte("c")), h.EstimateString("absent"))
	fmt.Println(h.EstimateAll(nil, [][]byte{[]byte("a"), []byte("b")}))
	fmt.Println(h.EstimateDigest(h.Params().Family.SumString("b")).Count)
	// Output:
	// {1 1 1} {0 0 0}
	// [{2 2 2} {3 3 3}]
	// 3
}

// A structure that is too small for its keys says so.
func ExampleHeavyHitters_Complete() {
	h, _ := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.01, MemoryBytes: 1024})
	for i := range 10_000 {
		h.AddString(fmt.Sprint("key ", i%100))
	}
	fmt.Println(h.Complete(), h.MissBound() >= 100)
	// Output: false true
}

func ExampleHeavyHitters_Threshold() {
	h := heavyHitters()
	h.AddNString("a", 10)
	fmt.Println(h.Threshold(), h.Total(), h.SizeBytes() > 0)
	// Output: 3 10 true
}

func ExampleHeavyHitters_Merge() {
	monday, tuesday := heavyHitters("a", "b", "b"), heavyHitters("b", "c")
	err := monday.Merge(tuesday)
	printAll(monday.All())
	fmt.Println(err, monday.Total())
	// Output:
	// b 3
	// <nil> 5
}

func ExampleHeavyHitters_Clone() {
	h := heavyHitters("a")
	c := h.Clone()
	h.Reset()
	printAll(c.All())
	fmt.Println(h.Equal(c), h.Equal(heavyHitters()), c)
	// Output:
	// a 1
	// false true countmin.HeavyHitters(phi 0.3, memory as needed, family public)
}

func ExampleHeavyHitters_MarshalBinary() {
	data, err := heavyHitters("a", "a").MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var h countmin.HeavyHitters
	fmt.Println(h.UnmarshalBinary(data))
	printAll(h.All())
	// Output:
	// <nil>
	// a 2
}

// A buffer that is used again spares an allocation.
func ExampleHeavyHitters_AppendBinary() {
	buf, err := heavyHitters("a").AppendBinary([]byte("header"))
	fmt.Printf("%s, then %x, %v\n", buf[:6], buf[6:10], err)
	// Output: header, then f166616d, <nil>
}

func ExampleNewHeavyReceiver() {
	secret := hashfam.New(hashfam.RandomKey())
	h, _ := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.1, Family: secret})
	h.AddString("a")
	data, _ := h.MarshalBinary()
	fmt.Println(errors.Is(new(countmin.HeavyHitters).UnmarshalBinary(data), countmin.ErrFamily))
	fmt.Println(countmin.NewHeavyReceiver(secret).UnmarshalBinary(data))
	// Output:
	// true
	// <nil>
}

func ExampleNewTopK() {
	k, err := countmin.NewTopK(countmin.TopKConfig{K: 3, MemoryBytes: 16 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, page := range data.RequestsWeb12() {
		k.AddString(page)
	}
	for page, e := range k.All() {
		fmt.Println(page, e.Low, e.High)
	}
	fmt.Println("certainly the top three:", k.Complete())
	// Output:
	// 282 912 914
	// 55 909 909
	// 68 727 727
	// certainly the top three: true
}

func topOf(k int, keys ...string) *countmin.TopK {
	t, err := countmin.NewTopK(countmin.TopKConfig{K: k})
	if err != nil {
		panic(err)
	}
	for _, key := range keys {
		t.AddString(key)
	}
	return t
}

func ExampleTopK_Add() {
	k := topOf(1)
	k.Add([]byte("a"))
	k.AddN([]byte("b"), 2)
	k.AddNString("c", 3)
	k.AddAll([][]byte{[]byte("a"), []byte("a"), []byte("a")})
	printAll(k.All())
	// Output: a 4
}

func ExampleTopK_Complete() {
	k := topOf(2, "a", "a", "a", "b", "b", "c")
	printAll(k.All())
	fmt.Println(k.Complete(), k.MissBound(), k.Total())
	// Output:
	// a 3, b 2
	// true 0 6
}

func ExampleTopK_Estimate() {
	k := topOf(1, "a", "a", "b")
	fmt.Println(k.Estimate([]byte("b")), k.EstimateString("a"), k.EstimateDigest(k.Params().Family.SumString("c")))
	fmt.Println(k.EstimateAll(nil, [][]byte{[]byte("a")}))
	// Output:
	// {1 1 1} {2 2 2} {0 0 0}
	// [{2 2 2}]
}

func ExampleTopK_Merge() {
	monday, tuesday := topOf(1, "a", "b", "b"), topOf(1, "a", "a")
	err := monday.Merge(tuesday)
	printAll(monday.All())
	fmt.Println(err)
	// Output:
	// a 3
	// <nil>
}

func ExampleNewTopKReceiver() {
	secret := hashfam.New(hashfam.RandomKey())
	k, _ := countmin.NewTopK(countmin.TopKConfig{K: 1, Family: secret})
	k.AddString("a")
	data, _ := k.MarshalBinary()
	g := countmin.NewTopKReceiver(secret)
	fmt.Println(g.UnmarshalBinary(data), g.Equal(k), g.SizeBytes() > 0)
	g.Reset()
	fmt.Println(g.Total(), g.Clone().Params().K)
	// Output:
	// <nil> true true
	// 0 1
}
