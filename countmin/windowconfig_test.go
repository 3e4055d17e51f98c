package countmin

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

func TestWindowConfigsAreChecked(t *testing.T) {
	good := WindowConfig{Phi: 0.1, Keys: 10}
	w, err := NewWindow(good)
	require.NoError(t, err)
	require.Equal(t, WindowConfig{Phi: 0.1, Keys: 10, Panes: 8}, w.Config())
	w, err = NewWindow(WindowConfig{Phi: 0.1, Span: 1001, Panes: 8})
	require.NoError(t, err)
	require.Equal(t, time.Duration(1008), w.Config().Span)
	for field, change := range map[string]func(*WindowConfig){
		"WindowConfig.Phi":         func(c *WindowConfig) { c.Phi = math.NaN() },
		"WindowConfig":             func(c *WindowConfig) { c.Keys = 0 },
		"WindowConfig.Keys":        func(c *WindowConfig) { c.Keys = 1<<62 + 1 },
		"WindowConfig.Span":        func(c *WindowConfig) { c.Span = -1 },
		"WindowConfig.Panes":       func(c *WindowConfig) { c.Panes = 1025 },
		"WindowConfig.MemoryBytes": func(c *WindowConfig) { c.MemoryBytes = 1280*9 - 1 },
	} {
		c := good
		change(&c)
		_, err := NewWindow(c)
		require.ErrorIs(t, err, ErrParams)
		var fe *FieldError
		require.ErrorAs(t, err, &fe)
		require.Equal(t, field, fe.Field)
	}
	for _, c := range []WindowConfig{{Phi: 1.1, Keys: 1}, {Phi: 0.1, Keys: 1, Span: 8}, {Phi: 0.1, Span: math.MaxInt64},
		{Phi: 0.1, Keys: 1, Panes: -1}, {Phi: 0.1, Keys: 1, MemoryBytes: -1}} {
		_, err := NewWindow(c)
		require.ErrorIs(t, err, ErrParams)
	}
}

// The limits of a window.
func TestTheLargestWindows(t *testing.T) {
	for _, c := range []WindowConfig{
		{Phi: 1, Keys: mostKeys, Panes: mostPanes, MemoryBytes: tracker.MaxMemory},
		{Phi: 0.1, Keys: 1, Panes: 1, MemoryBytes: 2 * leastPaneBytes},
		{Phi: 0.1, Span: math.MaxInt64 - mostPanes, Panes: 1},
	} {
		w, err := NewWindow(c)
		require.NoError(t, err)
		g := NewWindowReceiver(hashfam.Family{})
		require.NoError(t, g.UnmarshalBinary(must(w.MarshalBinary())))
		require.Equal(t, c, g.Config())
	}
	for field, c := range map[string]WindowConfig{
		"WindowConfig.Phi":         {Keys: 1},
		"WindowConfig.Keys":        {Phi: 1, Keys: mostKeys + 1},
		"WindowConfig.Panes":       {Phi: 1, Keys: 1, Panes: mostPanes + 1},
		"WindowConfig.MemoryBytes": {Phi: 1, Keys: 1, MemoryBytes: tracker.MaxMemory + 1},
	} {
		_, err := NewWindow(c)
		requireField(t, err, ErrParams, field)
	}
	// A Span need not be a multiple of Panes; this one is too long.
	_, err := NewWindow(WindowConfig{Phi: 1, Span: math.MaxInt64 - mostPanes, Panes: mostPanes})
	require.ErrorContains(t, err, "want 1 to 9223372036854774783, or 0 if Keys is given")
}

// A pane of 5, one more than the window needs, each have 4/5 of Phi to find.
func TestWhatAPaneIsToFind(t *testing.T) {
	require.Equal(t, tracker.Goal{Phi: 0.5 * 4 / 5}, WindowConfig{Phi: 0.5, Keys: 1, Panes: 4}.goal())
	require.Equal(t, tracker.Goal{Phi: 0.5 * 4 / 5, Memory: 2000}, WindowConfig{Phi: 0.5, Keys: 1, Panes: 4, MemoryBytes: 10_256}.goal())
}

func TestAWindowNamesItsKindInItsParams(t *testing.T) {
	require.Equal(t, "phi 0.1 of the last 10 keys, 2 panes, memory as needed, family public",
		WindowConfig{Phi: 0.1, Keys: 10, Panes: 2}.String())
	require.Equal(t, "phi 0.1 of the last 1m0s, 2 panes, memory as needed, family public",
		WindowConfig{Phi: 0.1, Span: time.Minute, Panes: 2}.String())
}
