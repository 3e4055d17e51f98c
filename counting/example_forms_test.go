package counting_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleReadParams() {
	f, err := counting.New(counting.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := counting.ReadParams(&file, hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p.SizeBytes(), "bytes in memory,", p.CapacityAt(0.01), "keys at 1 %")
	// Output:
	// classic, 9600 counters, 7 hashes, family public <nil>
	// 4800 bytes in memory, 1000 keys at 1 %
}

func ExampleFilter_MarshalText() {
	f, err := counting.NewFromParams(counting.Params{Counters: 16, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("session 17")
	b, err := json.Marshal(map[string]any{"filter": f}) // calls f.MarshalJSON
	fmt.Println(string(b), err)
	b, err = f.MarshalJSON()
	fmt.Println(len(b), err)
	text, err := f.MarshalText() // AppendText appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var g counting.Filter
	fmt.Println(g.UnmarshalText(text), g.Equal(f))
	line, err := f.AppendText([]byte("filter "))
	fmt.Println(len(line)-len(text), err)
	// Output:
	// {"filter":"8WZhbQIBEACCxv50z7dfkggAAAAAAAAAEAAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlpuzyAAAAAAAAAAAAACAA6Hn7PQAAAAA="} <nil>
	// 110 <nil>
	// <nil> true
	// 7 <nil>
}

func ExampleFilter_LogValue() {
	f, err := counting.NewFromParams(counting.Params{Counters: 16, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("session 17")
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", "filter", f)
	// Output: level=INFO msg=loaded filter.n=0.5 filter.bits=64 filter.rate=0.00390625 filter.fill=0.0625 filter.stuck=0 filter.params="classic, 16 counters, 2 hashes, family public"
}

func ExampleFilter_AddAllDigests() {
	f, err := counting.New(counting.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	digests := f.Params().Family.SumAll(nil, keys) // hash once for all structures of the family
	f.AddAllDigests(digests[:2])
	fmt.Println(f.ContainsAllDigests(nil, digests))
	fmt.Println(f.DeleteAllDigests(digests), f.ContainsAllDigests(nil, digests))
	// Output:
	// [true true false]
	// 2 [false false false]
}

func ExampleFilter_AddAllStrings() {
	f, err := counting.New(counting.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddAllStrings([]string{"a", "b"})
	f.AddAllUint64([]uint64{1, 2})
	f.AddUint64(3)
	f.AddSeq(bytes.SplitSeq([]byte("c d e"), []byte(" ")))
	fmt.Println(f.ContainsAllStrings(nil, []string{"a", "e", "f"}))
	fmt.Println(f.ContainsAllUint64(nil, []uint64{1, 3, 4}), f.ContainsUint64(2))
	fmt.Println(f.DeleteAllStrings([]string{"a", "f"}), f.DeleteAllUint64([]uint64{1, 4}), f.DeleteUint64(2))
	fmt.Println(f.CountAll(nil, [][]byte{[]byte("a"), []byte("b")}), f.CountAllStrings(nil, []string{"a", "b"}))
	fmt.Println(f.CountAllUint64(nil, []uint64{1, 3}), f.CountUint64(3))
	fmt.Println(f.CountAllDigests(nil, []hashfam.Digest{f.Params().Family.SumUint64(3)}))
	// Output:
	// [true true false]
	// [true true false] true
	// 1 1 true
	// [0 1] [0 1]
	// [0 1] 1
	// [1]
}
