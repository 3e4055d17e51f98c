package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

func peerNames() string {
	var names []string
	for _, s := range measure.Peers {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// A wrong adapter would lose keys, or have a wrong rate or size. Peers may
// round sizes up to a power of two. Cuckoo filters are filled at random, so
// they may refuse or lose keys.
func TestEveryPeerIsMeasured(t *testing.T) {
	doc, _ := decoded(t, "-n", "1000", "-fpr", "0.01", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Empty(t, doc.Failed)
	var measured []string
	for _, r := range doc.Rows {
		if !slices.ContainsFunc(measure.Peers, func(s measure.Structure) bool { return s.Name == r.Structure }) {
			continue
		}
		measured = append(measured, r.Structure)
		assert.Positive(t, r.AddNS, r.Structure)
		least, most := math.Log2(1/r.TargetFPR), 6*1.45*math.Log2(1/r.TargetFPR)
		switch r.Structure {
		case "sorted": // a string and its bytes, within the noise of the heap
			least, most = 8.0*(16+16)*0.8, 8.0*(16+16)*1.3
		case "boom-cuckoo":
			most = math.Inf(1)
		}
		assert.Greater(t, r.BitsPerKey, least, r.Structure)
		assert.Less(t, r.BitsPerKey, most, r.Structure)
		// fuse16 has about 15 false positives per million keys. The probability
		// of more than 60 is below 1e-15.
		assert.Less(t, r.FPR, max(1.3*r.TargetFPR, 60e-6), r.Structure)
		if !strings.HasSuffix(r.Structure, "-cuckoo") {
			assert.Zero(t, r.FalseNegatives+r.Refused, r.Structure)
		}
	}
	assert.ElementsMatch(t, strings.Fields(peerNames()), measured)

	doc, _ = decoded(t, "-n", "1", "-fpr", "0.1,0.000001", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Len(t, doc.Rows, 1+2*7+4-len(doc.Failed), "one key is enough")
	for _, f := range doc.Failed {
		assert.Equal(t, "boom-cuckoo", f.Structure, "it divides by its number of buckets, which is 0: %s", f.Error)
	}
}

// newPart builds a filter that refuses two of three keys and loses the first.
func newPart(uint64, float64, hashfam.Family) (*measure.Filter, error) {
	keys, added := map[string]bool{}, 0
	contains := func(key []byte) bool { return keys[string(key)] }
	return &measure.Filter{
		Contains: contains, SizeBytes: func() uint64 { return 1 },
		Add: func(key []byte) error {
			if added++; added%3 != 1 {
				return errors.New("full")
			}
			keys[string(key)] = added > 1
			return nil
		},
		Delete: func(key []byte) bool {
			defer delete(keys, string(key))
			return contains(key)
		},
	}, nil
}

func withPeers(t *testing.T, list ...measure.Structure) {
	t.Helper()
	withStructures(t, append(slices.Clone(measure.Structures[:2]), list...)...)
}

func TestRefusedAndLostKeysOfPeersAreShown(t *testing.T) {
	withPeers(t, measure.Structure{Name: "part", Peer: true, Against: "bloom", Build: newPart})
	const builds = 3334 // with 300 absent keys each, a million in all
	doc, notes := decoded(t, "-n", "300", "-fpr", "0.1", "-structures", "bloom,part")
	part := doc.Rows[len(doc.Rows)-1]
	assert.EqualValues(t, 200*builds, part.Refused)
	assert.EqualValues(t, 2*builds, part.FalseNegatives, "a lookup and a delete each notice the lost key")
	assert.Equal(t, "bloom", part.Against)
	assert.Contains(t, notes, "Note: part at 10% refused "+measure.Thousands(int(200*builds))+" of "+measure.Thousands(int(300*builds))+" keys")
}

// panicking builds a filter that panics when it is queried.
func panicking(n uint64, rate float64, family hashfam.Family) (*measure.Filter, error) {
	f, err := building(nil)(n, rate, family)
	f.Contains = func([]byte) bool { panic("out of order") }
	return f, err
}

func TestBrokenPeersAreNoted(t *testing.T) {
	never := func(uint64, float64, hashfam.Family) (*measure.Filter, error) { return nil, errors.New("not today") }
	withPeers(t, measure.Structure{Name: "broken", Peer: true, Build: panicking},
		measure.Structure{Name: "never", Peer: true, Exact: true, Build: never},
		measure.Structure{Name: "sound", Peer: true, Against: "bloom", Build: measure.Named("bits-and-blooms").Build})
	doc, notes := decoded(t, "-n", "1000", "-fpr", "0.1", "-structures", "bloom,broken,never,sound")
	assert.Equal(t, []measure.Failure{
		{Structure: "never", Error: "not today"}, {Structure: "broken", TargetFPR: 0.1, Error: "panic: out of order"},
	}, doc.Failed)
	require.Len(t, doc.Rows, 2)
	assert.Equal(t, "sound", doc.Rows[1].Structure)
	assert.Contains(t, notes, "Note: broken at 10% could not be measured: panic: out of order.")
	assert.Contains(t, notes, "Note: never could not be measured: not today.")

	withPeers(t, measure.Structure{Name: "broken", Build: panicking})
	assert.Panics(t, func() { compare(t, "-structures", "broken", "-n", "100", "-fpr", "0.1") }, "a panic of ours is not hidden")
}
