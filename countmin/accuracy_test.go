package countmin

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// counted returns a sketch of s.
func counted(t require.TestingT, s *streams.Stream, p Params) *Sketch {
	sk := mustNew(t, p)
	digests := s.Digests(p.Family)
	for _, id := range s.IDs {
		sk.AddDigest(digests[id])
	}
	return sk
}

// errorsOf returns by how much each key that occurs is counted too high.
func errorsOf(t require.TestingT, s *streams.Stream, fam hashfam.Family, count func(hashfam.Digest) uint64) []float64 {
	var errs []float64
	digests := s.Digests(fam)
	for i, n := range s.Truth {
		if n > 0 {
			c := count(digests[i])
			require.GreaterOrEqual(t, c, n, "never below the truth")
			errs = append(errs, float64(c-n))
		}
	}
	return errs
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// The theorem: a count errs by more than epsilon*N with probability at most
// delta, so of all keys at most that share may. Conservative update errs less:
// asked as often as keys occur, a tenth as much; averaged over the keys, nearly
// all of which occur a few times, about half. By default on a stream a tenth as
// long, and there is less to err about.
func TestTheErrorIsWithinTheTheorem(t *testing.T) {
	const epsilon, delta = 1e-4, 0.01
	keys, length := 100_000, 1_000_000
	if conformance.Long(t, 0.5, 0.5) {
		keys, length = 1_000_000, 10_000_000
	}
	s := streams.Zipf(1.1, keys, length, 11)
	var overKeys, overUpdates [2]float64
	for i, conservative := range []bool{false, true} {
		p := must(Config{Epsilon: epsilon, Delta: delta, Conservative: conservative}.Params())
		sk := counted(t, s, p)
		require.Equal(t, uint64(length), sk.Total())
		errs := errorsOf(t, s, p.Family, sk.CountDigest)
		above := 0
		for _, e := range errs {
			if e > epsilon*float64(length) {
				above++
			}
		}
		require.LessOrEqual(t, float64(above), delta*float64(len(errs)))
		overKeys[i] = mean(errs)
		j := 0
		for _, n := range s.Truth {
			if n > 0 {
				overUpdates[i] += errs[j] * float64(n) / float64(length)
				j++
			}
		}
		t.Logf("conservative %v: %d keys, mean error %.2f, weighted by their counts %.2f, largest %.0f, bound %d; %d above it",
			conservative, len(errs), overKeys[i], overUpdates[i], slices.Max(errs), sk.ErrorBound(), above)
	}
	require.LessOrEqual(t, overKeys[1], 0.56*overKeys[0])
	require.LessOrEqual(t, overUpdates[1], overUpdates[0]/2)
}

// Key k is counted twice if it is even and once if not. No count is too low,
// and as the theorem says, at most Delta of them are more than Epsilon*Total
// too high.
func TestSketchesOfManyKeysAreWithinTheTheorem(t *testing.T) {
	keys, epsilon := uint64(50_000), 1e-4
	if conformance.Long(t, 3, 0.5) {
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

// each calls do with the multiples of step below n in turn, some thousands at a
// time, and with their digests.
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

// An outcome is how well the heavy hitters of a stream were found.
type outcome struct{ recall, precision, err float64 }

// find runs s through heavy hitters and compares them with the truth. Whatever
// the accuracy, bounds must hold and order must fall; and if h says that it is
// complete, nothing may be missed.
func find(t require.TestingT, s *streams.Stream, c HeavyConfig) outcome {
	h := must(NewHeavyHitters(c))
	digests := s.Digests(c.Family)
	for _, id := range s.IDs {
		h.AddDigest(digests[id], s.Keys[id])
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
		require.LessOrEqual(t, e.High, last, "falling order")
		last = e.High
		reported++
		if n, ok := heavy[k]; ok {
			found++
			sum += float64(e.High-n) / float64(n)
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
				k.AddDigest(digests[id], s.Keys[id])
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

// Which bound of an Estimate is nearer to the truth, on the hundred most
// frequent keys: High, except after merges without MemoryBytes.
func TestWhichBoundIsNearer(t *testing.T) {
	for _, s := range []*streams.Stream{streams.MobyDick(), streams.Web12(), streams.Weblog(), streams.Zipf(1.0, 50_000, 200_000, 1)} {
		for _, memory := range []int{0, 16 << 10, 64 << 10} {
			for _, parts := range []int{1, 4, 16} {
				low, high := boundErrors(s, TopKConfig{K: 100, MemoryBytes: memory}, parts)
				t.Logf("%s in %d parts, %d bytes: Low %.2f %% off, High %.2f %%", s.Name, parts, memory, 100*low, 100*high)
				switch {
				case parts == 1:
					require.LessOrEqual(t, high, 0.001)
					require.LessOrEqual(t, low, 0.11)
				case memory > 0:
					require.LessOrEqual(t, high, 0.025)
					require.LessOrEqual(t, low, 0.30)
				default:
					require.LessOrEqual(t, high, 0.03)
					require.LessOrEqual(t, low, 0.025)
				}
			}
		}
	}
}

// boundErrors returns the mean relative errors of Low and High of the reported
// keys, after a merge of consecutive parts of a stream.
func boundErrors(s *streams.Stream, c TopKConfig, parts int) (low, high float64) {
	var all []*TopK
	for part := range parts {
		k := must(NewTopK(c))
		for _, id := range s.IDs[part*len(s.IDs)/parts : (part+1)*len(s.IDs)/parts] {
			k.Add(s.Keys[id])
		}
		all = append(all, k)
	}
	for _, k := range all[1:] { // in turn, as when they come one after another
		if err := all[0].Merge(k); err != nil {
			panic(err)
		}
	}
	for key, e := range all[0].All() {
		n := float64(s.Counts()[key])
		low += (n - float64(e.Low)) / n / float64(c.K)
		high += (float64(e.High) - n) / n / float64(c.K)
	}
	return low, high
}
