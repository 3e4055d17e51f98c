//go:build !purego && !race

package bloom

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// A lineCase is a filter's array and a block of digests, of which about half
// are in the array.
type lineCase struct {
	words   []uint64
	lines   uint64
	k       int
	digests []hashfam.Digest
}

// newLineCase returns n digests and a few lines, so that many digests share a
// line and a line is often read soon after it was written. Some lines are full.
func newLineCase(rng *rand.Rand, n, k int) lineCase {
	c := lineCase{lines: 1 + rng.Uint64N(20), k: k}
	for range c.lines {
		full := -uint64(rng.IntN(4) / 3)
		c.words = append(c.words, slices.Repeat([]uint64{full}, lineWords)...)
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

// run returns the results of hasLines, appended to other results, and the words
// after addLines.
func (c lineCase) run(avx512 bool) (results []bool, words []uint64) {
	useAVX512 = avx512
	defer func() { useAVX512 = true }()
	results = append(make([]bool, 0, 3+len(c.digests)), true, false, true)
	words = slices.Clone(c.words)
	addLines(words, c.lines, c.k, c.digests)
	return hasLines(results, c.words, c.lines, c.k, c.digests), words
}

// check compares the assembly functions with the portable ones.
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
	require.Equal(t, wantWords, gotWords, "single calls, k = %d, %d digests, %d lines", c.k, len(c.digests), c.lines)
}

func TestLinesMatchPortableCode(t *testing.T) {
	machine.Matters(t)
	if !useAVX512 {
		t.Skip("this machine has no AVX-512, or GODEBUG turns it off")
	}
	rng := rand.New(rand.NewPCG(20, 21))
	for k := 1; k <= 255; k++ {
		newLineCase(rng, 100, k).check(t)
	}
	for n := 1; n <= 300; n++ {
		newLineCase(rng, n, 1+rng.IntN(20)).check(t)
	}
	for shift := range uint64(lineWords) { // not aligned
		c := newLineCase(rng, 100, 7)
		c.words = append(make([]uint64, shift), c.words...)[shift:]
		c.check(t)
	}
	for bit := range uint64(lineBits) { // a single line, in which one bit is missing
		c := newLineCase(rng, 100, 1+rng.IntN(30))
		c.lines, c.words = 1, slices.Repeat([]uint64{^uint64(0)}, lineWords)
		c.words[bit/64] ^= 1 << (bit % 64)
		c.check(t)
	}

	useAVX512 = false
	defer func() { useAVX512 = true }()
	requireBatches(t, Blocked)
}
