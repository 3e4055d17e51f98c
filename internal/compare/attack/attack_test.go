package attack

import (
	"slices"
	"strings"
	"testing"

	peer "github.com/bits-and-blooms/bloom/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An outcome is in a range: [least, most].
type within struct{ least, most float64 }

func (s within) has(x float64) bool { return s.least <= x && x <= s.most }

// expectations says for each attack in which columns it succeeds, and the
// outcomes that count as success and as failure.
var expectations = []struct {
	section, attack, succeeds string
	success, failure          within
}{
	// Where a rate of 1% is expected, chance exceeds the limit less than once
	// in a million times: 15 of 200 keys, or 6 of 20 for "ask, new key".
	// Sampling a rate over 10,000 keys, and the fill of a filter for 200, err
	// by less than 0.01 then.
	{"Bloom filters", "pollute", "public bits-and-blooms boom bbloom", within{0.05, 0.13}, within{0, 0.02}},
	{"Bloom filters", "pollute, blocked", "public", within{0.04, 0.13}, within{0, 0.03}},
	{"Bloom filters", "one line", "public", within{0.9, 1}, within{0, 0.07}},
	{"Bloom filters", "forge", "public bits-and-blooms boom bbloom", within{1, 1}, within{0, 0.07}},
	{"Bloom filters", "forge by hash", "bits-and-blooms", within{1, 1}, within{0, 0.07}},
	{"Bloom filters", "read file", "public bits-and-blooms boom bbloom", within{1, 1}, within{0, 0.07}},
	{"Bloom filters", "read with key", "public keyed bits-and-blooms boom bbloom", within{1, 1}, within{0, 0}},
	{"Bloom filters", "ask, repeat", "public keyed bits-and-blooms boom bbloom", within{1, 1}, within{0, 0}},
	{"Bloom filters", "ask, new key", "public bits-and-blooms boom bbloom", within{1, 1}, within{0, 0.25}},
	// A forged key is found with chance 0.01, and has a counter of the victim
	// with chance 7*7/1918: that two of four victims are lost by chance, too,
	// happens less than once in a million times.
	{"Counting filters", "delete a member", "public boom", within{1, 1}, within{0, 0.25}},
	{"Counting filters", "ask, delete", "public keyed boom", within{2, 7.5}, within{0, 0}},
	{"Counting filters", "saturate", "boom", within{1, 1}, within{0, 0}},
	{"Counting filters", "stick", "public keyed", within{1, 1}, within{0, 0}},
	{"Cuckoo filters", "delete a member", "public seiflotfy boom", within{1, 1}, within{0, 0.25}},
	{"Cuckoo filters", "ask, delete", "public keyed seiflotfy boom", within{0.7, 1}, within{0, 0}},
	// The two buckets of a key of seiflotfy may be the same: then four fit.
	{"Cuckoo filters", "crowd", "public seiflotfy boom", within{4, 8}, within{200, 1000}},
	{"Cuckoo filters", "copies", "public keyed seiflotfy boom", within{4, 8}, within{0, 0}},
	{"Cuckoo filters", "overfill", "seiflotfy boom", within{0.5, 1}, within{0, 0}},
	// At most five keys cover five rows, so each of them is counted for a fifth
	// of the adds or more. To find them by asking takes five waits of 2,719
	// adds on average; more than 80,000 of the 100,000 adds pass less than once
	// in a million times.
	{"Counts", "inflate", "public boom", within{0.1, 0.5}, within{0, 0.01}},
	{"Counts", "ask, inflate", "public keyed boom", within{0.03, 0.2}, within{0, 0}},
	{"Counts", "flood", "boom", within{0.9, 1}, within{0, 0}},
	{"Counts", "flood, long keys", "public keyed boom", within{0.05, 1}, within{0, 0}},
	{"Counts", "unnoticed", "boom", within{0.5, 1}, within{0, 0}},
	{"Static filters", "gather, static", "public", within{10, 20}, within{0, 9}},
	{"Static filters", "gather, perfect", "public", within{12, 20}, within{0, 11}},
}

// Every attack succeeds against the structures that the table says, and fails
// against the others. Those of this test are smaller.
func TestEveryAttackEndsAsTheTableSays(t *testing.T) {
	findings := Fight(Battles, Quick, func() {})
	require.Len(t, findings, Duels(Battles))
	checked := 0
	for _, x := range expectations {
		succeeds := strings.Fields(x.succeeds)
		for _, f := range findings {
			if f.Section != x.section || f.Attack != x.attack {
				continue
			}
			checked++
			want := x.failure
			if slices.Contains(succeeds, f.Target) {
				want = x.success
			}
			assert.True(t, want.has(f.Outcome), "%s, %s, %s: %v, want %v", f.Section, f.Attack, f.Target, f.Outcome, want)
			assert.Equal(t, keyAgainst(succeeds), f.Key, "%s, %s", f.Section, f.Attack)
			assert.Equal(t, f.Target != Public && f.Target != Keyed, f.Module != "", f.Target)
		}
	}
	assert.Equal(t, len(findings), checked)
}

// keyAgainst returns what a key does against an attack that succeeds in some
// columns.
func keyAgainst(succeeds []string) string {
	switch {
	case !slices.Contains(succeeds, Public):
		return needless
	case slices.Contains(succeeds, Keyed):
		return useless
	}
	return stops
}

// A key and its twin have all hashes in common, which murmurTwin computes from
// the definition of the hash alone.
func TestMurmurTwinsHaveTheSameHashes(t *testing.T) {
	keys := newKeySource(1)
	for range 1000 {
		key := append(keys.take(1)[0], keys.take(1)[0]...)
		twin := murmurTwin(key, keys.next())
		require.NotEqual(t, key, twin)
		require.Equal(t, peer.Locations(key, 20), peer.Locations(twin, 20))
	}
}

// A layout has the bits that a filter sets: another key is found if and only if
// all its bits are.
func TestLayoutsAreThoseOfTheFilters(t *testing.T) {
	for _, x := range slices.Concat(classicTargets[:1], classicTargets[2:], blockedTargets[:1]) {
		d := &duel{target: x, n: 200}
		f := d.victim(d.members())
		positions, set := x.layout(f), make(map[uint64]bool)
		for _, key := range d.members() {
			for _, bit := range positions(key) {
				set[bit] = true
			}
		}
		absent := newKeySource(absentSeed)
		for range 20_000 { // some 200 of them are found
			key := absent.next()
			missing := slices.ContainsFunc(positions(key), func(bit uint64) bool { return !set[bit] })
			require.Equal(t, !missing, f.Contains(key), x.column)
		}
	}
}
