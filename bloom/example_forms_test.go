package bloom_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleReadParams() {
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := bloom.ReadParams(&file, hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p.SizeBytes(), "bytes in memory,", p.CapacityAt(0.01), "keys at 1 %")
	// Output:
	// classic, 9600 bits, 7 hashes, family public <nil>
	// 1200 bytes in memory, 1000 keys at 1 %
}

func ExampleFilter_MarshalJSON() {
	f, err := bloom.NewFromParams(bloom.Params{Bits: 64, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	b, err := json.Marshal(map[string]any{"params": f.Params(), "filter": f})
	fmt.Println(string(b), err)
	// Output: {"filter":"8WZhbQEBEACCxv50z7dfkggAAAAAAAAAQAAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWn7iQAAAAABAAIAAAAAAA04XyQwAAAAA=","params":{"Bits":64,"Hashes":2,"Layout":"classic","Family":"public"}} <nil>
}

func ExampleFilter_UnmarshalText() {
	f, err := bloom.NewFromParams(bloom.Params{Bits: 64, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	text, err := f.MarshalText() // AppendText appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var g bloom.Filter
	fmt.Println(g.UnmarshalText(text), g.Equal(f))
	more, err := g.AppendText([]byte("filter: "))
	fmt.Println(len(text), len(more), err)
	// Output:
	// <nil> true
	// 108 116 <nil>
}

func ExampleLayout_UnmarshalText() {
	var l bloom.Layout
	fmt.Println(l.UnmarshalText([]byte("blocked")), l)
	fmt.Println(l.UnmarshalText([]byte("clasic")), l)
	text, err := bloom.Partitioned.MarshalText()
	fmt.Println(string(text), err)
	text, err = bloom.Partitioned.AppendText([]byte("layout: "))
	fmt.Println(string(text), err)
	// Output:
	// <nil> blocked
	// bloom: invalid parameters: Layout = "clasic", want classic, partitioned or blocked blocked
	// partitioned <nil>
	// layout: partitioned <nil>
}

func ExampleFieldError() {
	_, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 1})
	var fe *bloom.FieldError
	if errors.As(err, &fe) {
		fmt.Printf("%v: %s is %v, and must be %s\n", fe.Err, fe.Field, fe.Value, fe.Allowed)
	}
	// Output: invalid parameters: Config.FPRate is 1, and must be above 0 and below 1
}

func ExampleFilter_LogValue() {
	f, err := bloom.NewFromParams(bloom.Params{Bits: 64, Hashes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", "filter", f)
	// Output: level=INFO msg=loaded filter.n=1.0080003386642733 filter.bits=64 filter.rate=0.0009765625 filter.fill=0.03125 filter.params="classic, 64 bits, 2 hashes, family public"
}

// withoutTime drops the time, which differs in every run.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func ExampleFilter_AddAllDigests() {
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	digests := f.Params().Family.SumAll(nil, keys) // hash once for all structures of the family
	f.AddAllDigests(digests[:2])
	fmt.Println(f.ContainsAllDigests(nil, digests))
	// Output: [true true false]
}

func ExampleFilter_AddAllStrings() {
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
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
	// Output:
	// [true true false]
	// [true true false] true
}
