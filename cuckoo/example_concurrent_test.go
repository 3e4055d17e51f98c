package cuckoo_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// Four goroutines add and delete in one filter.
func ExampleNewConcurrent() {
	c, err := cuckoo.NewConcurrent(cuckoo.Config{Capacity: 100_000, FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			for n := range uint64(1000) {
				if err := c.AddUint64(g<<32 | n); err != nil {
					fmt.Println(err) // the filter is full
				}
			}
			c.DeleteUint64(g << 32)
		})
	}
	wg.Wait()
	fmt.Println(c.Len(), c.ContainsUint64(3<<32|999))
	// Output: 3996 true
}

func ExampleNewConcurrentFrom() {
	c, err := cuckoo.NewConcurrentFrom(filter("a", "b"))
	fmt.Println(err, c.Len(), c.ContainsString("a"), c)
	// Output: <nil> 2 true cuckoo.Concurrent(plain, 270 buckets, 13 bits a fingerprint, family public)
}

// A snapshot is a plain filter: it can be stored, viewed and merged.
func ExampleConcurrent_Snapshot() {
	c := concurrent("a", "b")
	stored, err := c.Snapshot().MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var f cuckoo.Filter
	fmt.Println(f.UnmarshalBinary(stored), f.Len(), f.Params() == c.Params(), f.SizeBytes() == c.SizeBytes())
	// Output: <nil> 2 true true
}

func concurrent(keys ...string) *cuckoo.Concurrent {
	c, err := cuckoo.NewConcurrent(cuckoo.Config{Capacity: 1000, FPRate: 0.001})
	if err != nil {
		panic(err)
	}
	if _, err := c.AddAllStrings(keys); err != nil {
		panic(err)
	}
	return c
}

// Of four goroutines that see the same request, one handles it.
func ExampleConcurrent_ContainsOrAdd() {
	c := concurrent()
	var handled atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if seen, err := c.ContainsOrAdd([]byte("request 17")); !seen && err == nil {
				handled.Add(1)
			}
		})
	}
	wg.Wait()
	again, _ := c.ContainsOrAddString("request 17")
	third, _ := c.ContainsOrAddDigest(c.Params().Family.SumString("request 17"))
	fmt.Println(handled.Load(), again, third)
	// Output: 1 true true
}

func ExampleConcurrent_Add() {
	c := concurrent()
	d := c.Params().Family.SumString("hashed once")
	fmt.Println(c.Add([]byte("bytes")), c.AddString("text"), c.AddUint64(7), c.AddDigest(d))
	fmt.Println(c.Contains([]byte("bytes")), c.ContainsString("text"), c.ContainsUint64(7), c.ContainsDigest(d))
	fmt.Println(c.Count([]byte("bytes")), c.CountString("no"), c.CountUint64(7), c.CountDigest(d))
	fmt.Println(c.Delete([]byte("bytes")), c.DeleteString("text"), c.DeleteUint64(7), c.DeleteDigest(d), c.Len())
	// Output:
	// <nil> <nil> <nil> <nil>
	// true true true true
	// 1 0 1 1
	// true true true true 0
}

func ExampleConcurrent_AddAll() {
	c := concurrent()
	keys := [][]byte{[]byte("a"), []byte("b")}
	fmt.Println(c.AddAll(keys))
	fmt.Println(c.AddSeq(slices.Values(keys)))
	fmt.Println(c.AddAllUint64([]uint64{1, 2, 3}))
	fmt.Println(c.AddAllDigests([]hashfam.Digest{c.Params().Family.SumString("c")}))
	fmt.Println(c.ContainsAll(nil, keys), c.CountAllStrings(nil, []string{"a", "d"}))
	fmt.Println(c.DeleteAll(keys), c.DeleteAllUint64([]uint64{3, 4}), c.Len())
	// Output:
	// 2 <nil>
	// 2 <nil>
	// 3 <nil>
	// 1 <nil>
	// [true true] [2 0]
	// 2 1 5
}

func ExampleConcurrent_Reset() {
	c := concurrent("a", "b")
	fmt.Printf("%d keys, fill %.4f, rate %.1e\n", c.Len(), c.FillRatio(), c.FalsePositiveRate())
	c.Reset()
	fmt.Println(c.Len(), c.ContainsString("a"))
	// Output:
	// 2 keys, fill 0.0019, rate 1.8e-06
	// 0 false
}
