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

// The tests of this file compare the hash functions with independent ones. Each
// test also measures a construction known to be bad, and must reject it.
//
// All seeds are fixed, so the result is the same in every run. For random
// seeds, a check would fail a sound construction with probability at most
// 2*exp(-confidence) = 4e-12, or 6e-9 if it allows six standard errors. There
// are fewer than 200 checks of the first kind and 5 of the second: below 1e-7
// in total.

// confidence is -ln of the probability that a sound construction exceeds a
// bound on one side.
const confidence = 27

// chiSquaredBounds returns bounds of a chi-squared variable, by Laurent and
// Massart (Annals of Statistics 28, 2000, lemma 1). The lower bound rejects
// positions that are more even than random ones. At the 1,024 expected hits per
// cell, Pearson's statistic follows the distribution closely.
func chiSquaredBounds(freedom float64) (low, high float64) {
	root := 2 * math.Sqrt(freedom*confidence)
	return max(0, freedom-root), freedom + root + 2*confidence
}

// chiSquared returns Pearson's statistic of counts for the uniform
// distribution.
func chiSquared(counts []int) float64 {
	var total, sum float64
	for _, c := range counts {
		total += float64(c)
	}
	mean := total / float64(len(counts))
	for _, c := range counts {
		sum += (float64(c) - mean) * (float64(c) - mean) / mean
	}
	return sum
}

func inBounds(x, low, high float64) bool { return low <= x && x <= high }

// A construction writes k positions in [0, m) to out.
type construction func(digest uint64, k int, m uint64, out []uint64)

// probing is the construction of this package.
func probing(digest uint64, k int, m uint64, out []uint64) {
	p := Digest(digest).Probe()
	for i := range out[:k] {
		out[i] = Reduce(uint64(p), m)
		p = p.Next()
	}
}

// doubleHashing is the textbook construction. Its step is the digest with its
// halves swapped.
func doubleHashing(digest uint64, k int, m uint64, out []uint64) {
	x, y := digest, bits.RotateLeft64(digest, 32)
	for i := range out[:k] {
		out[i] = Reduce(x, m)
		x += y
	}
}

// enhancedDoubleHashing increases the step. That helps if positions are
// remainders. With a reduction by high bits the increase is too small to
// matter.
func enhancedDoubleHashing(digest uint64, k int, m uint64, out []uint64) {
	x, y := digest, bits.RotateLeft64(digest, 32)
	for i := range out[:k] {
		out[i] = Reduce(x, m)
		x += y
		y += uint64(i)
	}
}

// seededRows XORs the digest with a different constant in every row, and masks
// it. Two keys that collide in one row collide in all rows. m must be a power
// of two.
func seededRows(digest uint64, k int, m uint64, out []uint64) {
	seeds := rand.NewPCG(3, 4)
	for i := range out[:k] {
		out[i] = (digest ^ seeds.Uint64()) & (m - 1)
	}
}

// scaled returns full in normal runs and short in short ones.
func scaled(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// falsePositives builds filters of m bits and n keys, each under a family of
// its own, and queries each with absent keys. It returns the mean
// false-positive rate and its standard error. A filter is one observation, so
// the error covers the variance between filters as well as within one.
func falsePositives(c construction, m uint64, k, n, filters, queries int) (rate, stderr float64) {
	rng := rand.New(rand.NewPCG(5, m))
	root := New(Key{1, 2, 3})
	set, out := make([]bool, m), make([]uint64, k)
	var sum, squares float64
	for i := range filters {
		f := root.Derive(fmt.Sprint(m, i))
		first := rng.Uint64()
		clear(set)
		for j := range n {
			c(uint64(f.SumUint64(first+uint64(j))), k, m, out)
			for _, x := range out {
				set[x] = true
			}
		}
		hits := 0
		for j := range queries {
			c(uint64(f.SumUint64(first+uint64(n+j))), k, m, out)
			hit := 1
			for _, x := range out {
				if !set[x] {
					hit = 0
					break
				}
			}
			hits += hit
		}
		r := float64(hits) / float64(queries)
		sum += r
		squares += r * r
	}
	rate = sum / float64(filters)
	return rate, math.Sqrt((squares/float64(filters) - rate*rate) / float64(filters-1))
}

// TestFalsePositiveRate compares the rate of small filters with that of
// independent functions. The mean over thousands of filters is close to normal:
// it is off by more than six standard errors with probability 2e-9. In the
// rarest case a skewness of about 1/sqrt(1,000 hits) remains in short runs,
// which can raise that probability by a factor of exp(36*0.03) = 3.
func TestFalsePositiveRate(t *testing.T) {
	const limit = 6
	constructions := []struct {
		name string
		c    construction
	}{
		{"probe", probing},
		{"double hashing", doubleHashing},
		{"enhanced double hashing", enhancedDoubleHashing},
	}
	for _, p := range []struct {
		m        uint64
		k, n     int
		separate bool // the bad constructions must fail here
	}{
		{64, 4, 8, false},
		{100, 7, 10, true},
		{256, 7, 26, true},
		{1024, 7, 106, false},
		{4096, 10, 284, false},
	} {
		want := sizing.Rate(p.m, p.k, uint64(p.n))
		for i, c := range constructions {
			sound := i == 0
			if !sound && !p.separate {
				continue
			}
			t.Run(fmt.Sprintf("m=%d k=%d n=%d %s", p.m, p.k, p.n, c.name), func(t *testing.T) {
				rate, stderr := falsePositives(c.c, p.m, p.k, p.n, scaled(20_000, 4_000), 300)
				z := (rate - want) / stderr
				t.Logf("rate %.6f, exact %.6f, ratio %.4f, %+.1f standard errors", rate, want, rate/want, z)
				require.Equal(t, sound, math.Abs(z) <= limit)
			})
		}
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

// eachDigest calls do with the public digests of 2^18 keys of one shape: 1,024
// for each of the 256 cells of a chi-squared test.
func eachDigest(shape func([]byte, uint64) []byte, do func(uint64)) {
	var buf []byte
	for i := range uint64(1 << 18) {
		buf = shape(buf[:0], i)
		do(uint64(Family{}.Sum(buf)))
	}
}

// uniform reports whether the histogram of each of the first ten positions, in
// 256 cells, is within the bounds for uniform positions.
func uniform(c construction, digests func(func(uint64))) bool {
	const k, cells = 10, 256
	var counts [k][cells]int
	var out [k]uint64
	digests(func(d uint64) {
		c(d, k, cells, out[:])
		for i, x := range out {
			counts[i][x]++
		}
	})
	low, high := chiSquaredBounds(cells - 1)
	for i := range counts {
		if !inBounds(chiSquared(counts[i][:]), low, high) {
			return false
		}
	}
	return true
}

func TestUniformPositions(t *testing.T) {
	for _, shape := range keyShapes {
		t.Run(shape.name, func(t *testing.T) {
			require.True(t, uniform(probing, func(do func(uint64)) { eachDigest(shape.key, do) }))
		})
	}
	t.Run("rejects counters that are not hashed", func(t *testing.T) {
		require.False(t, uniform(probing, func(do func(uint64)) {
			for i := range uint64(1 << 18) {
				do(i)
			}
		}))
	})
	t.Run("rejects a position that is used twice as often", func(t *testing.T) {
		skewed := func(digest uint64, k int, m uint64, out []uint64) {
			probing(digest, k, m-1, out)
			for i, x := range out[:k] {
				out[i] = x + x/(m-2)*(digest&1)
			}
		}
		require.False(t, uniform(skewed, func(do func(uint64)) { eachDigest(keyShapes[0].key, do) }))
	})
}

// rows is the number of positions that the tests of pairs compare.
const rows = 8

// dependentPairs counts the pairs of positions i < j < rows whose joint
// histogram, of 16 by 16 cells, is not uniform.
func dependentPairs(c construction, shape func([]byte, uint64) []byte) int {
	const side = 16
	counts := new([rows][rows][side * side]int)
	var out [rows]uint64
	eachDigest(shape, func(d uint64) {
		c(d, rows, side, out[:])
		for i := range rows {
			for j := i + 1; j < rows; j++ {
				counts[i][j][out[i]*side+out[j]]++
			}
		}
	})
	low, high := chiSquaredBounds(side*side - 1)
	dependent := 0
	for i := range rows {
		for j := i + 1; j < rows; j++ {
			if !inBounds(chiSquared(counts[i][j][:]), low, high) {
				dependent++
			}
		}
	}
	return dependent
}

func TestPositionsAreIndependentInPairs(t *testing.T) {
	const all = rows * (rows - 1) / 2
	for _, shape := range keyShapes {
		t.Run(shape.name, func(t *testing.T) {
			require.Zero(t, dependentPairs(probing, shape.key))
			if !testing.Short() {
				require.Equal(t, all, dependentPairs(seededRows, shape.key))
			}
		})
	}
}
