package conformance

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsReadFromTheSystem(t *testing.T) {
	text := []byte("MemTotal:       24689764 kB\nMemFree:          100 kB\nMemAvailable:    1500000 kB\n")
	require.InDelta(t, 1.536, memory(text, nil), 1e-9)
	unknown := 2.0
	if strconv.IntSize == 64 {
		unknown = 1e9
	}
	require.GreaterOrEqual(t, memory(nil, errors.New("no such file")), unknown)
	require.GreaterOrEqual(t, memory([]byte("MemFree: 1 kB"), nil), unknown)
}

func TestLongFormsRunIfAskedForAndIfTheyFit(t *testing.T) {
	t.Setenv("FILTERFAM_LONG", "")
	require.False(t, Long(t, 1, 0))
	t.Setenv("FILTERFAM_LONG", "1")
	require.True(t, Long(t, 1, 0))
	require.False(t, Long(t, 1, 1e9))
	skipped := false
	t.Run("too large", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		OnlyLong(t, 1, 1e9)
	})
	require.True(t, skipped)
}
