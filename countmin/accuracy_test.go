package countmin

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// Conservative update is more accurate. If each key is weighted by its count,
// the mean error is about a tenth of the error with plain update. In the mean
// over the keys, most of which are rare, it is about half. The short form uses
// fewer keys and counters.
func TestConservativeUpdateIsMoreAccurate(t *testing.T) {
	keys, epsilon := 30_000, 3e-4
	if checks.Long(t, 0.5, 0.5) {
		keys, epsilon = 1_000_000, 1e-4
	}
	s := zipf(1.1, keys, 10*keys, 11)
	var overKeys, overUpdates [2]float64
	for i, conservative := range []bool{false, true} {
		sk := must(New(Config{Epsilon: epsilon, Delta: 0.01, Conservative: conservative}))
		for _, key := range s.Keys {
			sk.AddString(key)
		}
		for key, n := range s.Counts {
			over := float64(sk.CountString(key) - n)
			overKeys[i] += over
			overUpdates[i] += over * float64(n) / float64(sk.Total())
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
	s, fam := must(New(Config{Epsilon: epsilon, Delta: delta})), hashfam.Family{}
	for key := range keys {
		s.AddNDigest(fam.SumUint64(key), 2-key%2)
	}
	bound, high := s.ErrorBound(), 0
	for key := range keys {
		count, truth := s.CountDigest(fam.SumUint64(key)), 2-key%2
		require.True(t, count >= truth, "the count %d is too low", count)
		if count-truth > bound {
			high++
		}
	}
	t.Logf("%d keys, %d counted: %d more than %d too high", keys, s.Total(), high, bound)
	require.LessOrEqual(t, float64(high), delta*float64(keys))
}

// Even with a small budget, every heavy hitter is found, with few others and a
// small error. The long form uses Zipf streams of 10^7 updates and 10^6 keys.
func TestHeavyHittersAreFoundWithASmallBudget(t *testing.T) {
	machine.Matters(t)
	keys, length := 50_000, 200_000
	if checks.Long(t, 0.5, 0.5) {
		keys, length = 1_000_000, 10_000_000
	}
	results := map[string][]float64{}
	small := HeavyConfig{Phi: 1.0 / 1000, MemoryBytes: 16 << 10}
	large := HeavyConfig{Phi: 1.0 / 10000, MemoryBytes: 256 << 10}
	for _, s := range []*stream{mobyDick(), web12(), zipf(1.0, keys, length, 1), zipf(1.2, keys, length, 2)} {
		for _, c := range []struct {
			stream         *stream
			config         HeavyConfig
			precision, err float64
		}{{s, small, 0.98, 0.003}, {s.ascending(), small, 0.80, 1}, {s, large, 0.99, 1}} {
			h := must(NewHeavyHitters(c.config))
			feed(h, c.stream, 0, 1)
			require.True(t, h.Complete())
			checkTracked(t, s.Counts, h)
			checkHeavy(t, s.Counts, h)
			found, reported, err := 0.0, 0.0, 0.0
			for key, e := range h.All() {
				reported++
				if n := s.Counts[key]; n >= h.Threshold() {
					found++
					err += float64(e.High-n) / float64(n)
				}
			}
			t.Logf("%s, %v: precision %.3f, error %.5f", c.stream.Name, h, found/reported, err/found)
			require.GreaterOrEqual(t, found/reported, c.precision, s.Name)
			require.LessOrEqual(t, err/found, c.err, s.Name)
			results[c.stream.Name+fmt.Sprint(c.config.Phi)] = []float64{found / reported, 100 * err / found}
		}
	}
	checks.Documented(t, "theory.md", "The mean relative errors are %.3f%% and %.3f%%", results["moby-dick0.001"][1], results["requests-web120.001"][1])
	checks.Documented(t, "theory.md", "the precision is %.3f and %.3f", results["moby-dick, ascending0.001"][0], results["requests-web12, ascending0.001"][0])
}

// docs/theory.md lists the mean errors of Low and High for the hundred most
// frequent keys of the streams. They are the reason why All sorts by High.
func TestErrorsOfLowAndHighAreDocumented(t *testing.T) {
	low, high, errors := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, s := range []*stream{mobyDick(), web12(), weblog()} {
		frequent := slices.SortedFunc(maps.Keys(s.Counts), func(a, b string) int {
			return cmp.Or(cmp.Compare(s.Counts[b], s.Counts[a]), cmp.Compare(a, b))
		})[:100]
		for _, c := range []HeavyConfig{{Phi: 0.001}, {Phi: 0.001, MemoryBytes: 16 << 10}, {K: 100}, {K: 100, MemoryBytes: 64 << 10}} {
			for _, n := range []int{1, 4, 16} {
				row := "one structure"
				if n > 1 {
					row = map[bool]string{false: "4 or 16 merged, without MemoryBytes", true: "4 or 16 merged, with MemoryBytes"}[c.MemoryBytes > 0]
				}
				var parts []*HeavyHitters
				for i := range n {
					parts = append(parts, must(NewHeavyHitters(c)))
					feed(parts[i], s, i, n)
				}
				require.NoError(t, parts[0].Merge(parts[1:]...))
				for _, key := range frequent {
					e := parts[0].EstimateString(key)
					count := float64(s.Counts[key])
					low[row] += 100 * (count - float64(e.Low)) / count
					high[row] += 100 * (float64(e.High) - count) / count
					errors[row]++
				}
			}
		}
	}
	for row := range low {
		checks.Documented(t, "theory.md", "| %s | %.2f%% | %.2f%% |", row, low[row]/errors[row], high[row]/errors[row])
	}
}

// docs/accuracy.md lists how far Count, and Count minus the median of the error,
// are from the truth. In a conservative sketch, frequent words have nearly exact
// counts, so subtracting makes them worse.
func TestCountInTheMiddleIsDocumented(t *testing.T) {
	const families, frequent = 5, 100
	s := mobyDick()
	words := slices.SortedFunc(maps.Keys(s.Counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Counts[b], s.Counts[a]), cmp.Compare(a, b))
	})
	for _, kib := range []uint64{4, 16} {
		for _, conservative := range []bool{false, true} {
			var high, middle, highOfFrequent, middleOfFrequent float64 // sums of errors
			for round := range families {
				sk := must(New(Config{
					Width: kib << 10 / 4 / 5, Depth: 5, Conservative: conservative,
					Family: hashfam.Family{}.Derive(fmt.Sprintf("frequency round %d", round)),
				}))
				for _, word := range s.Keys {
					sk.AddString(word)
				}
				median := sk.ErrorQuantile(0.5)
				for i, word := range words {
					count, truth := sk.CountString(word), float64(s.Counts[word])
					over, off := float64(count)-truth, math.Abs(float64(max(count, median+1)-median)-truth)
					high, middle = high+over, middle+off
					if i < frequent {
						highOfFrequent, middleOfFrequent = highOfFrequent+over, middleOfFrequent+off
					}
				}
			}
			n := float64(families * len(words))
			checks.Documented(t, "accuracy.md", "| %d | %s | %.1f | %.1f | %.1f | %.1f |",
				kib, map[bool]string{false: "count-min", true: "count-min-conservative"}[conservative],
				high/n, middle/n, highOfFrequent/(families*frequent), middleOfFrequent/(families*frequent))
		}
	}
}

func TestTopKIsFoundWithASmallBudget(t *testing.T) {
	machine.Matters(t)
	for _, s := range []*stream{web12(), weblog(), web12().ascending()} {
		k := must(NewHeavyHitters(HeavyConfig{K: 100, MemoryBytes: 64 << 10}))
		feed(k, s, 0, 1)
		checkTracked(t, s.Counts, k)
		checkTop(t, s.Counts, k)
		sorted := slices.Sorted(maps.Values(s.Counts))
		least := sorted[len(sorted)-100] // a key with the same count is as good
		found, reported := 0, 0
		for key := range k.All() {
			reported++
			if s.Counts[key] >= least {
				found++
			}
		}
		t.Logf("%s: %d of 100, complete %v", s.Name, found, k.Complete())
		require.Equal(t, 100, reported)
		require.GreaterOrEqual(t, found, 98, s.Name)
	}
}

// Each pane of a window needs a lower Phi than the window, but the same K.
func TestEstimatedBytesOfWindowsAreDocumented(t *testing.T) {
	times := func(w WindowConfig, h HeavyConfig) float64 {
		w.Keys = 1
		return float64(must(w.EstimatedBytes())) / float64(must(h.EstimatedBytes()))
	}
	for p := 1; p < 100; p++ {
		require.InDelta(t, float64(p+1)*float64(p+1)/float64(p), times(WindowConfig{Phi: 0.001, Parts: p}, HeavyConfig{Phi: 0.001}), 0.01)
		require.InDelta(t, p+1, times(WindowConfig{K: 1000, Parts: p}, HeavyConfig{K: 1000}), 0.01)
	}
	checks.Documented(t, "choosing.md", "with Phi, `(Parts + 1)^2 / Parts` times as much as HeavyHitters (%.0f times with 8 Parts, the default); with K, `Parts + 1` times (%.0f times)",
		times(WindowConfig{Phi: 0.001}, HeavyConfig{Phi: 0.001}), times(WindowConfig{K: 1000}, HeavyConfig{K: 1000}))
}

// Real streams and skewed ones stay within the estimate.
func TestEstimatedBytesAreNotExceeded(t *testing.T) {
	streams := []*stream{mobyDick(), web12(), weblog(), zipf(1.0, 1<<16, 200_000, 1), zipf(0.5, 1<<16, 200_000, 2)}
	for _, c := range []HeavyConfig{{Phi: 0.1}, {Phi: 0.001}, {Phi: 0.0001}, {K: 10}, {K: 1000}, {K: 100, MemoryBytes: 1 << 16}} {
		most := must(c.EstimatedBytes())
		for _, s := range streams {
			h := must(NewHeavyHitters(c))
			long := uint64(0) // bytes of long keys
			for key := range s.Counts {
				long += uint64(max(0, len(key)-8))
			}
			for _, key := range s.Keys {
				h.AddString(key)
			}
			require.LessOrEqual(t, h.SizeBytes(), most+long, "%+v, %s", c, s.Name)
		}
	}
	w := WindowConfig{Phi: 0.001, Keys: 50_000}
	most := must(w.EstimatedBytes())
	window := must(NewWindow(w))
	for _, key := range mobyDick().Keys {
		window.AddString(key)
	}
	require.LessOrEqual(t, window.SizeBytes(), most)
	w.MemoryBytes = 1 << 20
	require.EqualValues(t, 1<<20, must(w.EstimatedBytes()))
	_, err := HeavyConfig{}.EstimatedBytes()
	requireField(t, err, hashfam.ErrParams, "HeavyConfig.Phi")
	_, err = WindowConfig{Phi: 2, Keys: 1}.EstimatedBytes()
	requireField(t, err, hashfam.ErrParams, "WindowConfig.Phi")
}

// Eight lists of the 100 most frequent keys, each of 70,000 skewed events, are
// complete after merging if each has 1 MiB. The streams are fixed.
func TestMergedListsAreComplete(t *testing.T) {
	rounds := 1
	if checks.Long(t, 0.5, 0.1) {
		rounds = 20
	}
	for _, exponent := range []float64{0.8, 1.0, 1.2} {
		for round := range rounds {
			var lists []*HeavyHitters
			for i := range 8 {
				h := must(NewHeavyHitters(HeavyConfig{K: 100, MemoryBytes: 1 << 20}))
				for _, key := range zipf(exponent, 1<<16, 70_000, uint64(8*round+i)).Keys {
					h.AddString(key)
				}
				lists = append(lists, h)
			}
			require.NoError(t, lists[0].Merge(lists[1:]...))
			require.True(t, lists[0].Complete(), "exponent %g, round %d", exponent, round)
		}
	}
}
