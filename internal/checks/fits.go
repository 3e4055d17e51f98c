package checks

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// NamesWhatFits checks the error of try for a rate and a memory limit that
// cannot both be met. The memory that err names must be above the limit and
// enough for the rate. The rate that err names, if any, must be higher and
// possible within the limit.
func NamesWhatFits(t require.TestingT, err error, rate float64, try func(rate float64, bytes uint64) error, bytes uint64) {
	more, higher := needOf(t, err)
	require.Greater(t, more, bytes)
	require.NoError(t, try(rate, more))
	if higher > 0 {
		require.Greater(t, higher, rate)
		require.NoError(t, try(higher, bytes))
	}
}

// needOf returns the memory and the rate in an error about MemoryBytes.
func needOf(t require.TestingT, err error) (bytes uint64, rate float64) {
	var fe *hashfam.FieldError
	require.ErrorAs(t, err, &fe)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.Equal(t, "Config.MemoryBytes", fe.Field)
	var wanted float64
	n, _ := fmt.Sscanf(fe.Allowed, "at least %d for FPRate %g, or FPRate %g", &bytes, &wanted, &rate)
	require.GreaterOrEqual(t, n, 2, fe.Allowed)
	return bytes, rate
}
