package countmin

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// Conservative update is more accurate. If each key is weighted by its count,
// the mean error is about a tenth of the error with plain update. In the mean
// over the keys, most of which are rare, it is about half. The short form uses
// a tenth of the stream, on which errors are smaller.
func TestConservativeUpdateIsMoreAccurate(t *testing.T) {
	keys, length := 100_000, 1_000_000
	if checks.Long(t, 0.5, 0.5) {
		keys, length = 1_000_000, 10_000_000
	}
	s := zipf(1.1, keys, length, 11)
	var overKeys, overUpdates [2]float64
	for i, conservative := range []bool{false, true} {
		sk := must(New(Config{Epsilon: 1e-4, Delta: 0.01, Conservative: conservative}))
		digests := s.digests(sk.Family())
		for _, id := range s.IDs {
			sk.AddDigest(digests[id])
		}
		require.EqualValues(t, length, sk.Total())
		for id, n := range s.Truth {
			if n > 0 {
				over := sk.CountDigest(digests[id]) - n
				overKeys[i] += float64(over)
				overUpdates[i] += float64(over) * float64(n) / float64(length)
			}
		}
		t.Logf("conservative %v: sum of errors %.0f, weighted by counts %.2f; bound %d", conservative, overKeys[i], overUpdates[i], sk.ErrorBound())
	}
	require.LessOrEqual(t, overKeys[1], 0.56*overKeys[0])
	require.LessOrEqual(t, overUpdates[1], overUpdates[0]/2)
}

// Even keys are counted twice and odd keys once. No count is too low, and as
// the theorem says, a fraction of no more than Delta is too high by more than
// Epsilon times the total.
func TestSketchesOfManyKeysMeetTheErrorBound(t *testing.T) {
	keys, epsilon := uint64(50_000), 1e-4
	if checks.Long(t, 3, 0.5) {
		keys, epsilon = 100_000_000, 1e-7
	}
	const delta = 0.01
	s := must(New(Config{Epsilon: epsilon, Delta: delta}))
	each(keys, 1, func(_ []uint64, digests []hashfam.Digest) { s.AddAll(digests) })
	each(keys, 2, func(_ []uint64, digests []hashfam.Digest) { s.AddAll(digests) })
	bound, high, low := s.ErrorBound(), 0, 0
	var counts []uint64
	each(keys, 1, func(batch []uint64, digests []hashfam.Digest) {
		counts = s.CountAll(counts[:0], digests)
		for i, key := range batch {
			truth := 2 - key%2
			if counts[i] < truth {
				low++
			} else if counts[i]-truth > bound {
				high++
			}
		}
	})
	t.Logf("%d keys, %d counted: %d more than %d too high", keys, s.Total(), high, bound)
	if low > 0 || float64(high) > delta*float64(keys) {
		t.Errorf("%d of %d counts are too low, %d too high", low, keys, high)
	}
}

// each calls do with the multiples of step below n and their digests, several
// thousand at a time.
func each(n, step uint64, do func(batch []uint64, digests []hashfam.Digest)) {
	batch, digests := make([]uint64, 0, 8192), make([]hashfam.Digest, 0, 8192)
	for key := uint64(0); key < n; key += step {
		if batch = append(batch, key); len(batch) == cap(batch) {
			do(batch, hashfam.Family{}.SumAllUint64(digests, batch))
			batch = batch[:0]
		}
	}
	do(batch, hashfam.Family{}.SumAllUint64(digests, batch))
}

// An outcome describes how well the heavy hitters of a stream were found.
type outcome struct{ recall, precision, err float64 }

// find adds s to a HeavyHitters and compares the result with the truth.
func find(t require.TestingT, s *stream, c HeavyConfig) outcome {
	h, counts := must(NewHeavyHitters(c)), s.counts()
	feed(h, s, 0, 1)
	checkTracked(t, counts, h)
	checkHeavy(t, counts, h)
	heavy, found, reported, sum := 0.0, 0.0, 0.0, 0.0
	for _, n := range counts {
		if n >= h.Threshold() {
			heavy++
		}
	}
	for k, e := range h.All() {
		reported++
		if n := counts[k]; n >= h.Threshold() {
			found++
			sum += float64(e.High-n) / float64(n)
		}
	}
	return outcome{found / max(1, heavy), found / max(1, reported), sum / max(1, found)}
}

// median returns the median outcome for five families.
func median(t require.TestingT, s *stream, c HeavyConfig) outcome {
	var runs [3][]float64
	for i := range 5 {
		c.Family = hashfam.Family{}.Derive(fmt.Sprint("median ", i))
		o := find(t, s, c)
		for j, x := range []float64{o.recall, o.precision, o.err} {
			runs[j] = append(runs[j], x)
		}
	}
	for j := range runs {
		slices.Sort(runs[j])
	}
	return outcome{runs[0][2], runs[1][2], runs[2][2]}
}

// Even with a small budget, every heavy hitter is found, with few others and a
// small error. The long form uses Zipf streams of 10^7 updates and 10^6 keys.
func TestHeavyHittersAreFoundWithASmallBudget(t *testing.T) {
	keys, length := 50_000, 200_000
	if checks.Long(t, 2, 0.5) {
		keys, length = 1_000_000, 10_000_000
	}
	small := HeavyConfig{Phi: 1.0 / 1000, MemoryBytes: 16 << 10}
	large := HeavyConfig{Phi: 1.0 / 10000, MemoryBytes: 256 << 10}
	for _, s := range []*stream{mobyDick(), web12(), zipf(1.0, keys, length, 1), zipf(1.2, keys, length, 2)} {
		for _, c := range []struct {
			stream         *stream
			config         HeavyConfig
			precision, err float64
		}{{s, small, 0.98, 0.003}, {s.ascending(), small, 0.80, 1}, {s, large, 0.99, 1}} {
			o := median(t, c.stream, c.config)
			t.Logf("%s, %v: recall %.3f, precision %.3f, error %.5f", c.stream.Name, c.config.Phi, o.recall, o.precision, o.err)
			require.Equal(t, 1.0, o.recall, s.Name)
			require.GreaterOrEqual(t, o.precision, c.precision, s.Name)
			require.LessOrEqual(t, o.err, c.err, s.Name)
		}
	}
}

func TestTopKIsFoundWithASmallBudget(t *testing.T) {
	for _, s := range []*stream{mobyDick(), web12(), weblog(), zipf(1.0, 100_000, 200_000, 1)} {
		for _, s := range []*stream{s, s.ascending()} {
			k := must(NewTopK(TopKConfig{K: 100, MemoryBytes: 64 << 10}))
			feed(k, s, 0, 1)
			checkTracked(t, s.counts(), k)
			checkTop(t, s.counts(), k)
			sorted := slices.Sorted(slices.Values(s.Truth))
			least := sorted[len(sorted)-100] // a key with the same count is as good
			found, reported := 0, 0
			for key := range k.All() {
				reported++
				if s.counts()[key] >= least {
					found++
				}
			}
			t.Logf("%s: %d of 100, complete %v", s.Name, found, k.Complete())
			require.Equal(t, 100, reported)
			require.GreaterOrEqual(t, found, 98, s.Name)
		}
	}
}
