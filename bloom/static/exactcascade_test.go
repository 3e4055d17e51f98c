package static

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// A cascade is the reference for sizes: the filter cascade of CRLite (Larisch
// et al., IEEE S&P 2017, section III). Level 0 is a Bloom filter of the rarer
// class. Each further level holds the keys of the other class that the level
// before lets pass, so the number of the first level that rejects a key tells
// the class of the key.
type cascade []*bloom.Filter

// newCascade returns the cascade of two disjoint classes, of which rare is not
// the larger one. The rates are those of CRLite: 1/2 for all levels except the
// first one, whose rate leaves sqrt(1/2) times as many keys of the other class
// as there are rare ones.
func newCascade(t testing.TB, rare, common []hashfam.Digest) cascade {
	var c cascade
	rate := math.Sqrt(0.5) * float64(len(rare)) / float64(max(1, len(common)))
	for in, out := rare, common; len(in) > 0; rate = 0.5 {
		f, err := bloom.New(bloom.Config{Capacity: uint64(len(in)), FPRate: min(rate, 0.9)})
		require.NoError(t, err)
		for _, d := range in {
			f.AddDigest(c.salted(d, len(c)))
		}
		var passed []hashfam.Digest
		for _, d := range out {
			if f.ContainsDigest(c.salted(d, len(c))) {
				passed = append(passed, d)
			}
		}
		c = append(c, f)
		in, out = passed, in
	}
	return c
}

// salted returns another digest for each level. The levels would otherwise test
// the same positions.
func (cascade) salted(d hashfam.Digest, level int) hashfam.Digest {
	x := uint64(d) + uint64(level+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return hashfam.Digest(x ^ x>>31)
}

// rare reports whether d is of the rarer class.
func (c cascade) rare(d hashfam.Digest) bool {
	for level, f := range c {
		if !f.ContainsDigest(c.salted(d, level)) {
			return level%2 == 1
		}
	}
	return len(c)%2 == 1
}

// bits returns the size of all levels.
func (c cascade) bits() (sum uint64) {
	for _, f := range c {
		sum += f.Params().Bits
	}
	return sum
}

// The reference answers without an error, and takes the memory that is known
// for it: 4.33, 7.56, 12.36 and 18.72 bits per rare key at these ratios.
func TestTheReferenceCascadeIsExact(t *testing.T) {
	for _, u := range []struct {
		rare, ratio int
		bits        float64
	}{{10_000, 1, 4.33}, {10_000, 5, 7.56}, {2_000, 50, 12.36}, {100, 1000, 18.72}} {
		rare, common := randomUniverse(u.rare, u.rare*u.ratio)
		c := newCascade(t, rare, common)
		for _, d := range rare {
			require.True(t, c.rare(d))
		}
		for _, d := range common {
			require.False(t, c.rare(d))
		}
		perKey := float64(c.bits()) / float64(u.rare)
		require.InEpsilon(t, u.bits, perKey, 0.12, fmt.Sprintf("ratio %d: %.2f bits", u.ratio, perKey))
	}
}

// randomUniverse returns two disjoint lists of digests.
func randomUniverse(a, b int) (members, others []hashfam.Digest) {
	digests := make([]hashfam.Digest, a+b)
	for i := range digests {
		digests[i] = hashfam.Family{}.SumUint64(uint64(i))
	}
	return digests[:a:a], digests[a:]
}
