//go:build !purego && !race

package bloom

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func needAVX512(t *testing.T) {
	t.Helper()
	if !useAVX512 {
		t.Skip("this machine has no AVX-512, or GODEBUG turns it off")
	}
}

// A lineCase is a filter's array and a block of digests, of which about half
// are in the array.
type lineCase struct {
	words   []uint64
	lines   uint64
	k       int
	digests []hashfam.Digest
}

// newLineCase returns a case of n digests. It has few lines, so that many
// digests share one and a line is often read soon after it was written. Some
// lines are full and some empty.
func newLineCase(rng *rand.Rand, n, k int) lineCase {
	c := lineCase{lines: 1 + rng.Uint64N(20), k: k}
	c.words = make([]uint64, c.lines*lineWords)
	for i := range c.lines {
		if rng.IntN(4) == 0 {
			for j := range uint64(lineWords) {
				c.words[i*lineWords+j] = ^uint64(0)
			}
		}
	}
	for range n {
		d := hashfam.Digest(rng.Uint64())
		if rng.IntN(2) == 0 {
			addBlocked(c.words, c.lines, k, d)
		}
		c.digests = append(c.digests, d)
	}
	return c
}

// run returns the answers of hasLines after others, and what addLines makes of
// the words.
func (c lineCase) run(avx512 bool) (answers []bool, words []uint64) {
	useAVX512 = avx512
	defer func() { useAVX512 = true }()
	answers = append(make([]bool, 0, 3+len(c.digests)), true, false, true)
	words = slices.Clone(c.words)
	addLines(words, c.lines, c.k, c.digests)
	return hasLines(answers, c.words, c.lines, c.k, c.digests), words
}

// check compares the functions in assembly with their plain twins.
func (c lineCase) check(t *testing.T) {
	t.Helper()
	want, wantWords := c.run(false)
	got, gotWords := c.run(true)
	require.Equal(t, want, got, "k = %d, %d digests, %d lines", c.k, len(c.digests), c.lines)
	require.Equal(t, wantWords, gotWords, "k = %d, %d digests, %d lines", c.k, len(c.digests), c.lines)
	for i, d := range c.digests {
		require.Equal(t, want[3+i], hasLineAVX512(c.words, d, c.k), "k = %d, %d lines", c.k, c.lines)
	}

	copy(gotWords, c.words)
	for _, d := range c.digests {
		addLineAVX512(gotWords, d, c.k)
	}
	require.Equal(t, wantWords, gotWords, "one by one, k = %d, %d digests, %d lines", c.k, len(c.digests), c.lines)
}

func TestLinesAreLikeOneByOne(t *testing.T) {
	needAVX512(t)
	rng := rand.New(rand.NewPCG(20, 21))
	t.Run("every number of hashes", func(t *testing.T) {
		for k := 1; k <= 255; k++ {
			newLineCase(rng, 100, k).check(t)
		}
	})
	t.Run("every length", func(t *testing.T) {
		for n := 1; n <= 300; n++ {
			newLineCase(rng, n, 1+rng.IntN(20)).check(t)
		}
	})
	t.Run("one line", func(t *testing.T) {
		for k := 1; k <= 40; k++ {
			c := newLineCase(rng, 200, k)
			c.lines, c.words = 1, make([]uint64, lineWords)
			for n := range 8 {
				c.digests = c.digests[:len(c.digests)-n]
				c.check(t)
			}
		}
	})
	t.Run("not aligned", func(t *testing.T) {
		for shift := range uint64(lineWords) {
			c := newLineCase(rng, 100, 7)
			c.words = append(make([]uint64, shift), c.words...)[shift:]
			c.check(t)
		}
	})
}

// One bit is missing in a full line: the lookup sees each bit that it should.
func TestLinesAreLookedUpAtEveryPosition(t *testing.T) {
	needAVX512(t)
	rng := rand.New(rand.NewPCG(22, 23))
	for range 20 {
		c := newLineCase(rng, 100, 1+rng.IntN(30))
		for bit := range uint64(lineBits) {
			c.lines, c.words = 1, slices.Repeat([]uint64{^uint64(0)}, lineWords)
			c.words[bit/64] ^= 1 << (bit % 64)
			c.check(t)
		}
	}
}

// A whole filter is the same, bit for bit, whatever the instructions.
func TestFiltersAreTheSameWithAndWithoutAVX512(t *testing.T) {
	needAVX512(t)
	t.Cleanup(func() { useAVX512 = true })
	rng := rand.New(rand.NewPCG(24, 25))
	digests := make([]hashfam.Digest, 5000)
	for i := range digests {
		digests[i] = hashfam.Digest(rng.Uint64())
	}
	for _, rate := range []float64{0.1, 0.01, 1e-6} {
		var filters [2]*Filter
		var answers [2][]bool
		for i := range filters {
			useAVX512 = i == 0
			f, err := New(Config{Capacity: 4000, FPRate: rate, Layout: Blocked})
			require.NoError(t, err)
			f.AddAll(digests[:4000])
			filters[i], answers[i] = f, f.ContainsAll(nil, digests)
			require.Equal(t, answers[i], NewConcurrentFrom(f).ContainsAll(nil, digests))
		}
		require.True(t, filters[0].Equal(filters[1]))
		require.Equal(t, answers[0], answers[1])
		require.NotContains(t, answers[0][:4000], false)
	}
}
