package hashfam

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/sizing"
)

// The tests in this file compare the hash functions with independent functions.
// All seeds are fixed, so every run has the same result. With random seeds, a
// check would fail with probability at most 2*exp(-confidence) = 4e-12, or 6e-9
// if it allows six standard errors. There are fewer than 200 checks of the
// first kind and 7 of the second, so the total is below 1e-7.

// confidence is -ln of the probability that a sound construction exceeds a
// bound on one side.
const confidence = 27

// requireUniform checks Pearson's statistic of counts against the bounds of
// Laurent and Massart for a chi-squared variable (Annals of Statistics 28,
// 2000, lemma 1). The lower bound rejects positions that are more even than
// random positions. With 1,024 expected hits per cell, the statistic follows
// the distribution closely.
func requireUniform(t *testing.T, counts []int, hint ...any) {
	var total, sum float64
	for _, c := range counts {
		total += float64(c)
	}
	mean := total / float64(len(counts))
	for _, c := range counts {
		sum += (float64(c) - mean) * (float64(c) - mean) / mean
	}
	freedom := float64(len(counts) - 1)
	root := 2 * math.Sqrt(freedom*confidence)
	require.GreaterOrEqual(t, sum, freedom-root, hint...)
	require.LessOrEqual(t, sum, freedom+root+2*confidence, hint...)
}

// probe writes the positions of d in [0, m) to out.
func probe(d Digest, m uint64, out []uint64) {
	p := d.Probe()
	for i := range out {
		out[i] = Reduce(uint64(p), m)
		p = p.Next()
	}
}

// doubleHashing is like probe, but uses double hashing.
func doubleHashing(d Digest, m uint64, out []uint64) {
	h1, h2 := uint64(d), bits.RotateLeft64(uint64(d), 32)|1
	for i := range out {
		out[i] = Reduce(h1+uint64(i)*h2, m)
	}
}

// falsePositives builds a filter with m bits and n keys using the family f, and
// returns the fraction of absent keys that it finds.
func falsePositives(positions func(Digest, uint64, []uint64), f Family, first, m uint64, k, n, queries int) float64 {
	set, out, hits := make([]bool, m), make([]uint64, k), 0
	for j := range n + queries {
		positions(f.SumUint64(first+uint64(j)), m, out)
		hit := 1
		for _, x := range out {
			if !set[x] {
				hit = 0
			}
			set[x] = set[x] || j < n
		}
		if j >= n {
			hits += hit
		}
	}
	return float64(hits) / float64(queries)
}

// Small filters have the same mean rate as with independent functions. The mean
// over thousands of filters is nearly normal, so it is off by more than six
// standard errors with probability 2e-9. In the rarest case, the mean has a
// skewness of about 1/sqrt(450 hits), which can increase this probability by a
// factor of exp(36*0.05) = 6.
func TestFalsePositiveRate(t *testing.T) {
	for _, p := range []struct {
		m    uint64
		k, n int
	}{{64, 4, 8}, {100, 7, 10}, {256, 7, 26}, {1024, 7, 106}, {4096, 10, 284}} {
		rng, filters := rand.New(rand.NewPCG(5, p.m)), 1_500.0
		var sum, squares float64
		for i := range int(filters) {
			r := falsePositives(probe, New(Key{1, 2, 3}).Derive(fmt.Sprint(p.m, i)), rng.Uint64(), p.m, p.k, p.n, 300)
			sum, squares = sum+r, squares+r*r
		}
		rate := sum / filters
		stderr := math.Sqrt((squares/filters - rate*rate) / (filters - 1))
		require.InDelta(t, sizing.Rate(p.m, p.k, uint64(p.n)), rate, 6*stderr, "%+v", p)
	}
}

// The comment of Probe says how much higher the rate of double hashing is. A
// mean rate has a relative standard error of 1%, so the tolerance is six
// standard errors.
func TestDoubleHashingHasAHigherRate(t *testing.T) {
	for _, p := range []struct {
		m      uint64
		k, n   int
		higher float64
	}{{100, 7, 10, 0.40}, {256, 7, 26, 0.16}} {
		rng, filters, sum := rand.New(rand.NewPCG(6, p.m)), 4_000, 0.0
		for i := range filters {
			sum += falsePositives(doubleHashing, New(Key{1, 2, 3}).Derive(fmt.Sprint(p.m, i)), rng.Uint64(), p.m, p.k, p.n, 300)
		}
		require.InEpsilon(t, (1+p.higher)*sizing.Rate(p.m, p.k, uint64(p.n)), sum/float64(filters), 0.06, "%+v", p)
	}
}

// keyShapes are ways to write consecutive numbers as keys.
var keyShapes = []struct {
	name string
	key  func(buf []byte, i uint64) []byte
}{
	{"little endian", binary.LittleEndian.AppendUint64},
	{"big endian", binary.BigEndian.AppendUint64},
	{"high bits", func(buf []byte, i uint64) []byte { return binary.LittleEndian.AppendUint64(buf, i<<40) }},
	{"text", func(buf []byte, i uint64) []byte { return fmt.Appendf(buf, "https://example.org/item/%d", i) }},
}

// For 2^18 keys of each shape, the histograms of the first ten positions, in
// 256 cells, and of each pair of the first eight positions, in 16 by 16 cells,
// must be uniform. Each cell gets 1,024 keys.
func TestPositionsAreUniformAndIndependentInPairs(t *testing.T) {
	const k, rows, cells, side = 10, 8, 256, 16
	for _, shape := range keyShapes {
		var single [k][cells]int
		var pairs [rows][rows][side * side]int
		var buf []byte
		var out [k]uint64
		for n := range uint64(1 << 18) {
			buf = shape.key(buf[:0], n)
			probe(Family{}.Sum(buf), cells, out[:])
			for i, x := range out {
				single[i][x]++
				for j := i + 1; j < rows; j++ {
					pairs[i][j][x/side*side+out[j]/side]++
				}
			}
		}
		for i := range single {
			requireUniform(t, single[i][:], "%s, position %d", shape.name, i)
			for j := i + 1; j < rows; j++ {
				requireUniform(t, pairs[i][j][:], "%s, positions %d and %d", shape.name, i, j)
			}
		}
	}
}
