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
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a filter that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
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
	// Output:
}
