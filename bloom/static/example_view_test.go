//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package static_test

import (
	"context"
	"fmt"

	"github.com/filterfam/filterfam/bloom/static"
)

func ExampleNewView() {
	c := static.Config{FPRate: 0.001}
	f, err := static.New(context.Background(), c, c.Family.SumAllStrings(nil, []string{"example.org", "example.com"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := static.NewView(data, f.Family())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.ContainsString("example.org"), v.Contains([]byte("example.net")))
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a deep copy
	fmt.Println(g.Equal(f), err)
	// Output:
	// true false
	// <nil> static.Filter(2 keys, 9.976 columns, 1 layers, 168 bytes, family public)
	// true <nil>
}
