//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package bloom_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom"
)

func ExampleNewView() {
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("example.org")
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := bloom.NewView(data, f.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.ContainsString("example.org"), v.Contains([]byte("example.net")))
	fmt.Println(v.ContainsDigest(v.Params().Family.SumString("example.org")))
	fmt.Println(v.ContainsAll(nil, [][]byte{[]byte("example.org"), []byte("example.net")}))
	fmt.Printf("%d bytes, %.2f %% full, about %.0f key, rate %.0e\n",
		v.SizeBytes(), 100*v.FillRatio(), v.EstimatedLen(), v.FalsePositiveRate())
	text, err := v.MarshalJSON() // LogValue is for package log/slog
	fmt.Println(len(text), err, v.LogValue().Kind())
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a copy that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
	// true false
	// true
	// [true false]
	// 1200 bytes, 0.07 % full, about 1 key, rate 1e-22
	// 1698 <nil> Group
	// <nil> bloom.View(classic, 9600 bits, 7 hashes, family public)
	// true <nil>
}
