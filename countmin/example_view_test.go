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
	s.AddN([]byte("whale"), 1240)
	data, err := s.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := countmin.NewView(data, s.Family())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.CountString("whale"), v.Count([]byte("computer")), v.Total(), v.Verify())
	t, err := v.Decode() // a sketch that can be changed
	fmt.Println(t.Equal(s), err)
	// Output:
	// 1240 0 1240 <nil>
	// true <nil>
}
