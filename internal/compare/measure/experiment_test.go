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
	e, err := NewExperiment(SyntheticData(1000), Structures[:2], []float64{0.01}, nil)
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
	_, err := s.measureAccuracy(func() {})
	require.ErrorContains(t, err, "forgetful at 0.1")
	_, err = s.run(Source{Synthetic: 100}, s.Rates, false, func() {})
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
	_, err := newBoomCuckoo(1<<31, 0.01, hashfam.Family{})
	require.ErrorContains(t, err, "GiB")
}

// keysOf returns a number of keys of some bytes each.
func keysOf(number, bytes int) Keys {
	k := Keys{bytes: make([]byte, number*bytes), ends: make([]int, number)}
	for i := range k.ends {
		k.ends[i] = (i + 1) * bytes
	}
	return k
}

// Few absent keys do not call for a million builds: a build of many members
// takes long.
func TestFewAbsentKeysGetFewRounds(t *testing.T) {
	for _, c := range []struct{ members, absent, rounds, queries int }{
		{100_000, 1, 50, 1},
		{100_000, 1000, 50, 1000},
		{1, 1, 10_000, 1},
		{1_000_000, 10, 5, 10},
		{1, 1_000_000, 10_000, 100},
		{1000, 1_000_000, 1000, 1000},
		{1_000_000, 1_000_000, 5, 1_000_000},
	} {
		d := &Dataset{Members: keysOf(c.members, 16), Absent: keysOf(c.absent, 16)}
		assert.Equal(t, Plan{Rounds: c.rounds, queries: c.queries}, newPlan(d), "%+v", c)
	}
}

// A run takes time in proportion to the bytes of long keys. One line of 3 MB
// was hashed so often that nothing was shown for minutes.
func TestLongKeysGetFewRounds(t *testing.T) {
	for _, c := range []struct{ members, memberBytes, absent, absentBytes int }{
		{1, 3 << 20, 100_000, 72},
		{1, 100 << 10, 100_000, 72},
		{1, 16 << 20, 1, 16 << 20},
		{100, 10, 1, 3 << 20},
		{10, 100 << 10, 10, 100 << 10},
	} {
		d := &Dataset{Members: keysOf(c.members, c.memberBytes), Absent: keysOf(c.absent, c.absentBytes)}
		p := newPlan(d)
		round := p.repeats(d) * (c.members*c.memberBytes + p.queries*c.absentBytes)
		assert.LessOrEqual(t, p.Rounds*round, max(5*round, 100_000_000), "%+v", c)
		assert.GreaterOrEqual(t, p.Rounds, 5)
	}
	d := SyntheticData(1000)
	assert.Equal(t, 1000, newPlan(d).Rounds, "those of ordinary keys are as many as ever")
}

// The product of rounds and keys is beyond 2^31, which an int may not hold.
func TestAKnowingFilterOfFewMembersGetsFewRounds(t *testing.T) {
	c, absent := &cell{}, keysOf(1_000_000, 0)
	c.tell(&absent, 10_000)
	assert.Equal(t, 1999, c.skipped)
}
