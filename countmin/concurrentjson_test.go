package countmin

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// JSON holds the structures, not {}.
func TestConcurrentFormsInJSON(t *testing.T) {
	sketch := must(NewConcurrentSketch(Config{Epsilon: 0.1, Delta: 0.1}))
	heavy := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.1}))
	sketch.AddString("a")
	heavy.AddString("a")
	encoded, err := json.Marshal(map[string]any{"sketch": sketch, "heavy": heavy})
	require.NoError(t, err)
	var back struct {
		Sketch Sketch
		Heavy  HeavyHitters
	}
	require.NoError(t, json.Unmarshal(encoded, &back))
	require.True(t, back.Sketch.Equal(sketch.Snapshot()))
	require.True(t, back.Heavy.Equal(heavy.Snapshot()))
	_, err = (*ConcurrentSketch)(nil).MarshalJSON()
	require.ErrorIs(t, err, ErrParams)
	_, err = (*ConcurrentHeavyHitters)(nil).MarshalJSON()
	require.ErrorIs(t, err, ErrParams)
	_, err = new(ConcurrentSketch).MarshalJSON()
	require.ErrorIs(t, err, ErrParams)
	_, err = new(ConcurrentHeavyHitters).MarshalJSON()
	require.ErrorIs(t, err, ErrParams)
}
