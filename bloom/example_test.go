package bloom_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

func Example() {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01}))
	f.AddString("example.org")
	fmt.Println(f.ContainsString("example.org"))
	fmt.Println(f.ContainsString("example.net"))
	fmt.Printf("%.2f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	// Output:
	// true
	// false
	// 9.59 bits per key
}

// The layouts use different amounts of memory.
func ExampleConfig_Params() {
	for _, layout := range []bloom.Layout{bloom.Classic, bloom.Partitioned, bloom.Blocked} {
		p, err := bloom.Config{Capacity: 1_000_000, FPRate: 0.01, Layout: layout}.Params()
		fmt.Printf("%v: %d bytes, %d hashes, %v\n", p.Layout, p.SizeBytes(), p.Hashes, err)
	}
	// Output:
	// classic: 1199120 bytes, 7 hashes, <nil>
	// partitioned: 1199128 bytes, 7 hashes, <nil>
	// blocked: 1240064 bytes, 6 hashes, <nil>
}

// What is the rate of a filter with 100 MB for 80 million keys?
func ExampleConfig_memory() {
	p, err := bloom.Config{Capacity: 80_000_000, MemoryBytes: 100_000_000}.Params()
	fmt.Printf("%d hashes, %.2f%%, %v\n", p.Hashes, 100*p.RateAt(80_000_000), err)
	// Output: 7 hashes, 0.82%, <nil>
}

// A filter can contain more or fewer keys than it was created for.
func ExampleParams_RateAt() {
	p, err := bloom.Config{Capacity: 1_000_000, FPRate: 0.01}.Params()
	if err != nil {
		panic(err)
	}
	for _, n := range []uint64{500_000, 1_000_000, 2_000_000} {
		fmt.Printf("%d keys: %.3f%%\n", n, 100*p.RateAt(n))
	}
	fmt.Println(p.CapacityAt(0.02), "keys at 2%")
	// Output:
	// 500000 keys: 0.025%
	// 1000000 keys: 1.000%
	// 2000000 keys: 15.705%
	// 1162537 keys at 2%
}

// filter returns a filter with the given keys.
func filter(keys ...string) *bloom.Filter {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.001}))
	for _, key := range keys {
		f.AddString(key)
	}
	return f
}

// SumAllStrings hashes many keys at once. Since both filters have the same
// family, they can use the same digests.
func ExampleFilter_AddAll() {
	monday, tuesday := filter(), filter()
	digests := monday.Family().SumAllStrings(nil, []string{"anna", "boris", "clara"})
	monday.AddAll(digests[:2])
	tuesday.AddAll(digests[1:])
	fmt.Println(monday.ContainsAll(nil, digests), tuesday.ContainsAll(nil, digests))
	// Output: [true true false] [false true true]
}

func ExampleFilter_ContainsOrAdd() {
	seen := filter()
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		if !seen.ContainsOrAdd([]byte(word)) {
			fmt.Print(word, " ")
		}
	}
	// Output: to be or not
}

// Ten workers build filters, which are then merged.
func ExampleFilter_Merge() {
	whole := hashfam.Must(bloom.New(bloom.Config{Capacity: 100_000, FPRate: 0.01}))
	parts := make([]*bloom.Filter, 10)
	for worker := range parts {
		parts[worker] = whole.Clone()
		for i := range uint64(10_000) {
			parts[worker].AddDigest(whole.Family().SumUint64(uint64(worker)<<32 | i))
		}
	}
	err := whole.Merge(parts...)
	fmt.Printf("about %.0f keys, %v\n", whole.EstimatedLen(), err)
	// Output: about 99884 keys, <nil>
}

func ExampleFilter_Jaccard() {
	f, g := filter("a", "b"), filter("b", "c")
	jaccard, err := f.Jaccard(g)
	fmt.Printf("%.2f %v\n", jaccard, err)
	// Output: 0.33 <nil>
}

// This filter received far fewer keys than it was created for, so it is folded
// before it is sent.
func ExampleFilter_FoldTo() {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01}))
	for i := range uint64(100_000) {
		f.AddDigest(f.Family().SumUint64(i))
	}
	fmt.Println(f.SizeBytes(), f.FoldTo(0.01))
	fmt.Printf("%d bytes, rate %.2f%%\n", f.SizeBytes(), 100*f.FalsePositiveRate())
	// Output:
	// 1199120 <nil>
	// 149896 bytes, rate 0.33%
}

// A stream can contain several filters. After the last one, the error is
// io.EOF.
func ExampleFilter_ReadFrom() {
	var stream bytes.Buffer
	for _, key := range []string{"a", "b"} {
		if _, err := filter(key).WriteTo(&stream); err != nil {
			fmt.Println(err)
		}
	}
	for {
		var f bloom.Filter
		_, err := f.ReadFrom(&stream)
		if errors.Is(err, io.EOF) {
			break
		}
		fmt.Println(err, f.ContainsString("a"), f.ContainsString("b"))
	}
	// Output:
	// <nil> true false
	// <nil> false true
}

// Use a receiver to decode a filter that has a keyed family.
func ExampleNewReceiver() {
	secret := hashfam.RandomKey()
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01, Family: hashfam.New(secret)}))
	f.AddString("a")
	data, err := f.MarshalBinary()
	if err != nil {
		panic(err)
	}
	fmt.Println(errors.Is(new(bloom.Filter).UnmarshalBinary(data), hashfam.ErrFamily))
	g := bloom.NewReceiver(hashfam.New(secret))
	fmt.Println(g.UnmarshalBinary(data), g.ContainsString("a"))
	// Output:
	// true
	// <nil> true
}

// ReadParams returns a filter's size before it is decoded.
func ExampleReadParams() {
	var file bytes.Buffer
	if _, err := filter("a").WriteTo(&file); err != nil {
		panic(err)
	}
	p, err := bloom.ReadParams(&file, hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p.SizeBytes(), "bytes in memory")
	// Output:
	// classic, 14384 bits, 10 hashes, family public <nil>
	// 1800 bytes in memory
}

// Eight goroutines share a filter and count distinct pages. For each page, only
// a single call returns false.
func ExampleConcurrent() {
	seen := hashfam.Must(bloom.NewConcurrent(bloom.Config{Capacity: 20_000, FPRate: 0.01}))
	requests := data.RequestsWeb12()
	var distinct atomic.Int64
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := worker; i < len(requests); i += 8 {
				if !seen.ContainsOrAddString(requests[i]) {
					distinct.Add(1)
				}
			}
		})
	}
	wg.Wait()
	total, exact := int(distinct.Load()), len(slices.Compact(slices.Sorted(slices.Values(requests))))
	fmt.Println("within 1%:", total <= exact && total > exact-exact/100)
	// Output: within 1%: true
}

// A snapshot is a plain filter, which can be encoded.
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

// A server sends its neighbor the changes of its filter. If a message is lost,
// the neighbor rejects the next one and needs the whole filter.
func ExampleFilter_AppendDelta() {
	f := filter("/index")
	sent, neighbor := f.Clone(), f.Clone()
	for second := range 3 {
		f.AddString(fmt.Sprint("/page/", second))
		delta, err := f.AppendDelta(nil, sent)
		sent = f.Clone()
		if second == 1 || err != nil {
			continue // the message is lost
		}
		err = neighbor.ApplyDelta(delta)
		fmt.Println(len(delta), "bytes,", neighbor.Equal(f), errors.Is(err, hashfam.ErrIncompatible))
	}
	fmt.Println(f.SizeBytes(), "bytes for the whole filter")
	// Output:
	// 88 bytes, true false
	// 88 bytes, false true
	// 1800 bytes for the whole filter
}

// A file of sorted keys contains their filter and a footer with the filter's
// offset. The filter is queried in place before the file is searched.
func ExampleFrameReader() {
	var fam hashfam.Family
	table := []byte("apple=1 banana=2 cherry=3")
	digests := fam.SumAllStrings(nil, []string{"apple", "banana", "cherry"})
	start := uint64(len(table))
	table, err := bloom.AppendFrame(table, bloom.Config{Capacity: 3, FPRate: 0.01}, digests)
	if err != nil {
		panic(err)
	}
	table = binary.LittleEndian.AppendUint64(table, start)

	reader := bloom.NewFrameReader(fam) // used for all files
	for _, key := range []string{"banana", "mango"} {
		footer := len(table) - 8
		filter := table[binary.LittleEndian.Uint64(table[footer:]):footer]
		maybe, err := reader.ContainsDigest(filter, fam.SumString(key))
		fmt.Println(key, maybe, err)
	}
	// Output:
	// banana true <nil>
	// mango false <nil>
}
