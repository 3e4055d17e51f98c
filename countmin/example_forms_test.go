package countmin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleReadParams() {
	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := s.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := countmin.ReadParams(&file, hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p.SizeBytes(), "bytes if it is decoded")
	// Output:
	// plain, 5 x 2719 counters of 32 bits, family public <nil>
	// 54380 bytes if it is decoded
}

func ExampleSketch_MarshalText() {
	s, err := countmin.New(countmin.Config{Width: 4, Depth: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.AddString("whale")
	b, err := json.Marshal(map[string]any{"sketch": s}) // calls s.MarshalJSON
	fmt.Println(string(b), err)
	b, err = s.MarshalJSON()
	fmt.Println(len(b), err)
	text, err := s.MarshalText()
	if err != nil {
		fmt.Println(err)
		return
	}
	var t countmin.Sketch
	fmt.Println(t.UnmarshalText(text), t.Equal(s))
	line, err := s.AppendText([]byte("sketch "))
	fmt.Println(len(line)-len(text), err)
	// Output:
	// {"sketch":"8WZhbQQBGACCxv50z7dfkiAAAAAAAAAABAAAAAAAAAACIAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAf0p1fAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAJrOIVQAAAAA="} <nil>
	// 142 <nil>
	// <nil> true
	// 7 <nil>
}

func ExampleHeavyHitters_MarshalText() {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.01, MemoryBytes: 1 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	h.AddString("whale")
	b, err := h.MarshalJSON() // what json.Marshal calls
	fmt.Println(len(b), err)
	text, err := h.MarshalText()
	if err != nil {
		fmt.Println(err)
		return
	}
	var g countmin.HeavyHitters
	fmt.Println(g.UnmarshalText(text), g.Equal(h))
	line, err := h.AppendText([]byte("heavy hitters "))
	fmt.Println(len(line)-len(text), err)
	// Output:
	// 866 <nil>
	// <nil> true
	// 14 <nil>
}

func ExampleTopK_MarshalText() {
	k, err := countmin.NewTopK(countmin.TopKConfig{K: 10, MemoryBytes: 1 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	k.AddString("whale")
	b, err := k.MarshalJSON() // what json.Marshal calls
	fmt.Println(len(b), err)
	text, err := k.MarshalText()
	if err != nil {
		fmt.Println(err)
		return
	}
	var g countmin.TopK
	fmt.Println(g.UnmarshalText(text), g.Equal(k))
	line, err := k.AppendText([]byte("top k "))
	fmt.Println(len(line)-len(text), err)
	// Output:
	// 866 <nil>
	// <nil> true
	// 6 <nil>
}

// logged prints a value as package log/slog does, without the time.
func logged(name string, v any) {
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", name, v)
}

func ExampleSketch_LogValue() {
	s, err := countmin.New(countmin.Config{Width: 4, Depth: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.AddString("whale")
	logged("sketch", s)
	// Output: level=INFO msg=loaded sketch.n=1 sketch.bits=256 sketch.bound=0 sketch.params="plain, 2 x 4 counters of 32 bits, family public"
}

func ExampleHeavyHitters_LogValue() {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.01, MemoryBytes: 1 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	h.AddString("whale")
	logged("heavy", h)
	// Output: level=INFO msg=loaded heavy.n=1 heavy.bits=8192 heavy.complete=true heavy.params="phi 0.01, 1024 bytes, family public"
}

func ExampleTopK_LogValue() {
	k, err := countmin.NewTopK(countmin.TopKConfig{K: 10, MemoryBytes: 1 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	k.AddString("whale")
	logged("top", k)
	// Output: level=INFO msg=loaded top.n=1 top.bits=8192 top.missed=0 top.params="k 10, 1024 bytes, family public"
}

func ExampleReadHeavyParams() {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.01, MemoryBytes: 1 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := h.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := countmin.ReadHeavyParams(bytes.NewReader(data), hashfam.Family{})
	fmt.Println(c, err)
	_, err = countmin.ReadTopKParams(bytes.NewReader(data), hashfam.Family{})
	fmt.Println(err)
	// Output:
	// phi 0.01, 1024 bytes, family public <nil>
	// countmin: corrupt encoding: kind = heavy hitters, want a top k
}

func ExampleSketch_AddAllDigests() {
	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := [][]byte{[]byte("whale"), []byte("ship"), []byte("whale")}
	digests := s.Params().Family.SumAll(nil, keys) // hashed once, for any structure of the family
	s.AddAllDigests(digests)
	fmt.Println(s.CountAllDigests(nil, digests))
	// Output: [2 1 2]
}

func ExampleSketch_AddAllStrings() {
	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.AddAllStrings([]string{"a", "b", "a"})
	s.AddAllUint64([]uint64{1, 2, 1})
	s.AddUint64(1)
	s.AddNUint64(2, 10)
	s.AddSeq(bytes.SplitSeq([]byte("a c"), []byte(" ")))
	fmt.Println(s.CountAllStrings(nil, []string{"a", "b", "c"}))
	fmt.Println(s.CountAllUint64(nil, []uint64{1, 2}), s.CountUint64(3))
	// Output:
	// [3 1 1]
	// [3 11] 0
}

func ExampleHeavyHitters_AddAllStrings() {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.2})
	if err != nil {
		fmt.Println(err)
		return
	}
	h.AddAllStrings([]string{"a", "b", "a"})
	h.AddSeq(bytes.SplitSeq([]byte("a c d"), []byte(" ")))
	for key, e := range h.All() {
		fmt.Println(key, e.Count)
	}
	fmt.Println(h.EstimateAllStrings(nil, []string{"b"}))
	// Output:
	// a 3
	// [{1 1 1}]
}

func ExampleTopK_AddAllStrings() {
	k, err := countmin.NewTopK(countmin.TopKConfig{K: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	k.AddAllStrings([]string{"a", "b", "a"})
	k.AddSeq(bytes.SplitSeq([]byte("a c d"), []byte(" ")))
	for key, e := range k.All() {
		fmt.Println(key, e.Count)
	}
	fmt.Println(k.EstimateAllStrings(nil, []string{"b"}))
	// Output:
	// a 3
	// [{1 1 1}]
}

// One pass of hashing feeds a filter, a sketch and the heavy hitters.
func Example_oneHashForAll() {
	seen, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	counts, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	heavy, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.3})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := bytes.Fields([]byte("call me ishmael call me anything call"))
	digests := hashfam.Family{}.SumAll(nil, keys) // the family of all three
	seen.AddAllDigests(digests)
	counts.AddAllDigests(digests)
	if err := heavy.AddAllDigests(digests, keys); err != nil {
		fmt.Println(err)
		return
	}
	d := hashfam.Family{}.SumString("call")
	heavy.AddDigest(d, []byte("call")) // a single key
	fmt.Println(seen.ContainsDigest(d), counts.CountDigest(d))
	for key, e := range heavy.All() {
		fmt.Println(key, e.Count)
	}
	fmt.Println(heavy.EstimateAllDigests(nil, digests[:1]))

	top, err := countmin.NewTopK(countmin.TopKConfig{K: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := top.AddAllDigests(digests, keys); err != nil {
		fmt.Println(err)
		return
	}
	top.AddDigest(d, []byte("call"))
	fmt.Println(top.EstimateAllDigests(nil, digests[:1]))
	// Output:
	// true 3
	// call 4
	// [{4 4 4}]
	// [{4 4 4}]
}
