package bloom_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNew() {
	f, err := bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	fmt.Println(f.ContainsString("example.org"))
	fmt.Println(f.ContainsString("example.net"))
	fmt.Printf("%.2f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	// Output:
	// true
	// false
	// 9.59 bits per key
}

func ExampleNew_impossible() {
	_, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 1})
	fmt.Println(errors.Is(err, bloom.ErrParams))
	fmt.Println(err)
	// Output:
	// true
	// bloom: invalid parameters: Config.FPRate = 1, want above 0 and below 1
}

func ExampleNewFromParams() {
	f, err := bloom.NewFromParams(bloom.Params{Bits: 1 << 20, Hashes: 7, Layout: bloom.Blocked})
	fmt.Println(f, err)
	// Output: bloom.Filter(blocked, 1048576 bits, 7 hashes, family public) <nil>
}

func ExampleConfig_Params() {
	for _, layout := range []bloom.Layout{bloom.Classic, bloom.Partitioned, bloom.Blocked} {
		p, _ := bloom.Config{Capacity: 1_000_000, FPRate: 0.01, Layout: layout}.Params()
		fmt.Printf("%v: %.2f bits per key, %d hashes\n", p.Layout, float64(p.Bits)/1_000_000, p.Hashes)
	}
	// Output:
	// classic: 9.59 bits per key, 7 hashes
	// partitioned: 9.59 bits per key, 7 hashes
	// blocked: 9.92 bits per key, 6 hashes
}

// SizeBytes tells the memory for a hundred million keys in advance.
func ExampleParams_SizeBytes() {
	p, err := bloom.Config{Capacity: 100_000_000, FPRate: 0.001}.Params()
	fmt.Printf("%.1f MiB %v\n", float64(p.SizeBytes())/(1<<20), err)
	// Output: 171.4 MiB <nil>
}

func ExampleParams_RateAt() {
	p, _ := bloom.Config{Capacity: 1_000_000, FPRate: 0.01}.Params()
	for _, n := range []uint64{500_000, 1_000_000, 2_000_000} {
		fmt.Printf("%d keys: %.3f %%\n", n, 100*p.RateAt(n))
	}
	// Output:
	// 500000 keys: 0.025 %
	// 1000000 keys: 1.000 %
	// 2000000 keys: 15.705 %
}

func filter(keys ...string) *bloom.Filter {
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.001})
	if err != nil {
		panic(err)
	}
	for _, key := range keys {
		f.AddString(key)
	}
	return f
}

func ExampleFilter_Add() {
	f := filter()
	f.Add([]byte{1, 2, 3})
	fmt.Println(f.Contains([]byte{1, 2, 3}), f.Contains([]byte{1, 2}))
	// Output: true false
}

func ExampleFilter_AddString() {
	f := filter()
	f.AddString("")
	fmt.Println(f.ContainsString(""), "the empty key is a valid key")
	// Output: true the empty key is a valid key
}

// A digest is computed once and is valid for every filter of its family.
func ExampleFilter_AddDigest() {
	monday, tuesday := filter("anna"), filter("boris")
	d := monday.Params().Family.SumString("boris")
	fmt.Println(monday.ContainsDigest(d), tuesday.ContainsDigest(d))
	// Output: false true
}

func ExampleFilter_Contains() {
	f := filter("a", "b")
	fmt.Println(f.Contains([]byte("a")), f.Contains([]byte("c")))
	// Output: true false
}

func ExampleFilter_ContainsString() {
	f := filter("a", "b")
	fmt.Println(f.ContainsString("a"), f.ContainsString("c"))
	// Output: true false
}

// One digest queries the filters of all days.
func ExampleFilter_ContainsDigest() {
	week := []*bloom.Filter{filter("anna"), filter("boris"), filter("anna", "boris")}
	d := week[0].Params().Family.SumString("anna")
	for _, day := range week {
		fmt.Print(day.ContainsDigest(d), " ")
	}
	// Output: true false true
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

func ExampleFilter_ContainsOrAddString() {
	seen := filter()
	fmt.Println(seen.ContainsOrAddString("to"), seen.ContainsOrAddString("to"))
	// Output: false true
}

func ExampleFilter_ContainsOrAddUint64() {
	seen := filter()
	fmt.Println(seen.ContainsOrAddUint64(42), seen.ContainsOrAddUint64(42))
	// Output: false true
}

func ExampleFilter_ContainsOrAddDigest() {
	seen := filter()
	d := seen.Params().Family.SumUint64(42)
	fmt.Println(seen.ContainsOrAddDigest(d), seen.ContainsOrAddDigest(d))
	// Output: false true
}

func ExampleFilter_AddAll() {
	f := filter()
	f.AddAll([][]byte{[]byte("a"), []byte("b")})
	fmt.Println(f.ContainsString("b"))
	// Output: true
}

func ExampleFilter_ContainsAll() {
	f := filter("a", "b")
	fmt.Println(f.ContainsAll(nil, [][]byte{[]byte("a"), []byte("x"), []byte("b")}))
	// Output: [true false true]
}

func ExampleFilter_Merge() {
	f, g := filter("a"), filter("b")
	err := f.Merge(g)
	fmt.Println(err, f.ContainsString("a"), f.ContainsString("b"), f.Equal(filter("a", "b")))
	// Output: <nil> true true true
}

func ExampleFilter_Intersect() {
	f, g := filter("a", "b"), filter("b", "c")
	err := f.Intersect(g)
	fmt.Println(err, f.ContainsString("a"), f.ContainsString("b"), f.ContainsString("c"))
	// Output: <nil> false true false
}

func ExampleFilter_Fold() {
	f := filter("a", "b")
	before := f.SizeBytes()
	for f.FillRatio() < 0.01 && f.Fold() == nil {
	}
	fmt.Println(before, "bytes became", f.SizeBytes(), f.ContainsString("a"), f.ContainsString("b"))
	// Output: 1800 bytes became 232 true true
}

func ExampleFilter_EstimatedLen() {
	f := filter("a", "b", "c", "b", "a")
	fmt.Printf("%.0f\n", f.EstimatedLen())
	// Output: 3
}

func ExampleFilter_EstimatedUnionLen() {
	n, err := filter("a", "b").EstimatedUnionLen(filter("b", "c"))
	fmt.Printf("%.0f %v\n", n, err)
	// Output: 3 <nil>
}

func ExampleFilter_EstimatedIntersectionLen() {
	n, err := filter("a", "b").EstimatedIntersectionLen(filter("b", "c"))
	fmt.Printf("%.0f %v\n", n, err)
	// Output: 1 <nil>
}

func ExampleFilter_Jaccard() {
	j, err := filter("a", "b").Jaccard(filter("b", "c"))
	fmt.Printf("%.2f %v\n", j, err)
	// Output: 0.33 <nil>
}

func ExampleFilter_Cosine() {
	c, err := filter("a", "b").Cosine(filter("b", "c"))
	fmt.Printf("%.2f %v\n", c, err)
	// Output: 0.50 <nil>
}

func ExampleFilter_FillRatio() {
	f := filter("a")
	fmt.Printf("%.5f\n", f.FillRatio()) // 10 of 14,384 bits
	// Output: 0.00070
}

func ExampleFilter_FalsePositiveRate() {
	f := filter()
	for i := range 1000 {
		f.AddString(fmt.Sprint("key ", i))
	}
	fmt.Printf("%.2f %%\n", 100*f.FalsePositiveRate())
	// Output: 0.10 %
}

func ExampleFilter_SizeBytes() {
	f, _ := bloom.New(bloom.Config{Capacity: 1_000_000, FPRate: 0.01})
	fmt.Printf("%d bytes, %.2f bits per key\n", f.SizeBytes(), float64(8*f.SizeBytes())/1_000_000)
	// Output: 1199120 bytes, 9.59 bits per key
}

// A filter with the same parameters can be merged.
func ExampleFilter_Params() {
	f := filter("a")
	g, _ := bloom.NewFromParams(f.Params())
	g.AddString("b")
	fmt.Println(g.Merge(f), g.ContainsString("a"), g.ContainsString("b"))
	// Output: <nil> true true
}

// A filter prints its parameters, never its bits or its family's key.
func ExampleFilter_String() {
	fmt.Println(filter("a"))
	// Output: bloom.Filter(classic, 14384 bits, 10 hashes, family public)
}

func ExampleFilter_Reset() {
	f := filter("a")
	f.Reset()
	fmt.Println(f.ContainsString("a"))
	// Output: false
}

func ExampleFilter_Clone() {
	f := filter("a")
	g := f.Clone()
	g.AddString("b")
	fmt.Println(f.ContainsString("b"), g.ContainsString("b"), f.Equal(g))
	// Output: false true false
}

func ExampleFilter_Equal() {
	f, g := filter("a", "b"), filter("b", "a")
	fmt.Println(f.Equal(g))
	g.AddString("c")
	fmt.Println(f.Equal(g))
	// Output:
	// true
	// false
}

func ExampleFilter_MarshalBinary() {
	data, err := filter("a").MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var f bloom.Filter
	err = f.UnmarshalBinary(data)
	fmt.Println(len(data), err, f.ContainsString("a"))
	// Output: 1872 <nil> true
}

// Reuse a buffer to avoid an allocation.
func ExampleFilter_AppendBinary() {
	buf := []byte("header")
	buf, err := filter("a").AppendBinary(buf)
	fmt.Printf("%s, then %x, %v\n", buf[:6], buf[6:10], err)
	// Output: header, then f166616d, <nil>
}

func ExampleFilter_UnmarshalBinary() {
	data, _ := filter("a").MarshalBinary()
	f := filter("kept")
	data[len(data)/2] ^= 1
	err := f.UnmarshalBinary(data)
	fmt.Println(errors.Is(err, bloom.ErrCorrupt), f.ContainsString("kept"))
	data[len(data)/2] ^= 1
	err = f.UnmarshalBinary(data)
	fmt.Println(err, f.ContainsString("a"))
	// Output:
	// true true
	// <nil> true
}

func ExampleFilter_WriteTo() {
	var stream bytes.Buffer
	n, err := filter("a").WriteTo(&stream)
	fmt.Println(n == int64(stream.Len()), err)
	// Output: true <nil>
}

// A stream can hold several filters. After the last one the error is io.EOF.
func ExampleFilter_ReadFrom() {
	var stream bytes.Buffer
	filter("a").WriteTo(&stream)
	filter("b").WriteTo(&stream)
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

// To decode a filter of a keyed family, make a receiver with that family.
func ExampleNewReceiver() {
	secret := hashfam.RandomKey()
	f, _ := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01, Family: hashfam.New(secret)})
	f.AddString("a")
	data, _ := f.MarshalBinary()

	fmt.Println(errors.Is(new(bloom.Filter).UnmarshalBinary(data), bloom.ErrFamily))
	g := bloom.NewReceiver(hashfam.New(secret))
	fmt.Println(g.UnmarshalBinary(data), g.ContainsString("a"))
	// Output:
	// true
	// <nil> true
}
