//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package static_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom/static"
)

func ExampleNewView() {
	f := filter("example.org", "example.com")
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := static.NewView(data, f.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.ContainsString("example.org"), v.Contains([]byte("example.net")))
	fmt.Println(v.ContainsDigest(v.Params().Family.SumString("example.org")), v.ContainsUint64(1))
	fmt.Println(v.ContainsAll(nil, [][]byte{[]byte("example.org"), []byte("example.net")}))
	fmt.Printf("%d keys, %d bytes, rate %.4f\n", v.Len(), v.SizeBytes(), v.FalsePositiveRate())
	text, err := v.MarshalJSON() // LogValue is for package log/slog
	fmt.Println(len(text), err, v.LogValue().Kind())
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a copy in memory
	fmt.Println(g.Equal(f), err)
	// Output:
	// true false
	// true false
	// [true false]
	// 2 keys, 168 bytes, rate 0.0010
	// 322 <nil> Group
	// <nil> static.View(2 keys, 9.976 columns, 1 layers, 168 bytes, family public)
	// true <nil>
}
