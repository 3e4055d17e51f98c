package measure

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

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
