//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package static_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNewExactView() {
	e := numbers()
	data, err := e.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := static.NewExactView(data, e.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.ContainsUint64(7), v.ContainsUint64(700), v.ContainsDigest(hashfam.Family{}.SumUint64(8)))
	fmt.Println(v.Contains([]byte{9, 0, 0, 0, 0, 0, 0, 0}), v.ContainsString("\x09\x01\x00\x00\x00\x00\x00\x00"))
	fmt.Println(v.ContainsAllUint64(nil, []uint64{1, 101}), v.ContainsAllStrings(nil, nil), v.ContainsAll(nil, nil))
	fmt.Println(v.ContainsAllDigests(nil, []hashfam.Digest{hashfam.Family{}.SumUint64(2)}))
	fmt.Println(v.Verify(), v.SizeBytes(), v.Params() == e.Params(), v)
	text, err := v.MarshalJSON() // LogValue is for package log/slog
	fmt.Println(len(text), err, v.LogValue().Kind())
	f, err := v.Decode() // a copy that shares no memory with data
	fmt.Println(f.Equal(e), err)
	// Output:
	// true false true
	// true false
	// [true false] [] []
	// [true]
	// <nil> 112 true static.ExactView(100 members, 1000 others, 120 bytes, family public)
	// 258 <nil> Group
	// true <nil>
}
