package measure

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestAnInterruptKeepsTheRowsSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := NewExperiment(ctx, SyntheticData(1000), Structures[:2], []float64{0.01}, nil)
	require.NoError(t, err)
	done := 0
	r, err := e.Run(ctx, func() {
		if done++; done == 5 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, r.Interrupted)
	require.Len(t, r.Rows, 2)
	assert.Equal(t, 5, r.Rows[0].Rounds+r.Rows[1].Rounds)
	assert.Equal(t, 1000, r.Plan.Rounds)
}

// A round that an interrupt ends, at any step, leaves nothing: half of its
// queries would look like lost keys.
func TestAnInterruptedRoundLeavesNoResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := SyntheticData(1000)
	asked := 0
	c := &cell{rate: 0.01, Structure: Structure{Name: "slow", Build: func(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
		f, err := newExact(n, rate, family)
		add := f.Add
		f.Add = func(key []byte) error {
			if asked++; asked > 1500 {
				cancel()
			}
			return add(key)
		}
		return f, err
	}}}
	require.ErrorIs(t, c.measure(ctx, d, Plan{Rounds: 5, queries: 1000}, 0), context.Canceled)
	require.Empty(t, c.done)
}

// forgetful loses every key.
type forgetful struct{}

func (forgetful) Add([]byte)           {}
func (forgetful) Contains([]byte) bool { return false }
func (forgetful) SizeBytes() uint64    { return 1 }

// The documents say that no key was lost.
func TestALostKeyFailsTheDocuments(t *testing.T) {
	before := Structures
	t.Cleanup(func() { Structures = before })
	Structures = []Structure{{Name: "forgetful", Build: func(uint64, float64, hashfam.Family) (*Filter, error) { return Adapt(forgetful{}, nil) }}}
	s := Sweep{Accuracy: []int{100}, Rates: []float64{0.1}, rounds: 1, most: 1}
	_, err := s.measureAccuracy(t.Context(), func() {})
	require.ErrorContains(t, err, "forgetful at 0.1")
	_, err = s.run(t.Context(), Source{Synthetic: 100}, s.Rates, false, func() {})
	require.ErrorContains(t, err, "forgetful at 0.1")
}

func TestNamesAreUniqueAndComparedWithOurs(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range Structures {
		assert.False(t, seen[s.Name], s.Name)
		assert.Regexp(t, "^[a-z0-9]+(-[a-z0-9]+)*$", s.Name)
		assert.False(t, s.Exact && s.Fixed > 0, "%s: an exact set has no rate", s.Name)
		seen[s.Name] = true
	}
	for _, s := range Peers {
		assert.True(t, s.Peer, s.Name)
		assert.NotEmpty(t, s.Against, s.Name)
	}
}

func TestPeersKeepToTheirMemory(t *testing.T) {
	_, err := newBoomCuckoo(mostPeerBytes, 0.01, hashfam.Family{})
	require.ErrorContains(t, err, "GiB")
	require.NoError(t, checkPeerBytes(mostPeerBytes))
}
