package attack

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// within is a closed range of outcomes.
type within struct{ least, most float64 }

func (s within) has(x float64) bool { return s.least <= x && x <= s.most }

// expectations lists the columns in which each attack succeeds, with the ranges
// for success and failure.
var expectations = []struct {
	section, attack, succeeds string
	success, failure          within
}{
	// If the rate is 1%, the probability of exceeding the limit by chance is
	// below 1e-6: 15 of 200 keys, or 6 of 20 for "ask, new key". Sampling the
	// rate with 10,000 keys, and the fill of filters for 200 keys, can then be
	// wrong by less than 0.01.
	{"Bloom filters", "pollute", "public bits-and-blooms boom bbloom", within{0.05, 0.13}, within{0, 0.02}},
	{"Bloom filters", "pollute, blocked", "public", within{0.04, 0.13}, within{0, 0.03}},
	{"Bloom filters", "one line", "public", within{0.9, 1}, within{0, 0.07}},
	{"Bloom filters", "forge", "public bits-and-blooms boom bbloom", within{1, 1}, within{0, 0.07}},
	{"Bloom filters", "forge by hash", "bits-and-blooms", within{1, 1}, within{0, 0.07}},
	{"Bloom filters", "read file", "public bits-and-blooms boom bbloom", within{1, 1}, within{0, 0.07}},
	{"Bloom filters", "read with key", "public keyed bits-and-blooms boom bbloom", within{1, 1}, within{0, 0}},
	{"Bloom filters", "ask, repeat", "public keyed bits-and-blooms boom bbloom", within{1, 1}, within{0, 0}},
	{"Bloom filters", "ask, new key", "public bits-and-blooms boom bbloom", within{1, 1}, within{0, 0.25}},
	// A forged key is found with probability 0.01, and has a counter of the
	// victim with probability 7*7/1918. The probability of losing two of four
	// victims by chance is below 1e-6.
	{"Counting filters", "delete a member", "public boom", within{1, 1}, within{0, 0.25}},
	{"Counting filters", "ask, delete", "public keyed boom", within{2, 7.5}, within{0, 0}},
	{"Counting filters", "saturate", "boom", within{1, 1}, within{0, 0}},
	{"Counting filters", "stick", "public keyed", within{1, 1}, within{0, 0}},
	{"Cuckoo filters", "delete a member", "public seiflotfy boom", within{1, 1}, within{0, 0.25}},
	{"Cuckoo filters", "ask, delete", "public keyed seiflotfy boom", within{0.7, 1}, within{0, 0}},
	// In seiflotfy, a key's two buckets may be equal. Only four copies fit
	// then.
	{"Cuckoo filters", "crowd", "public seiflotfy boom", within{4, 8}, within{200, 1000}},
	{"Cuckoo filters", "copies", "public keyed seiflotfy boom", within{4, 8}, within{0, 0}},
	{"Cuckoo filters", "overfill", "seiflotfy boom", within{0.5, 1}, within{0, 0}},
	// At most five keys cover five rows, so each is used for at least a fifth
	// of the adds. Finding them by queries needs five times 2,719 adds on
	// average. The probability of needing more than 80,000 of the 100,000 adds
	// is below 1e-6.
	{"Counts", "inflate", "public boom", within{0.1, 0.5}, within{0, 0.01}},
	{"Counts", "ask, inflate", "public keyed boom", within{0.03, 0.2}, within{0, 0}},
	{"Counts", "flood", "boom", within{0.9, 1}, within{0, 0}},
	{"Counts", "flood, long keys", "public keyed boom", within{0.05, 1}, within{0, 0}},
	{"Counts", "unnoticed", "boom", within{0.5, 1}, within{0, 0}},
	{"Static filters", "gather, static", "public", within{10, 20}, within{0, 9}},
	{"Static filters", "gather, perfect", "public", within{12, 20}, within{0, 11}},
}

// This test uses smaller structures than the tables do.
func TestEveryAttackEndsAsTheTableSays(t *testing.T) {
	findings := Fight(Battles, Quick, func() {})
	require.Len(t, findings, Duels(Battles))
	checked := 0
	for _, x := range expectations {
		succeeds, key := strings.Fields(x.succeeds), stops
		if !slices.Contains(succeeds, Public) {
			key = needless
		} else if slices.Contains(succeeds, Keyed) {
			key = useless
		}
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
			assert.Equal(t, key, f.Key, "%s, %s", f.Section, f.Attack)
			assert.Equal(t, f.Target != Public && f.Target != Keyed, f.Module != "", f.Target)
		}
	}
	assert.Equal(t, len(findings), checked)
}

// A key is found if and only if all bits in its layout are set.
func TestLayoutsMatchTheFilters(t *testing.T) {
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
		for range 20_000 { // about 200 are found
			key := absent.next()
			missing := slices.ContainsFunc(positions(key), func(bit uint64) bool { return !set[bit] })
			require.Equal(t, !missing, f.Contains(key), x.column)
		}
	}
}
