package static

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A View of the usual two layers, and of one, is a single allocation.
func TestAViewIsOneAllocation(t *testing.T) {
	for _, n := range []int{10, 5000} {
		data, err := golden(Config{FPRate: 0.01}, n)().MarshalBinary()
		require.NoError(t, err)
		_, err = NewView(data, hashfam.Family{})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		require.NoError(t, err)
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() { NewView(data, hashfam.Family{}) }), 1.0)
	}
}
