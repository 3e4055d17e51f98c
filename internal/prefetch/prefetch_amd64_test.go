//go:build !purego && !race

package prefetch

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/cpu"
)

// The instructions multiply 32 bits, and read at least one word.
func TestReady(t *testing.T) {
	defer func(before bool) { cpu.AVX512NoRace = before }(cpu.AVX512NoRace)
	words := make([]uint64, 1)
	for _, c := range []struct {
		has   bool
		n     int
		array Array
		want  bool
	}{
		{true, least, Array{Words: words, Span: 64}, true},
		{true, least - 1, Array{Words: words, Span: 64}, false},
		{true, least, Array{Words: words, Span: math.MaxUint32}, true},
		{true, least, Array{Words: words, Span: math.MaxUint32 + 1}, false},
		{true, least, Array{Span: 64}, false},
		{false, least, Array{Words: words, Span: 64}, false},
	} {
		cpu.AVX512NoRace = c.has
		require.Equal(t, c.want, c.array.Ready(c.n), "%+v", c)
	}
}
