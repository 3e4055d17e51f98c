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

func TestEveryPeerIsMeasured(t *testing.T) {
	// What an adapter hands on wrongly shows as lost keys or as a rate or a
	// size far off. That of a sound peer may be off by its rounding to powers
	// of two, which errs on the side of more bits; the tables of cuckoo filters
	// are filled at random, and are no more full than the rate is made for.
	doc := decoded(t, "-n", "1000", "-fpr", "0.01", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Empty(t, doc.Failed)
	var measured []string
	for _, r := range doc.Rows {
		if !slices.ContainsFunc(measure.Peers, func(s measure.Structure) bool { return s.Name == r.Structure }) {
			assert.Zero(t, r.Refused, r.Structure)
			continue
		}
		measured = append(measured, r.Structure)
		assert.Positive(t, r.AddNS, r.Structure)
		if r.Structure == "sorted" {
			assert.Zero(t, r.FPR)
			assert.Greater(t, r.BitsPerKey, 8.0*(16+16)*0.8, "a string and its bytes, give or take what else the heap does")
			assert.Less(t, r.BitsPerKey, 8.0*(16+16)*1.3)
			assert.Zero(t, r.FalseNegatives)
			continue
		}
		// fuse16 errs about 15 times in a million, and more than 60 times with
		// a chance below 1e-15.
		assert.Less(t, r.FPR, max(1.3*r.TargetFPR, 60e-6), r.Structure)
		assert.Greater(t, r.BitsPerKey, math.Log2(1/r.TargetFPR), r.Structure)
		if r.Structure != "boom-cuckoo" {
			assert.Less(t, r.BitsPerKey, 6*1.45*math.Log2(1/r.TargetFPR), r.Structure)
		}
		if !strings.HasSuffix(r.Structure, "-cuckoo") {
			assert.Zero(t, r.FalseNegatives, r.Structure)
			assert.Zero(t, r.Refused, r.Structure)
		}
	}
	assert.ElementsMatch(t, strings.Fields(peerNames()), measured)
}

func TestOneKeyIsEnoughForPeers(t *testing.T) {
	doc := decoded(t, "-n", "1", "-fpr", "0.1,0.000001", "-structures", strings.ReplaceAll(peerNames(), " ", ","))
	assert.Len(t, doc.Rows, 1+2*7+4-len(doc.Failed))
	for _, f := range doc.Failed { // one that divides by the number of its buckets, which is 0
		assert.Equal(t, "boom-cuckoo", f.Structure, f.Error)
	}
	for _, r := range doc.Rows {
		assert.Zero(t, r.FalseNegatives, r.Structure)
	}
}

// part keeps one key of three, refuses the others, and loses its first.
type part map[string]bool

func newPart(uint64, float64, hashfam.Family) (*measure.Filter, error) {
	p, added := part{}, 0
	add := func(key []byte) error {
		if added++; added%3 != 1 {
			return errors.New("full")
		}
		if added > 1 {
			p[string(key)] = true
		}
		return nil
	}
	return &measure.Filter{Contains: p.Contains, SizeBytes: p.SizeBytes, Add: add, Delete: p.remove}, nil
}

func (p part) Contains(key []byte) bool { return p[string(key)] }
func (p part) SizeBytes() uint64        { return 1 }

func (p part) remove(key []byte) bool {
	there := p[string(key)]
	delete(p, string(key))
	return there
}

// broken panics when it is queried.
type broken struct{ forgetful }

func (broken) Contains([]byte) bool { panic("out of order") }

func withPeers(t *testing.T, list ...measure.Structure) {
	t.Helper()
	withStructures(t, append(slices.Clone(measure.Structures[:2]), list...)...)
}

func TestAPeerThatRefusesOrLosesKeysIsShown(t *testing.T) {
	withPeers(t, measure.Structure{Name: "part", Peer: true, Against: "bloom", Build: newPart})
	const builds = 3334 // with 300 absent keys each, a million in all
	doc := decoded(t, "-n", "300", "-fpr", "0.1", "-structures", "bloom,part")
	part := doc.Rows[len(doc.Rows)-1]
	require.Equal(t, "part", part.Structure)
	assert.EqualValues(t, 200*builds, part.Refused)
	assert.EqualValues(t, 2*builds, part.FalseNegatives, "one key is lost, which a lookup and a delete each notice")
	assert.Equal(t, "bloom", part.Against)

	code, stdout, stderr := compare(t, "-n", "300", "-fpr", "0.1", "-structures", "bloom,part")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "Note: part at 10% refused "+measure.Thousands(int(200*builds))+" of the "+measure.Thousands(int(300*builds))+" keys")
}

func TestAPeerThatPanicsOrCannotBeBuiltIsNotedAndTheRestGoesOn(t *testing.T) {
	withPeers(t,
		measure.Structure{Name: "broken", Peer: true, Build: building(broken{}, nil)},
		measure.Structure{Name: "never", Peer: true, Exact: true, Build: func(uint64, float64, hashfam.Family) (*measure.Filter, error) {
			return nil, errors.New("not today")
		}},
		measure.Structure{Name: "sound", Peer: true, Against: "bloom", Build: measure.Named("bits-and-blooms").Build})
	doc := decoded(t, "-n", "1000", "-fpr", "0.1", "-structures", "map,bloom,broken,never,sound")
	require.Len(t, doc.Failed, 2)
	assert.Equal(t, measure.Failure{Structure: "never", Error: "not today"}, doc.Failed[0])
	assert.Equal(t, measure.Failure{Structure: "broken", TargetFPR: 0.1, Error: "panic: out of order"}, doc.Failed[1])
	require.Len(t, doc.Rows, 3)
	assert.Equal(t, "sound", doc.Rows[2].Structure)

	code, stdout, stderr := compare(t, "-n", "1000", "-fpr", "0.1", "-structures", "broken,never,sound")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "Note: broken at 10% could not be measured: panic: out of order.")
	assert.Contains(t, stdout, "Note: never could not be measured: not today.")
}

func TestAPanicOfOursIsNotHidden(t *testing.T) {
	withPeers(t, measure.Structure{Name: "broken", Build: building(broken{}, nil)})
	assert.Panics(t, func() { compare(t, "-structures", "broken", "-n", "100", "-fpr", "0.1") })
}
