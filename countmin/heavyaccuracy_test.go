package countmin

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// An outcome is how well the heavy hitters of a stream were found.
type outcome struct{ recall, precision, err float64 }

// find runs s through heavy hitters and compares them with the truth. Whatever
// the accuracy, bounds must hold and order must fall; and if h says that it is
// complete, nothing may be missed.
func find(t require.TestingT, s *streams.Stream, c HeavyConfig) outcome {
	h := must(NewHeavyHitters(c))
	digests := s.Digests(c.Family)
	for _, id := range s.IDs {
		tracker.Observe(&h.tracker, digests[id], s.Keys[id], 1)
	}
	require.EqualValues(t, len(s.IDs), h.Total())
	if c.MemoryBytes > 0 {
		require.LessOrEqual(t, h.SizeBytes(), uint64(c.MemoryBytes))
	}
	heavy := map[string]uint64{}
	for i, n := range s.Truth {
		if float64(n) >= c.Phi*float64(len(s.IDs)) {
			heavy[string(s.Keys[i])] = n
		}
	}
	index := s.Counts()
	found, reported, last, sum := 0, 0, uint64(math.MaxUint64), 0.0
	for k, e := range h.All() {
		require.LessOrEqual(t, e.Low, index[k], k)
		require.GreaterOrEqual(t, e.High, index[k], k)
		require.Equal(t, e.High, e.Count)
		require.LessOrEqual(t, e.Count, last, "falling order")
		last = e.Count
		reported++
		if n, ok := heavy[k]; ok {
			found++
			sum += float64(e.Count-n) / float64(n)
		}
	}
	if h.Complete() {
		require.Len(t, heavy, found, "complete, but keys are missing")
	}
	return outcome{
		recall:    float64(found) / float64(max(1, len(heavy))),
		precision: float64(found) / float64(max(1, reported)),
		err:       sum / float64(max(1, found)),
	}
}

// median returns the median outcome of five families.
func median(t require.TestingT, s *streams.Stream, c HeavyConfig) outcome {
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

// What a small budget must achieve. With FILTERFAM_LONG=1 the Zipf streams are
// of 10^7 updates over 10^6 keys.
func TestHeavyHittersInASmallBudget(t *testing.T) {
	keys, length := 50_000, 200_000
	if conformance.Long(t, 2, 0.5) {
		keys, length = 1_000_000, 10_000_000
	}
	small := HeavyConfig{Phi: 1.0 / 1000, MemoryBytes: 16 << 10}
	large := HeavyConfig{Phi: 1.0 / 10000, MemoryBytes: 256 << 10}
	for _, s := range []*streams.Stream{streams.MobyDick(), streams.Web12(), streams.Zipf(1.0, keys, length, 1), streams.Zipf(1.2, keys, length, 2)} {
		o := median(t, s, small)
		t.Logf("%s, 16 KiB, 1/1000: recall %.3f, precision %.3f, error %.5f", s.Name, o.recall, o.precision, o.err)
		require.Equal(t, 1.0, o.recall, s.Name)
		require.GreaterOrEqual(t, o.precision, 0.98, s.Name)
		require.LessOrEqual(t, o.err, 0.003, s.Name)

		o = median(t, s.Ascending(), small)
		t.Logf("%s, ascending, 16 KiB, 1/1000: recall %.3f, precision %.3f, error %.5f", s.Name, o.recall, o.precision, o.err)
		require.Equal(t, 1.0, o.recall, s.Name)
		require.GreaterOrEqual(t, o.precision, 0.80, s.Name)

		o = median(t, s, large)
		t.Logf("%s, 256 KiB, 1/10000: recall %.3f, precision %.3f, error %.5f", s.Name, o.recall, o.precision, o.err)
		require.Equal(t, 1.0, o.recall, s.Name)
		require.GreaterOrEqual(t, o.precision, 0.99, s.Name)
	}
}

func TestTopKInASmallBudget(t *testing.T) {
	for _, s := range []*streams.Stream{streams.MobyDick(), streams.Web12(), streams.Weblog(), streams.Zipf(1.0, 100_000, 200_000, 1)} {
		for _, s := range []*streams.Stream{s, s.Ascending()} {
			k, err := NewTopK(TopKConfig{K: 100, MemoryBytes: 64 << 10})
			require.NoError(t, err)
			digests := s.Digests(hashfam.Family{})
			index := s.Counts()
			for _, id := range s.IDs {
				tracker.Observe(&k.tracker, digests[id], s.Keys[id], 1)
			}
			sorted := slices.Clone(s.Truth)
			slices.Sort(sorted)
			least := sorted[len(sorted)-100] // a key that counts as much is as good
			found, reported := 0, 0
			for key, e := range k.All() {
				require.LessOrEqual(t, e.Low, index[key])
				require.GreaterOrEqual(t, e.High, index[key])
				reported++
				if index[key] >= least {
					found++
				}
			}
			t.Logf("%s: %d of 100, complete %v", s.Name, found, k.Complete())
			require.Equal(t, 100, reported)
			require.GreaterOrEqual(t, found, 98, s.Name)
			if k.Complete() {
				require.Equal(t, 100, found)
			}
			require.LessOrEqual(t, k.SizeBytes(), uint64(64<<10))
		}
	}
}
