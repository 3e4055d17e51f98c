package cuckoo_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

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
		if err := s.AddUint64(id); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(s.Len(), s.ContainsUint64(99_999), s.FalsePositiveRate() < 0.01)
	// Output: 100000 true true
}

func ExampleNewScalable_impossible() {
	_, err := cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 1000, FPRate: 1e-7})
	fmt.Println(errors.Is(err, cuckoo.ErrParams))
	fmt.Println(err)
	// Output:
	// true
	// cuckoo: invalid parameters: ScalableConfig.FPRate = 1e-07, want at least 1e-06 and below 1
}

func scalable(keys ...string) *cuckoo.Scalable {
	s, err := cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 1000, FPRate: 0.001})
	if err != nil {
		panic(err)
	}
	if _, err := s.AddAllStrings(keys); err != nil {
		panic(err)
	}
	return s
}

func ExampleScalable_Add() {
	s := scalable()
	fmt.Println(s.Add([]byte("bytes")), s.AddString("text"), s.AddUint64(7))
	d := s.Config().Family.SumString("hashed once")
	fmt.Println(s.AddDigest(d), s.Len())
	fmt.Println(s.Contains([]byte("bytes")), s.ContainsString("text"), s.ContainsUint64(7), s.ContainsDigest(d))
	// Output:
	// <nil> <nil> <nil>
	// <nil> 4
	// true true true true
}

// A key that was added twice is found until it has been deleted twice.
func ExampleScalable_Delete() {
	s := scalable("session 1", "session 2", "session 2")
	fmt.Println(s.DeleteString("session 1"), s.ContainsString("session 1"))
	fmt.Println(s.Delete([]byte("session 2")), s.ContainsString("session 2"), s.CountString("session 2"))
	fmt.Println(s.DeleteDigest(s.Config().Family.SumString("session 2")), s.DeleteUint64(2), s.Len())
	// Output:
	// true false
	// true true 1
	// true false 0
}

func ExampleScalable_Count() {
	s := scalable("twice", "twice")
	d := s.Config().Family.SumString("twice")
	fmt.Println(s.Count([]byte("twice")), s.CountString("once"), s.CountUint64(3), s.CountDigest(d))
	fmt.Println(s.CountAllStrings(nil, []string{"once", "twice"}))
	// Output:
	// 2 0 0 2
	// [0 2]
}

func ExampleScalable_ContainsOrAdd() {
	s := scalable()
	for _, key := range []string{"a", "b", "a"} {
		seen, err := s.ContainsOrAdd([]byte(key))
		fmt.Println(key, seen, err)
	}
	seen, _ := s.ContainsOrAddString("b")
	again, _ := s.ContainsOrAddDigest(s.Config().Family.SumString("b"))
	fmt.Println(seen, again, s.Len())
	// Output:
	// a false <nil>
	// b false <nil>
	// a true <nil>
	// true true 2
}

func ExampleScalable_AddAll() {
	s := scalable()
	keys := [][]byte{[]byte("a"), []byte("b")}
	fmt.Println(s.AddAll(keys))
	fmt.Println(s.AddSeq(slices.Values(keys)))
	fmt.Println(s.AddAllUint64([]uint64{1, 2, 3}))
	fmt.Println(s.AddAllDigests([]hashfam.Digest{s.Config().Family.SumString("c")}))
	fmt.Println(s.ContainsAll(nil, keys), s.ContainsAllStrings(nil, []string{"c", "d"}))
	fmt.Println(s.DeleteAll(keys), s.DeleteAllUint64([]uint64{3, 4}), s.Len())
	// Output:
	// 2 <nil>
	// 2 <nil>
	// 3 <nil>
	// 1 <nil>
	// [true true] [true false]
	// 2 1 5
}

// Pages split one at a time. Each has up to 4,096 slots.
func ExampleScalable_Pages() {
	s, err := cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 100_000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []uint64{0, 100_000, 1_000_000} {
		for s.Len() < n {
			if err := s.AddUint64(s.Len()); err != nil {
				fmt.Println(err)
				return
			}
		}
		fmt.Printf("%d keys: %d pages, %d KB, rate %.4f, fill %.2f\n",
			n, s.Pages(), s.SizeBytes()/1000, s.FalsePositiveRate(), s.FillRatio())
	}
	// Output:
	// 0 keys: 26 pages, 164 KB, rate 0.0000, fill 0.00
	// 100000 keys: 28 pages, 179 KB, rate 0.0038, fill 0.87
	// 1000000 keys: 416 pages, 3036 KB, rate 0.0064, fill 0.59
}

func ExampleScalable_WriteTo() {
	s := scalable("kept")
	var file bytes.Buffer
	if _, err := s.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	var again cuckoo.Scalable
	_, err := again.ReadFrom(&file)
	fmt.Println(err, again.ContainsString("kept"), again.Equal(s), again.Config())
	// Output: <nil> true true plain, 1000 keys expected, rate 0.001, family public
}

func ExampleNewScalableReceiver() {
	fam := hashfam.New(hashfam.Key{1, 2, 3})
	s, err := cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 1000, FPRate: 0.01, Compact: true, Family: fam})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := s.MarshalText()
	if err != nil {
		fmt.Println(err)
		return
	}
	var public cuckoo.Scalable
	fmt.Println(errors.Is(public.UnmarshalText(text), cuckoo.ErrFamily))
	fmt.Println(cuckoo.NewScalableReceiver(fam).UnmarshalText(text))
	// Output:
	// true
	// <nil>
}

func ExampleScalable_Clone() {
	s := scalable("a")
	c := s.Clone()
	s.Reset()
	fmt.Println(s.Len(), c.Len(), s.Equal(scalable()))
	// Output: 0 1 true
}

func ExampleFilter_MergeAll() {
	all := filter("a")
	fmt.Println(all.MergeAll(filter("b"), filter("c", "d")), all.Len(), all.ContainsString("d"))
	// Output: <nil> 4 true
}
