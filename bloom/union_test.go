package bloom

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The ones of a union may be more than an int of 32 bits can count.
func TestAUnionOfMoreThanTwoToThe31OnesIsCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 512 MiB")
	}
	f := mustNew(t, Params{Bits: 1<<32 - 64, Hashes: 7})
	for i := range f.words {
		f.words[i] = 0xeeeeeeeeeeeeeeee // three in four
	}
	n, err := f.EstimatedUnionLen(f)
	require.NoError(t, err)
	require.False(t, math.IsInf(n, 1))
	require.InEpsilon(t, f.EstimatedLen(), n, 1e-12)
}
