package cuckoo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNewView() {
	f, err := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.AddString("example.org"); err != nil {
		fmt.Println(err)
		return
	}
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := cuckoo.NewView(data, f.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.ContainsString("example.org"), v.Contains([]byte("example.net")), v.Len())
	text, err := v.MarshalJSON() // LogValue is for package log/slog
	fmt.Println(len(text), err, v.LogValue().Kind())
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a filter that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
	// true false 1
	// 1914 <nil> Group
	// <nil> cuckoo.View(plain, 270 buckets, 10 bits a fingerprint, family public)
	// true <nil>
}

func ExampleReadParams() {
	f, err := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := cuckoo.ReadParams(&file, hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p.SizeBytes(), "bytes if it is decoded")
	// Output:
	// plain, 270 buckets, 10 bits a fingerprint, family public <nil>
	// 1360 bytes if it is decoded
}

func ExampleFilter_MarshalText() {
	f, err := cuckoo.NewFromParams(cuckoo.Params{Buckets: 2, FingerprintBits: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.AddString("example.org"); err != nil {
		fmt.Println(err)
		return
	}
	b, err := json.Marshal(map[string]any{"filter": f}) // calls f.MarshalJSON
	fmt.Println(string(b), err)
	b, err = f.MarshalJSON()
	fmt.Println(len(b), err)
	text, err := f.MarshalText()
	if err != nil {
		fmt.Println(err)
		return
	}
	var g cuckoo.Filter
	fmt.Println(g.UnmarshalText(text), g.Equal(f))
	line, err := f.AppendText([]byte("filter "))
	fmt.Println(len(line)-len(text), err)
	// Output:
	// {"filter":"8WZhbQMBGACCxv50z7dfkhAAAAAAAAAAAgAAAAAAAAAIAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAABv6/AAAAAAAAAAASAAAAAAAAAAAAAACdnDH/AAAAAA=="} <nil>
	// 122 <nil>
	// <nil> true
	// 7 <nil>
}

func ExampleFilter_LogValue() {
	f, err := cuckoo.NewFromParams(cuckoo.Params{Buckets: 2, FingerprintBits: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := f.AddString("example.org"); err != nil {
		fmt.Println(err)
		return
	}
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", "filter", f)
	// Output: level=INFO msg=loaded filter.n=1 filter.bits=128 filter.rate=0.00392156862745098 filter.fill=0.125 filter.params="plain, 2 buckets, 8 bits a fingerprint, family public"
}

func ExampleFilter_AddAllStrings() {
	f, err := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.AddAllStrings([]string{"a", "b"}))
	fmt.Println(f.AddAllUint64([]uint64{1, 2}))
	fmt.Println(f.AddUint64(3))
	fmt.Println(f.AddSeq(bytes.SplitSeq([]byte("c d e"), []byte(" "))))
	fmt.Println(f.ContainsAllStrings(nil, []string{"a", "e", "f"}))
	fmt.Println(f.ContainsAllUint64(nil, []uint64{1, 3, 4}), f.ContainsUint64(2))
	fmt.Println(f.DeleteAllStrings([]string{"a", "f"}), f.DeleteAllUint64([]uint64{1, 4}), f.DeleteUint64(2))
	fmt.Println(f.CountAll(nil, [][]byte{[]byte("a"), []byte("b")}), f.CountAllStrings(nil, []string{"a", "b"}))
	fmt.Println(f.CountAllUint64(nil, []uint64{1, 3}), f.CountUint64(3))
	fmt.Println(f.CountAllDigests(nil, []hashfam.Digest{f.Params().Family.SumUint64(3)}))
	// Output:
	// 2 <nil>
	// 2 <nil>
	// <nil>
	// 3 <nil>
	// [true true false]
	// [true true false] true
	// 1 1 true
	// [0 1] [0 1]
	// [0 1] 1
	// [1]
}

func ExampleFilter_AddAllDigests() {
	f, err := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	digests := f.Params().Family.SumAll(nil, keys) // hashed once, for any structure of the family
	fmt.Println(f.AddAllDigests(digests[:2]))
	fmt.Println(f.ContainsAllDigests(nil, digests))
	fmt.Println(f.DeleteAllDigests(digests), f.ContainsAllDigests(nil, digests))
	// Output:
	// 2 <nil>
	// [true true false]
	// 2 [false false false]
}
