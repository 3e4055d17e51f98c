package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

// More than eight keys with one pair of buckets never fit. The chance that nine
// keys are such keys is known for each family: a pair that t of the 2^f-1
// fingerprints tie has a key with probability 2t/(m(2^f-1)). Its mean over
// families is the number that Capacity is derived from, which the bound of
// package sizing exceeds by 5 % at most. A mean of independent numbers is more
// than seven of its standard deviations off with probability below 1e-6, even
// if they are far from normal.
func TestPairsAreCrowdedAsOftenAsPackageSizingSays(t *testing.T) {
	work := 1 << 19
	switch {
	case conformance.Long(t, 15, 0.1):
		work = 1 << 27
	case testing.Short():
		work = 1 << 18
	}
	for _, m := range []uint64{2, 4, 6, 14, 16, 18, 30, 32, 34, 62, 64, 66, 126, 128, 130, 254, 682, 1022, 1026, 4094, 4098} {
		for _, f := range []int{4, 5, 6, 8, 10} {
			fingerprints := uint64(1)<<f - 1
			families := work / int(m*fingerprints)
			if families < 30 {
				continue
			}
			rng, chances := rand.New(rand.NewPCG(m, uint64(f))), make([]float64, families)
			for i := range chances {
				partners := of(m, rng.Uint64())
				for _, ties := range tiedPairs(&partners, fingerprints) {
					chances[i] += math.Pow(2*float64(ties)/float64(m*fingerprints), 9)
				}
			}
			mean, squares := 0.0, 0.0
			for _, c := range chances {
				mean += c / float64(families)
			}
			for _, c := range chances {
				squares += (c - mean) * (c - mean)
			}
			stderr, bound := math.Sqrt(squares)/float64(families), sizing.CrowdedPairs(m, f, 9)
			t.Logf("m = %4d, f = %2d: %d families, bound %.4g, measured/bound %.3f +- %.3f", m, f, families, bound, mean/bound, stderr/bound)
			require.LessOrEqual(t, mean, bound*(1+1e-9)+7*stderr, "m = %d, f = %d", m, f)
			require.GreaterOrEqual(t, mean, bound/1.05-7*stderr, "m = %d, f = %d", m, f)
		}
	}
}

// tiedPairs returns how many fingerprints tie each pair of buckets that any
// ties.
func tiedPairs(p *Partners, fingerprints uint64) (ties []int) {
	var pairs []uint64
	for fp := uint64(1); fp <= fingerprints; fp++ {
		h := p.Hash(fp)
		for i := range p.buckets {
			if j := p.Other(i, h); i < j {
				pairs = append(pairs, i<<32|j)
			}
		}
	}
	slices.Sort(pairs)
	for k, pair := range pairs {
		if k == 0 || pair != pairs[k-1] {
			ties = append(ties, 0)
		}
		ties[len(ties)-1]++
	}
	return ties
}
