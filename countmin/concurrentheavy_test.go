package countmin

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// Random schedules on small structures, with a budget and without: at every
// moment the bounds of a key contain its count, All is consistent in itself,
// and in the end the total is exact and no heavy hitter is missing.
func TestSchedulesOfConcurrentHeavyHitters(t *testing.T) {
	const keys = 12
	names := make([][]byte, keys)
	for i := range names {
		names[i] = fmt.Append(nil, "key ", i)
	}
	conformance.Schedules(t, func(r *rand.Rand) conformance.Schedule {
		config := HeavyConfig{Phi: []float64{0.02, 0.1, 0.3}[r.IntN(3)], MemoryBytes: []int{0, 3 << 10}[r.IntN(2)]}
		c := newConcurrentHeavy(config, 2)
		var truth [keys]tally
		holds := func(key int, estimate func() Estimate) {
			var e Estimate
			k := &truth[key]
			if !k.counts(func() uint64 { e = estimate(); return e.High }) || e.Low > k.begun.Load() {
				t.Errorf("%v: key %d is not within %v", config, key, e)
			}
		}
		return conformance.Schedule{
			Step: func(_ int, r *rand.Rand) {
				key := r.IntN(1 + r.IntN(keys))
				switch r.IntN(20) {
				case 0, 7, 8, 9:
					n := 1 + r.Uint64N(9)
					truth[key].add(n, func() { c.AddN(names[key], n) })
				case 1:
					truth[key].add(2, func() { c.AddAll([][]byte{names[key], names[key]}) })
				case 2, 3, 4:
					holds(key, func() Estimate { return c.EstimateAll(nil, names[key:key+1])[0] })
				case 5:
					if r.IntN(4) == 0 {
						holds(key, func() Estimate { return c.Snapshot().Estimate(names[key]) })
					}
				case 6:
					sum := uint64(0)
					for _, e := range c.All() {
						sum += e.Low
					}
					if sum > c.Total() {
						t.Errorf("%v: heavy hitters count %d, more than the total", config, sum)
					}
				default:
					truth[key].add(1, func() { c.Add(names[key]) })
				}
			},
			End: func() {
				sum := uint64(0)
				for key := range truth {
					sum += truth[key].added.Load()
				}
				if c.Total() != sum || !c.Complete() {
					t.Errorf("%v: total %d, not %d, or not complete: %d", config, c.Total(), sum, c.MissBound())
				}
				all := maps.Collect(c.All())
				for key := range truth {
					n := truth[key].added.Load()
					e, found := all[string(names[key])]
					if n >= c.Threshold() && (!found || e.Low > n || e.High < n) {
						t.Errorf("%v: key %d counts %d and is not in %v", config, key, n, all)
					}
				}
			},
		}
	})
}

// On real streams, with two goroutines and more, the answers are those of the
// plain structure: every heavy hitter, with bounds that hold, and the threshold
// of the whole. So are those of a snapshot, and of what is built from one.
func TestConcurrentHeavyHittersOfRealStreams(t *testing.T) {
	for _, s := range []*streams.Stream{streams.MobyDick(), streams.Web12(), streams.Weblog()} {
		for _, config := range []HeavyConfig{{Phi: 0.02}, {Phi: 0.002}, {Phi: 0.005, MemoryBytes: 64 << 10}} {
			c, plain := must(NewConcurrentHeavyHitters(config)), must(NewHeavyHitters(config))
			addInParallel(c, s)
			for _, id := range s.IDs {
				plain.Add(s.Keys[id])
			}
			require.Equal(t, plain.Threshold(), c.Threshold())
			requireHeavy(t, s, config, c)
			requireHeavy(t, s, config, c.Snapshot())
			back := must(NewConcurrentHeavyHittersFrom(plain))
			requireHeavy(t, s, config, back)
			requireHeavy(t, s, config, back.Snapshot())
			require.Equal(t, keysOf(plain.All()), keysOf(back.All()), "%s, %v", s.Name, config)
			if config.MemoryBytes > 0 {
				require.LessOrEqual(t, c.SizeBytes(), uint64(config.MemoryBytes))
				require.LessOrEqual(t, c.Snapshot().SizeBytes(), uint64(config.MemoryBytes))
				require.LessOrEqual(t, back.SizeBytes(), uint64(config.MemoryBytes))
			}
			if config.Phi == 0.02 {
				require.Equal(t, maps.Collect(plain.All()), maps.Collect(c.All()), "%s: exact counts", s.Name)
			}
		}
	}
}

// addInParallel adds a stream in four goroutines, in batches and one by one.
func addInParallel(c *ConcurrentHeavyHitters, s *streams.Stream) {
	const writers = 4
	var wg sync.WaitGroup
	for writer := range writers {
		wg.Go(func() {
			ids := s.IDs[writer*len(s.IDs)/writers : (writer+1)*len(s.IDs)/writers]
			var batch [][]byte
			for i, id := range ids {
				if i%3 > 0 {
					batch = append(batch, s.Keys[id])
				} else {
					c.Add(s.Keys[id])
				}
			}
			c.AddAll(batch)
		})
	}
	wg.Wait()
}

// requireHeavy checks answers about a whole stream.
func requireHeavy(t *testing.T, s *streams.Stream, config HeavyConfig, h interface {
	All() iter.Seq2[string, Estimate]
	EstimateString(string) Estimate
	Total() uint64
	Threshold() uint64
	Complete() bool
	MissBound() uint64
}) {
	require.Equal(t, uint64(len(s.IDs)), h.Total())
	all := reported(t, h, h.All())
	require.True(t, h.Complete(), "%s, %v: missed %d of %d", s.Name, config, h.MissBound(), h.Threshold())
	for key, n := range s.Counts() {
		bounded(t, key, n, h.EstimateString(key))
		if n >= h.Threshold() {
			require.Contains(t, all, key)
		}
	}
}

// The threshold is that of the whole. A key that is a heavy hitter of the whole
// alone, or of its shard alone, is judged by the whole.
func TestTheThresholdIsThatOfAllShards(t *testing.T) {
	c := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.1}))
	c.AddNString("frequent", 10_000)
	for i := range 500 {
		c.AddNString(fmt.Sprint("rare ", i), 9) // most are alone in their shards, or nearly so
	}
	require.Equal(t, uint64(1450), c.Threshold())
	require.Equal(t, []string{"frequent"}, keysOf(c.All()))
	c.AddNString("another", 2000)
	require.Equal(t, []string{"frequent", "another"}, keysOf(c.All()))
}

// A shard knows what the others have counted. Without that it would keep the
// heavy hitters of its own part, and memory without a bound would grow with the
// number of shards.
func TestMemoryIsThatOfThePlainStructure(t *testing.T) {
	s := streams.Zipf(0.8, 100_000, 300_000, 1)
	for _, phi := range []float64{0.01, 0.001, 0.0001} {
		config := HeavyConfig{Phi: phi}
		c, plain := must(NewConcurrentHeavyHitters(config)), must(NewHeavyHitters(config))
		for _, id := range s.IDs {
			c.Add(s.Keys[id])
			plain.Add(s.Keys[id])
		}
		require.True(t, c.Complete())
		t.Logf("phi %g: %d bytes, plain %d", phi, c.SizeBytes(), plain.SizeBytes())
		require.LessOrEqual(t, c.SizeBytes(), 3*plain.SizeBytes()+uint64(len(c.shards))*2048)
	}
}

func TestErrorsOfConcurrentHeavyHitters(t *testing.T) {
	_, err := NewConcurrentHeavyHitters(HeavyConfig{})
	require.ErrorIs(t, err, ErrParams)
	_, err = NewConcurrentHeavyHittersFrom(nil)
	require.ErrorIs(t, err, ErrParams)
	_, err = NewConcurrentHeavyHittersFrom(&HeavyHitters{})
	require.ErrorIs(t, err, ErrParams)
	c := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory}))
	require.ErrorIs(t, c.AddAllDigests(make([]hashfam.Digest, 2), make([][]byte, 1)), ErrParams)
	require.ErrorIs(t, (*ConcurrentHeavyHitters)(nil).AddAllDigests(nil, nil), ErrParams)
	require.Zero(t, c.Total())
	c.AddString("a")
	c.Reset()
	require.Zero(t, c.Total()+c.EstimateString("a").Count)
	require.LessOrEqual(t, c.SizeBytes(), uint64(tracker.MinMemory))
}

// All forms of a key are the same key, and batches of any length are as many
// single calls.
func TestFormsOfConcurrentHeavyHitters(t *testing.T) {
	fam := hashfam.New(hashfam.Key{5})
	a, b := must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.001, Family: fam})), must(NewConcurrentHeavyHitters(HeavyConfig{Phi: 0.001, Family: fam}))
	var keys [][]byte
	var names []string
	for i := range 3000 {
		keys = append(keys, fmt.Append(nil, i*i%700))
		names = append(names, string(keys[i]))
	}
	for i, key := range keys {
		a.AddString(names[i])
		a.AddDigest(fam.Sum(key), key)
		a.AddN(key, 2)
		a.AddNString(names[i], 1)
	}
	b.AddAll(keys)
	b.AddAllStrings(names)
	require.NoError(t, b.AddAllDigests(fam.SumAll(nil, keys), keys))
	b.AddSeq(func(yield func([]byte) bool) {
		for _, key := range keys {
			if !yield(key) {
				return
			}
		}
	})
	b.AddAll(keys)
	require.Equal(t, a.Total(), b.Total())
	require.Equal(t, maps.Collect(a.All()), maps.Collect(b.All()))
	require.Equal(t, a.Params(), b.Params())
	want := a.EstimateAll(nil, keys)
	require.Equal(t, want, b.EstimateAllStrings(nil, names))
	require.Equal(t, want, b.EstimateAllDigests(nil, fam.SumAll(nil, keys)))
	for i, key := range keys {
		require.Equal(t, want[i], a.Estimate(key))
		require.Equal(t, want[i], a.EstimateString(names[i]))
		require.Equal(t, want[i], a.EstimateDigest(fam.Sum(key)))
	}
	for range a.All() {
		a.AddString("while it is iterated")
		break
	}
}
