package bloom

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// JSON holds the filter, not {}.
func TestAConcurrentInJSON(t *testing.T) {
	c, err := NewConcurrent(Config{Capacity: 10, FPRate: 0.1})
	require.NoError(t, err)
	c.AddString("a")
	encoded, err := json.Marshal(map[string]any{"seen": c})
	require.NoError(t, err)
	var back struct{ Seen Filter }
	require.NoError(t, json.Unmarshal(encoded, &back))
	require.True(t, back.Seen.Equal(c.Snapshot()))
	var none *Concurrent
	_, err = none.MarshalJSON()
	require.ErrorIs(t, err, ErrParams)
	_, err = new(Concurrent).MarshalJSON()
	require.ErrorIs(t, err, ErrParams)
}
