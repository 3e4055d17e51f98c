package static_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNew() {
	keys := make([][]byte, 100_000)
	for i := range keys {
		keys[i] = fmt.Append(nil, "user ", i)
	}
	f, err := static.New(static.Config{FPRate: 0.01}, keys)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Contains([]byte("user 7")), f.ContainsString("user 100000"))
	fmt.Printf("%d keys, %.2f bits per key, rate %.2f %%\n",
		f.Len(), float64(8*f.SizeBytes())/float64(f.Len()), 100*f.FalsePositiveRate())
	// Output:
	// true false
	// 100000 keys, 6.77 bits per key, rate 1.00 %
}

func ExampleNew_impossible() {
	_, err := static.New(static.Config{FPRate: 1}, nil)
	fmt.Println(errors.Is(err, static.ErrParams))
	fmt.Println(err)
	// Output:
	// true
	// static: invalid parameters: Config.FPRate = 1, want above 0 and below 1
}

// A long build reports its progress, and ends early if its context does.
func ExampleNewContext() {
	keys := make([][]byte, 200_000)
	for i := range keys {
		keys[i] = fmt.Append(nil, i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := static.Config{FPRate: 0.01, Workers: 2, Progress: func(done, total uint64) {
		if done > total/2 {
			cancel()
		}
	}}
	_, err := static.NewContext(ctx, c, keys)
	fmt.Println(err)
	// Output: static: building: context canceled
}

func ExampleNewFromDigests() {
	c := static.Config{FPRate: 0.01}
	digests := c.Family.SumAllStrings(nil, []string{"a", "b", "c", "b"})
	f, err := static.NewFromDigests(c, digests) // overwrites digests
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Len(), f.ContainsDigest(c.Family.SumString("b")))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = static.NewFromDigestsContext(ctx, c, digests)
	fmt.Println(err)
	// Output:
	// 3 true
	// static: building: context canceled
}

// Digests that an external sort has put in order need not be in memory
// together.
func ExampleNewFromSorted() {
	c := static.Config{FPRate: 0.01}
	digests := c.Family.SumAllUint64(nil, []uint64{1, 2, 3, 4, 5})
	slices.SortFunc(digests, func(a, b hashfam.Digest) int { return cmp.Compare(a.Probe(), b.Probe()) })

	f, err := static.NewFromSorted(c, 5, slices.Values(digests))
	fmt.Println(f.ContainsUint64(3), f.ContainsUint64(6), err)
	_, err = static.NewFromSortedContext(context.Background(), c, 6, slices.Values(digests))
	fmt.Println(err)
	// Output:
	// true false <nil>
	// static: invalid parameters: n = 6, want the number of distinct digests
}

func ExampleBuilder() {
	b, err := static.NewBuilder(static.Config{FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	b.Grow(100) // room for about that many keys
	b.Add([]byte("a"))
	b.AddString("b")
	b.AddUint64(3)
	b.AddDigest(hashfam.Family{}.SumString("d"))
	b.AddAll([][]byte{[]byte("e"), []byte("f")})
	b.AddAllStrings([]string{"g", "h", "a"})
	b.AddAllUint64([]uint64{9, 10})
	b.AddAllDigests(hashfam.Family{}.SumAllStrings(nil, []string{"k", "l"}))
	b.AddSeq(bytes.SplitSeq([]byte("m n o"), []byte(" ")))
	fmt.Println(b.Len(), "keys added")
	f, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Len(), "distinct ones:", f.ContainsAllStrings(nil, []string{"a", "d", "o", "x"}))

	b.AddString("x") // the builder has kept its keys
	f, err = b.BuildContext(context.Background())
	fmt.Println(f.Len(), "with one more:", f.ContainsString("x"), err)
	// Output:
	// 16 keys added
	// 15 distinct ones: [true true true false]
	// 16 with one more: true <nil>
}

// Config.SizeBytes tells the memory for a hundred million keys in advance.
func ExampleConfig_SizeBytes() {
	for _, rate := range []float64{0.01, 1. / 128, 0.001} {
		bytes := static.Config{FPRate: rate}.SizeBytes(100_000_000)
		fmt.Printf("%.2f %%: %.1f MiB\n", 100*rate, float64(bytes)/(1<<20))
	}
	// Output:
	// 1.00 %: 80.7 MiB
	// 0.78 %: 84.0 MiB
	// 0.10 %: 119.7 MiB
}

// filter returns a filter of the keys.
func filter(keys ...string) *static.Filter {
	b, err := static.NewBuilder(static.Config{FPRate: 0.001})
	if err != nil {
		panic(err)
	}
	b.AddAllStrings(keys)
	f, err := b.Build()
	if err != nil {
		panic(err)
	}
	return f
}

func ExampleFilter_Contains() {
	f := filter("a", "b")
	fmt.Println(f.Contains([]byte("a")), f.Contains([]byte("c")), f.ContainsString("b"))
	// Output: true false true
}

func ExampleFilter_ContainsAll() {
	f := filter("a", "b", "12345678")
	fmt.Println(f.ContainsAll(nil, [][]byte{[]byte("a"), []byte("x"), []byte("b")}))
	fmt.Println(f.ContainsAllStrings(nil, []string{"a", "x", "b"}))
	fmt.Println(f.ContainsAllUint64(nil, []uint64{0x3837363534333231, 0})) // the key is its little-endian bytes
	digests := f.Params().Family.SumAllStrings(nil, []string{"a", "x"})
	fmt.Println(f.ContainsAllDigests(nil, digests), f.ContainsUint64(0x3837363534333231))
	// Output:
	// [true false true]
	// [true false true]
	// [true false]
	// [true false] true
}

// The order of the keys, and copies, do not matter.
func ExampleFilter_Equal() {
	fmt.Println(filter("a", "b").Equal(filter("b", "a", "b")), filter("a").Equal(filter("b")))
	// Output: true false
}

func ExampleFilter_Params() {
	p := filter("a", "b").Params()
	fmt.Println(p)
	fmt.Println(p.SizeBytes(), "bytes")
	// Output:
	// 2 keys, 9.976 columns, 1 layers, 168 bytes, family public
	// 168 bytes
}

// A filter prints its parameters, never its bits or its family's key.
func ExampleFilter_String() {
	fmt.Println(filter("a"))
	// Output: static.Filter(1 keys, 9.976 columns, 1 layers, 168 bytes, family public)
}

func ExampleFilter_LogValue() {
	text := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})
	slog.New(text).Info("loaded", "filter", filter("a", "b"))
	// Output: level=INFO msg=loaded filter.n=2 filter.bytes=168 filter.rate=0.0009765625 filter.params="2 keys, 9.976 columns, 1 layers, 168 bytes, family public"
}

// A stream can hold several filters. After the last one the error is io.EOF.
func ExampleFilter_ReadFrom() {
	var stream bytes.Buffer
	for _, f := range []*static.Filter{filter("a"), filter("b")} {
		if _, err := f.WriteTo(&stream); err != nil {
			fmt.Println(err)
			return
		}
	}
	for {
		var f static.Filter
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

func ExampleFilter_MarshalBinary() {
	f := filter("a")
	data, err := f.MarshalBinary() // AppendBinary appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var g static.Filter
	fmt.Println(len(data), g.UnmarshalBinary(data), g.Equal(f))
	same, err := g.AppendBinary(nil)
	fmt.Println(bytes.Equal(data, same), err)
	data[100] ^= 1
	fmt.Println(errors.Is(g.UnmarshalBinary(data), static.ErrCorrupt), g.ContainsString("a"))
	// Output:
	// 240 <nil> true
	// true <nil>
	// true true
}

func ExampleFilter_UnmarshalText() {
	f := filter("a")
	text, err := f.MarshalText() // AppendText appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var g, h static.Filter
	fmt.Println(len(text), g.UnmarshalText(text), g.Equal(f))
	more, err := g.AppendText([]byte("filter: "))
	fmt.Println(len(more), err)
	object, err := json.Marshal(map[string]any{"filter": f}) // calls MarshalJSON
	fmt.Println(len(object), err)
	fmt.Println(json.Unmarshal(object, &struct{ Filter *static.Filter }{&h}), h.Equal(f))
	// Output:
	// 320 <nil> true
	// 328 <nil>
	// 333 <nil>
	// <nil> true
}

func ExampleReadParams() {
	var file bytes.Buffer
	if _, err := filter("a", "b", "c").WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := static.ReadParams(&file, hashfam.Family{})
	fmt.Println(p.Keys, "keys,", p.SizeBytes(), "bytes in memory,", err)
	// Output: 3 keys, 168 bytes in memory, <nil>
}

// To decode a filter of a keyed family, make a receiver with that family.
func ExampleNewReceiver() {
	fam := hashfam.New(hashfam.RandomKey())
	f, err := static.New(static.Config{FPRate: 0.01, Family: fam}, [][]byte{[]byte("a")})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := f.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(errors.Is(new(static.Filter).UnmarshalBinary(data), static.ErrFamily))
	g := static.NewReceiver(fam)
	fmt.Println(g.UnmarshalBinary(data), g.ContainsString("a"))
	// Output:
	// true
	// <nil> true
}

func ExampleFieldError() {
	_, err := static.NewBuilder(static.Config{FPRate: 2})
	var fe *static.FieldError
	if errors.As(err, &fe) {
		fmt.Printf("%v: %s is %v, and must be %s\n", fe.Err, fe.Field, fe.Value, fe.Allowed)
	}
	// Output: invalid parameters: Config.FPRate is 2, and must be above 0 and below 1
}

// withoutTime drops the time, which differs in every run.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
