//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package counting_test

import (
	"fmt"

	"github.com/filterfam/filterfam/counting"
)

func ExampleNewView() {
	f, err := counting.New(counting.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("session 17")
	f.AddString("session 17")
	data, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := counting.NewView(data, f.Family())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.CountString("session 17"), v.Count([]byte("session 18")))
	fmt.Println(v.Verify(), v)
	g, err := v.Decode() // a copy that can be changed
	fmt.Println(g.Equal(f), err)
	// Output:
	// 2 0
	// <nil> counting.View(classic, 9600 counters, 7 hashes, family public)
	// true <nil>
}
