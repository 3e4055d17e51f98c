package cuckoo_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNew() {
	f, err := cuckoo.New(cuckoo.Config{Capacity: 1_000_000, FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.AddString("example.org"); err != nil {
		fmt.Println(err) // the filter is full
		return
	}
	fmt.Println(f.ContainsString("example.org"))
	fmt.Println(f.ContainsString("example.net"))
	fmt.Println(f.DeleteString("example.org"), f.ContainsString("example.org"))
	fmt.Printf("%.2f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	// Output:
	// true
	// false
	// true false
	// 13.40 bits per key
}

func ExampleNew_compact() {
	f, err := cuckoo.New(cuckoo.Config{Capacity: 1_000_000, FPRate: 0.001, Compact: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	// Output: 12.37 bits per key
}

func ExampleNew_impossible() {
	_, err := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 1e-10})
	fmt.Println(errors.Is(err, cuckoo.ErrParams))
	fmt.Println(err)
	// Output:
	// true
	// cuckoo: invalid parameters: Config.FPRate = 1e-10, want at least about 1.9e-09 (fingerprints have at most 32 bits)
}

func ExampleNewFromParams() {
	f, err := cuckoo.NewFromParams(cuckoo.Params{Buckets: 1000, FingerprintBits: 12})
	fmt.Println(f, err)
	// Output: cuckoo.Filter(plain, 1000 buckets, 12 bits a fingerprint, family public) <nil>
}

func ExampleConfig_Params() {
	for _, n := range []uint64{10, 1000, 1_000_000} {
		p, _ := cuckoo.Config{Capacity: n, FPRate: 0.01}.Params()
		fmt.Printf("%d keys: %d buckets, fingerprints of %d bits\n", n, p.Buckets, p.FingerprintBits)
	}
	// Output:
	// 10 keys: 8 buckets, fingerprints of 8 bits
	// 1000 keys: 270 buckets, fingerprints of 10 bits
	// 1000000 keys: 257732 buckets, fingerprints of 10 bits
}

func ExampleParams_Capacity() {
	p := cuckoo.Params{Buckets: 1 << 20, FingerprintBits: 12}
	fmt.Println(p.Capacity(), "keys in", 4*p.Buckets, "slots")
	// Output: 4068474 keys in 4194304 slots
}

func ExampleParams_RateAt() {
	p, _ := cuckoo.Config{Capacity: 1_000_000, FPRate: 0.01}.Params()
	for _, n := range []uint64{500_000, 1_000_000} {
		fmt.Printf("%d keys: %.3f %%\n", n, 100*p.RateAt(n))
	}
	// Output:
	// 500000 keys: 0.379 %
	// 1000000 keys: 0.756 %
}

func filter(keys ...string) *cuckoo.Filter {
	f, err := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 0.001})
	if err != nil {
		panic(err)
	}
	for _, key := range keys {
		if err := f.AddString(key); err != nil {
			panic(err)
		}
	}
	return f
}

func ExampleFilter_Add() {
	f := filter()
	err := f.Add([]byte{1, 2, 3})
	fmt.Println(err, f.Contains([]byte{1, 2, 3}), f.Contains([]byte{1, 2}))
	// Output: <nil> true false
}

// The ninth copy of a key finds both of its buckets full of the others. Other
// keys have room yet.
func ExampleFilter_Add_copies() {
	f := filter()
	for n := 1; ; n++ {
		if err := f.AddString("again"); err != nil {
			fmt.Println(n, errors.Is(err, cuckoo.ErrFull), errors.Is(err, cuckoo.ErrCopies))
			break
		}
	}
	fmt.Println(f.AddString("another"))
	// Output:
	// 9 true true
	// <nil>
}

func ExampleFilter_AddString() {
	f := filter()
	err := f.AddString("")
	fmt.Println(err, f.ContainsString(""), "the empty key is a key like any other")
	// Output: <nil> true the empty key is a key like any other
}

// A digest is computed once and asked of every filter of its family.
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

func ExampleFilter_ContainsOrAdd() {
	seen := filter()
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		found, err := seen.ContainsOrAdd([]byte(word))
		if err != nil {
			fmt.Println(err)
			return
		}
		if !found {
			fmt.Print(word, " ")
		}
	}
	// Output: to be or not
}

func ExampleFilter_Delete() {
	f := filter("a", "a", "b")
	fmt.Println(f.Delete([]byte("a")), f.Contains([]byte("a")), "one copy is left")
	fmt.Println(f.Delete([]byte("a")), f.Contains([]byte("a")))
	fmt.Println(f.Delete([]byte("a")), f.Len())
	// Output:
	// true true one copy is left
	// true false
	// false 1
}

func ExampleFilter_Count() {
	f := filter("a", "a", "b")
	fmt.Println(f.Count([]byte("a")), f.CountString("b"), f.CountString("c"))
	// Output: 2 1 0
}

func ExampleFilter_AddAll() {
	f := filter()
	keys := [][]byte{[]byte("a"), []byte("b")}
	n, err := f.AddAll(keys)
	if err != nil {
		fmt.Println("no room for", keys[n:])
	}
	fmt.Println(n, f.ContainsString("b"))
	// Output: 2 true
}

func ExampleFilter_ContainsAll() {
	f := filter("a", "b")
	fmt.Println(f.ContainsAll(nil, [][]byte{[]byte("a"), []byte("x"), []byte("b")}))
	// Output: [true false true]
}

func ExampleFilter_DeleteAll() {
	f := filter("a", "b", "c")
	fmt.Println(f.DeleteAll([][]byte{[]byte("a"), []byte("x"), []byte("b")}), f.Len())
	// Output: 2 1
}

func ExampleFilter_Merge() {
	f, g := filter("a", "b"), filter("b", "c")
	err := f.Merge(g)
	fmt.Println(err, f.Len(), f.CountString("a"), f.CountString("b"), f.CountString("c"))
	// Output: <nil> 4 1 2 1
}

func ExampleFilter_Len() {
	f := filter("a", "b", "b")
	fmt.Println(f.Len())
	// Output: 3
}

func ExampleFilter_FillRatio() {
	f := filter("a")
	fmt.Printf("%.5f\n", f.FillRatio()) // one of 1,080 slots
	// Output: 0.00093
}

func ExampleFilter_FalsePositiveRate() {
	f := filter()
	for i := range 1000 {
		if err := f.AddString(fmt.Sprint("key ", i)); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%.3f %%\n", 100*f.FalsePositiveRate())
	// Output: 0.090 %
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
	fmt.Println(f.Equal(g), g.DeleteString("a"), f.ContainsString("a"), f.Equal(g))
	// Output: true true true false
}

func ExampleFilter_DeleteDigest() {
	f := filter("a", "b")
	d := f.Params().Family.SumString("a")
	fmt.Println(f.DeleteDigest(d), f.ContainsDigest(d))
	// Output: true false
}

func ExampleFilter_CountDigest() {
	f := filter("a", "a")
	fmt.Println(f.CountDigest(f.Params().Family.SumString("a")))
	// Output: 2
}

func ExampleFilter_ContainsOrAddUint64() {
	f := filter()
	first, err := f.ContainsOrAddUint64(42)
	second, _ := f.ContainsOrAddUint64(42)
	fmt.Println(first, err, second)
	// Output: false <nil> true
}

func ExampleFilter_ContainsOrAddDigest() {
	f := filter()
	d := f.Params().Family.SumString("a")
	first, err := f.ContainsOrAddDigest(d)
	second, _ := f.ContainsOrAddDigest(d)
	fmt.Println(first, err, second)
	// Output: false <nil> true
}

func ExampleFilter_AppendBinary() {
	data, err := filter("a").AppendBinary([]byte("before"))
	fmt.Println(string(data[:6]), len(data), err)
	// Output: before 1846 <nil>
}

func ExampleFilter_MarshalBinary() {
	data, err := filter("a").MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var f cuckoo.Filter
	err = f.UnmarshalBinary(data)
	fmt.Println(len(data), err, f.ContainsString("a"))
	// Output: 1840 <nil> true
}

// Filters follow one another in a stream; the last is followed by io.EOF.
func ExampleFilter_ReadFrom() {
	var stream bytes.Buffer
	filter("a").WriteTo(&stream)
	filter("b").WriteTo(&stream)
	for {
		var f cuckoo.Filter
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

// A filter under a secret key is decoded by a receiver that has the key.
func ExampleNewReceiver() {
	secret := hashfam.RandomKey()
	f, _ := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 0.01, Family: hashfam.New(secret)})
	err := f.AddString("a")
	data, _ := f.MarshalBinary()

	fmt.Println(err, errors.Is(new(cuckoo.Filter).UnmarshalBinary(data), cuckoo.ErrFamily))
	g := cuckoo.NewReceiver(hashfam.New(secret))
	fmt.Println(g.UnmarshalBinary(data), g.ContainsString("a"))
	// Output:
	// <nil> true
	// <nil> true
}
