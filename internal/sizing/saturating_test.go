package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

func TestSaturatingAddStopsAtTheLargestNumber(t *testing.T) {
	machine.Matters(t)
	require.EqualValues(t, 7, SaturatingAdd(3, 4))
	require.EqualValues(t, uint64(math.MaxUint64), SaturatingAdd(math.MaxUint64-4, 4))
	require.EqualValues(t, uint64(math.MaxUint64), SaturatingAdd(math.MaxUint64-4, 5))
}
