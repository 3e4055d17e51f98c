package perfect_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
)

// letters are the keys of the examples.
func letters() [][]byte { return bytes.Fields([]byte("a b c d e f g h i j k l m")) }

func ExampleFunction_WriteTo() {
	f, err := perfect.New(perfect.Config{Compact: true}, letters())
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := perfect.ReadParams(bytes.NewReader(file.Bytes()), hashfam.Family{})
	fmt.Println(p, err)
	g := perfect.NewReceiver(f.Params().Family)
	_, err = g.ReadFrom(&file)
	fmt.Println(g.Equal(f), err, g.Params().SizeBytes() == g.SizeBytes())
	// Output:
	// 13 keys, 24 bytes, compact, family public <nil>
	// true <nil> true
}

func ExampleFunction_MarshalBinary() {
	f, err := perfect.New(perfect.Config{}, letters())
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := f.MarshalBinary() // AppendBinary appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	more, err := f.AppendBinary(b)
	fmt.Println(len(more) == 2*len(b), err)
	var g perfect.Function
	fmt.Println(g.UnmarshalBinary(b), g.Equal(f))
	b[70] ^= 1
	fmt.Println(errors.Is(g.UnmarshalBinary(b), perfect.ErrCorrupt))
	// Output:
	// true <nil>
	// <nil> true
	// true
}

func ExampleFunction_UnmarshalText() {
	f, err := perfect.New(perfect.Config{}, letters()[:3])
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := f.MarshalText() // AppendText appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var g perfect.Function
	fmt.Println(g.UnmarshalText(text), g.Equal(f))
	more, err := g.AppendText([]byte("function: "))
	fmt.Println(len(more)-len(text), err)
	b, err := json.Marshal(f)
	fmt.Println(string(b) == `"`+string(text)+`"`, err)
	v, err := f.MarshalJSON()
	fmt.Println(bytes.Equal(v, b), err)
	// Output:
	// <nil> true
	// 10 <nil>
	// true <nil>
	// true <nil>
}

func ExampleFunction_LogValue() {
	f, err := perfect.New(perfect.Config{}, letters())
	if err != nil {
		fmt.Println(err)
		return
	}
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("loaded", "function", f)
	// Output: level=INFO msg=loaded function.n=13 function.bits_per_key=14.76923076923077 function.params="13 keys, 24 bytes, family public"
}

// withoutTime drops the time, which differs in every run.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func ExampleNewView() {
	f, err := perfect.New(perfect.Config{}, letters())
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := perfect.NewView(data, f.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.IndexString("a") == f.IndexString("a"), v.Len(), v.Params() == f.Params())
	fmt.Println(v.SizeBytes() == f.SizeBytes(), v.BitsPerKey() == f.BitsPerKey(), v.Verify())
	text, err := v.MarshalJSON() // LogValue is for package log/slog
	fmt.Println(len(text), err, v.LogValue().Kind())
	g, err := v.Decode() // a copy
	fmt.Println(g.Equal(f), err)
	// Output:
	// true 13 true
	// true true <nil>
	// 122 <nil> Group
	// true <nil>
}

func ExampleFieldError() {
	_, err := perfect.NewFilter(perfect.FilterConfig{}, nil)
	var fe *perfect.FieldError
	if errors.As(err, &fe) {
		fmt.Printf("%v: %s is %v, and must be %s\n", fe.Err, fe.Field, fe.Value, fe.Allowed)
	}
	// Output: invalid parameters: FilterConfig.FPRate is 0, and must be above 0 and below 1
}

func ExampleNewFilterFromDigests() {
	fam := hashfam.New(hashfam.Key{1, 2, 3})
	f, err := perfect.NewFilterFromDigests(perfect.FilterConfig{FPRate: 0.001, Family: fam}, fam.SumAll(nil, letters()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ContainsString("a"), f.Contains([]byte("b")), f.ContainsDigest(fam.SumString("z")), f.ContainsUint64(1))
	fmt.Println(f.ContainsAll(nil, letters()[:2]), f.ContainsAllUint64(nil, []uint64{1, 2}))
	fmt.Println(f.ContainsAllDigests(nil, fam.SumAllStrings(nil, []string{"a", "y"})))
	g := f.Clone() // with slots of its own
	g.DeleteString("a")
	fmt.Println(f.ContainsString("a"), g.ContainsString("a"), g.Equal(f))
	// Output:
	// true true false false
	// [true true] [false false]
	// [true false]
	// true false false
}

func ExampleFilter_WriteTo() {
	f, err := perfect.NewFilter(perfect.FilterConfig{FPRate: 0.01}, letters())
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := perfect.ReadFilterParams(bytes.NewReader(file.Bytes()), hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p == f.Params(), p.SizeBytes() == f.SizeBytes())
	g := perfect.NewFilterReceiver(p.Family)
	_, err = g.ReadFrom(&file)
	fmt.Println(g.Equal(f), err)
	// Output:
	// 13 keys, rate 0.00781, 0 bits of value, 48 bytes, family public <nil>
	// true true
	// true <nil>
}

func ExampleFilter_UnmarshalText() {
	f, err := perfect.NewFilter(perfect.FilterConfig{FPRate: 0.01}, letters()[:4])
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := f.MarshalText() // AppendText, MarshalBinary and AppendBinary are like it
	if err != nil {
		fmt.Println(err)
		return
	}
	var g perfect.Filter
	fmt.Println(g.UnmarshalText(text), g.Equal(f), g.LogValue().Kind())
	b, err := f.MarshalJSON()
	fmt.Println(string(b), err)
	encoded, err := f.AppendBinary(nil)
	fmt.Println(g.UnmarshalBinary(encoded), err)
	// Output:
	// <nil> true Group
	// "8WZhbQoBGACCxv50z7dfkhAAAAAAAAAABAAAAAAAAAAAAAAAAgAAAAAABwAAAAAAAAAAAAAAAACXnzxSAAAAAGwrQg0AAAAAAAAAAAAAAADVcbV5AAAAAA==" <nil>
	// <nil> <nil>
}

func ExampleNewFilterView() {
	f, err := perfect.NewFilter(perfect.FilterConfig{FPRate: 0.001, ValueBits: 4}, letters())
	if err != nil {
		fmt.Println(err)
		return
	}
	f.SetValueString("c", 9)
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := perfect.NewFilterView(data, f.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.ContainsString("a"), v.ContainsAllStrings(nil, []string{"b", "z"}), v.Len(), v.FalsePositiveRate())
	fmt.Println(v.ValueString("c"))
	fmt.Println(v.ValueDigest(v.Params().Family.SumString("c")))
	fmt.Println(v.Verify(), v.Params() == f.Params(), v.SizeBytes() == f.SizeBytes(), v.BitsPerKey() == f.BitsPerKey())
	g, err := v.Decode() // a copy that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
	// true [true false] 13 0.0009765625
	// 9 true
	// 9 true
	// <nil> true true true
	// true <nil>
}
