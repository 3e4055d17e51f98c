//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package bloom_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// A view queries encoded data directly, for example in a mapped file.
func ExampleNewView() {
	f := filter("example.org")
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		panic(err)
	}
	v := hashfam.Must(bloom.NewView(data, hashfam.Family{}))
	fmt.Println(v.ContainsString("example.org"), v.ContainsString("example.net"))
	fmt.Println(v.Verify(), v)
	g := bloom.NewReceiver(hashfam.Family{})
	err = g.UnmarshalBinary(data) // a deep copy, which can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
	// true false
	// <nil> bloom.Filter(classic, 14384 bits, 10 hashes, family public)
	// true <nil>
}
