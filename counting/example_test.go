package counting_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNew() {
	f, err := counting.New(counting.Config{Capacity: 1_000_000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("session 17")
	fmt.Println(f.ContainsString("session 17"))
	fmt.Println(f.DeleteString("session 17"))
	fmt.Println(f.ContainsString("session 17"))
	fmt.Printf("%.2f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	// Output:
	// true
	// true
	// false
	// 38.37 bits per key
}

func ExampleNew_impossible() {
	_, err := counting.New(counting.Config{Capacity: 1000, FPRate: 1})
	fmt.Println(errors.Is(err, counting.ErrParams))
	fmt.Println(err)
	// Output:
	// true
	// counting: invalid parameters: Config.FPRate = 1, want above 0 and below 1
}

func ExampleNewFromParams() {
	f, err := counting.NewFromParams(counting.Params{Counters: 1 << 20, Hashes: 7})
	fmt.Println(f, err)
	// Output: counting.Filter(classic, 1048576 counters, 7 hashes, family public) <nil>
}

func ExampleConfig_Params() {
	for _, layout := range []counting.Layout{counting.Classic, counting.Blocked} {
		p, _ := counting.Config{Capacity: 1_000_000, FPRate: 0.01, Layout: layout}.Params()
		fmt.Printf("%v: %.2f counters per key, %d hashes\n", p.Layout, float64(p.Counters)/1_000_000, p.Hashes)
	}
	// Output:
	// classic: 9.59 counters per key, 7 hashes
	// blocked: 9.92 counters per key, 6 hashes
}

func ExampleParams_RateAt() {
	p, _ := counting.Config{Capacity: 1_000_000, FPRate: 0.01}.Params()
	for _, n := range []uint64{500_000, 1_000_000, 2_000_000} {
		fmt.Printf("%d keys: %.3f %%\n", n, 100*p.RateAt(n))
	}
	// Output:
	// 500000 keys: 0.025 %
	// 1000000 keys: 1.000 %
	// 2000000 keys: 15.705 %
}

func filter(keys ...string) *counting.Filter {
	f, err := counting.New(counting.Config{Capacity: 1000, FPRate: 0.001})
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
	waiting, running := filter("job 1"), filter()
	d := waiting.Params().Family.SumString("job 1")
	if waiting.DeleteDigest(d) {
		running.AddDigest(d)
	}
	fmt.Println(waiting.ContainsDigest(d), running.ContainsDigest(d))
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
		if !seen.ContainsOrAdd([]byte(word)) {
			fmt.Print(word, " ")
		}
	}
	fmt.Println(seen.CountString("be"))
	// Output: to be or not 1
}

// The call that returns true adds nothing, so one Delete empties the filter.
func ExampleFilter_ContainsOrAddString() {
	f := filter()
	fmt.Println(f.ContainsOrAddString("a"), f.ContainsOrAddString("a"), f.CountString("a"))
	// Output: false true 1
}

func ExampleFilter_ContainsOrAddUint64() {
	f := filter()
	fmt.Println(f.ContainsOrAddUint64(42), f.ContainsOrAddUint64(42))
	// Output: false true
}

func ExampleFilter_ContainsOrAddDigest() {
	f := filter()
	d := f.Params().Family.SumUint64(42)
	fmt.Println(f.ContainsOrAddDigest(d), f.ContainsOrAddDigest(d))
	// Output: false true
}

func ExampleFilter_Count() {
	f := filter("a", "b", "a")
	fmt.Println(f.Count([]byte("a")), f.Count([]byte("b")), f.Count([]byte("c")))
	// Output: 2 1 0
}

// 15 means 15 or more.
func ExampleFilter_CountString() {
	f := filter()
	for range 20 {
		f.AddString("a")
	}
	fmt.Println(f.CountString("a"))
	// Output: 15
}

func ExampleFilter_CountDigest() {
	f := filter("a", "a", "b")
	d := f.Params().Family.SumString("a")
	fmt.Println(f.CountDigest(d))
	// Output: 2
}

func ExampleFilter_Delete() {
	f := filter("a", "a")
	for range 3 {
		fmt.Println(f.Delete([]byte("a")), f.Contains([]byte("a")))
	}
	// Output:
	// true true
	// true false
	// false false
}

// A key that was added more than fourteen times cannot be removed.
func ExampleFilter_DeleteString() {
	f := filter()
	for range 20 {
		f.AddString("a")
	}
	for range 20 {
		f.DeleteString("a")
	}
	fmt.Println(f.ContainsString("a"), f.Stuck())
	// Output: true 10
}

func ExampleFilter_AddAll() {
	f := filter()
	f.AddAll([][]byte{[]byte("a"), []byte("b"), []byte("a")})
	fmt.Println(f.CountString("a"), f.CountString("b"))
	// Output: 2 1
}

func ExampleFilter_ContainsAll() {
	f := filter("a", "b")
	fmt.Println(f.ContainsAll(nil, [][]byte{[]byte("a"), []byte("x"), []byte("b")}))
	// Output: [true false true]
}

func ExampleFilter_DeleteAll() {
	f := filter("a", "b", "c")
	fmt.Println(f.DeleteAll([][]byte{[]byte("a"), []byte("x"), []byte("b")}), f.ContainsString("c"))
	// Output: 2 true
}

func ExampleFilter_Merge() {
	f, g := filter("a", "b"), filter("b")
	err := f.Merge(g)
	fmt.Println(err, f.CountString("a"), f.CountString("b"), f.Equal(filter("a", "b", "b")))
	// Output: <nil> 1 2 true
}

// The projection finds the same keys in a quarter of the memory.
func ExampleFilter_Bloom() {
	f := filter("a", "b")
	f.DeleteString("a")
	b := f.Bloom()
	fmt.Println(b.ContainsString("a"), b.ContainsString("b"))
	fmt.Println(f.SizeBytes(), "bytes counted,", b.SizeBytes(), "bytes sent")
	// Output:
	// false true
	// 7192 bytes counted, 1800 bytes sent
}

func ExampleFilter_Stuck() {
	f := filter("a", "b", "c")
	fmt.Println(f.Stuck())
	for range 15 {
		f.AddString("a")
	}
	fmt.Println(f.Stuck(), "of", f.Params().Counters)
	// Output:
	// 0
	// 10 of 14384
}

func ExampleFilter_EstimatedLen() {
	f := filter("a", "b", "c", "b", "a")
	f.DeleteString("c")
	fmt.Printf("%.0f\n", f.EstimatedLen())
	// Output: 2
}

func ExampleFilter_FillRatio() {
	f := filter("a")
	fmt.Printf("%.5f\n", f.FillRatio()) // 10 of 14,384 counters
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

func ExampleFilter_Reset() {
	f := filter("a")
	f.Reset()
	fmt.Println(f.ContainsString("a"))
	// Output: false
}

func ExampleFilter_Clone() {
	f := filter("a")
	g := f.Clone()
	g.DeleteString("a")
	fmt.Println(f.ContainsString("a"), g.ContainsString("a"), f.Equal(g))
	// Output: true false false
}

func ExampleFilter_MarshalBinary() {
	data, err := filter("a").MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var f counting.Filter
	err = f.UnmarshalBinary(data)
	fmt.Println(len(data), err, f.ContainsString("a"))
	// Output: 7264 <nil> true
}

// Reuse a buffer to avoid an allocation.
func ExampleFilter_AppendBinary() {
	buf, err := filter("a").AppendBinary([]byte("header"))
	fmt.Printf("%s, then %x, %v\n", buf[:6], buf[6:10], err)
	// Output: header, then f166616d, <nil>
}

// A stream can hold several filters. After the last one the error is io.EOF.
func ExampleFilter_ReadFrom() {
	var stream bytes.Buffer
	filter("a").WriteTo(&stream)
	filter("b").WriteTo(&stream)
	for {
		var f counting.Filter
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
	f, _ := counting.New(counting.Config{Capacity: 1000, FPRate: 0.01, Family: hashfam.New(secret)})
	f.AddString("a")
	data, _ := f.MarshalBinary()

	fmt.Println(errors.Is(new(counting.Filter).UnmarshalBinary(data), counting.ErrFamily))
	g := counting.NewReceiver(hashfam.New(secret))
	fmt.Println(g.UnmarshalBinary(data), g.ContainsString("a"))
	// Output:
	// true
	// <nil> true
}
