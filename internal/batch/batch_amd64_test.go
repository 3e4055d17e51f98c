//go:build !purego && !race

package batch

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// The instructions multiply 32 bits, and read one or more words.
func TestReady(t *testing.T) {
	machine.Matters(t)
	defer func(before bool) { useAVX512 = before }(useAVX512)
	array := func(words int, span uint64) *Array { return &Array{Words: make([]uint64, words), Span: span} }
	useAVX512 = true
	require.True(t, array(1, math.MaxUint32).Ready(least))
	require.False(t, array(1, 64).Ready(least-1))
	require.False(t, array(1, math.MaxUint32+1).Ready(least))
	require.False(t, array(0, 64).Ready(least))
	useAVX512 = false
	require.False(t, array(1, 64).Ready(least))
}
