package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		d := &dataset{}
		d.members.ends, d.absent.ends = make([]int, c.members), make([]int, c.absent)
		assert.Equal(t, plan{rounds: c.rounds, queries: c.queries}, newPlan(d), "%+v", c)
	}
}

var kept []byte

// What is allocated once, such as a table of a library, is no part of a set.
func TestTheHeapOfAFewKeysIsSmall(t *testing.T) {
	once := false
	bytes, err := heapGrowth(func() (any, error) {
		if !once {
			once, kept = true, make([]byte, 100_000)
		}
		return make(map[string]struct{}, 2), nil
	})
	require.NoError(t, err)
	assert.Less(t, bytes, uint64(10_000))
}

// A heap can be too small to be seen to grow.
func TestASizeOfZeroHasAJSONForm(t *testing.T) {
	ours := &cell{structure: structure{name: "map"}, rounds: 1, add: []float64{1}}
	theirs := &cell{structure: structure{name: "static-exact", against: "map"}, rounds: 1, bytes: 8, add: []float64{1}}
	_, err := json.Marshal(ratiosOf(theirs, []*cell{ours, theirs}))
	require.NoError(t, err)
}

// The product of rounds and keys is beyond 2^31, which an int may not hold.
func TestAKnowingFilterOfFewMembersGetsFewRounds(t *testing.T) {
	c := &cell{}
	c.tell(&keyList{ends: make([]int, 1_000_000)}, 10_000)
	assert.Equal(t, 1999, c.skipped)
}
