//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package countmin_test

import (
	"fmt"

	"github.com/filterfam/filterfam/countmin"
)

func ExampleNewView() {
	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.AddNString("whale", 1240)
	data, err := s.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := countmin.NewView(data, s.Params().Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.CountString("whale"), v.Count([]byte("computer")), v.Total())
	fmt.Println(v.CountAll(nil, [][]byte{[]byte("whale")}))
	text, err := v.MarshalJSON() // LogValue is for package log/slog
	fmt.Println(len(text), err, v.LogValue().Kind())
	fmt.Println(v.Verify(), v)
	t, err := v.Decode() // a sketch that can be changed
	fmt.Println(t.Equal(s), err)
	// Output:
	// 1240 0 1240
	// [1240]
	// 72610 <nil> Group
	// <nil> countmin.View(plain, 5 x 2719 counters of 32 bits, family public)
	// true <nil>
}
