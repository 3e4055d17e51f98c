package saturating

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

func TestAddStopsAtTheLargestNumber(t *testing.T) {
	machine.Matters(t)
	require.EqualValues(t, 7, Add(3, 4))
	require.EqualValues(t, uint64(math.MaxUint64), Add(math.MaxUint64-4, 4))
	require.EqualValues(t, uint64(math.MaxUint64), Add(math.MaxUint64-4, 5))
}
