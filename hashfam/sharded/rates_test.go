package sharded_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
)

// The tests in this file compare sharded structures with single structures. The
// families are fixed, so every run has the same result. With other families, a
// correct program would be off by more than six standard deviations with
// probability below 2e-9 in each comparison.

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type filter interface {
	ContainsDigest(d hashfam.Digest) bool
}

// Static filters built from the digests of each shard must have the same rate
// as a single filter. The number of hits is binomial, and the rate of a static
// filter varies by 1% between families.
func TestShardingKeepsStaticRates(t *testing.T) {
	const n, keys, queries = 16, 100_000, 200_000
	for name, build := range map[string]func([]hashfam.Digest) (filter, error){
		"static": func(d []hashfam.Digest) (filter, error) {
			return static.New(context.Background(), static.Config{FPRate: 0.01}, d)
		},
		"perfect": func(d []hashfam.Digest) (filter, error) {
			return perfect.NewFilter(context.Background(), perfect.FilterConfig{FPRate: 0.01}, d, nil)
		},
	} {
		r := rand.New(rand.NewPCG(88, 89))
		all := checks.Digests(r, keys)
		var parts [n][]hashfam.Digest
		for _, d := range all {
			parts[d.Shard(n)] = append(parts[d.Shard(n)], d)
		}
		one := must(build(all))
		o := must(sharded.New(n, func(i int) (filter, error) { return build(parts[i]) }))
		var alone, shared float64
		for _, d := range checks.Digests(r, queries) {
			if one.ContainsDigest(d) {
				alone++
			}
			o.Do(d, func(f filter) {
				if f.ContainsDigest(d) {
					shared++
				}
			})
		}
		t.Logf("%s: %.4f%% alone, %.4f%% behind shards", name, 100*alone/queries, 100*shared/queries)
		require.InDelta(t, alone, shared, 6*math.Sqrt(alone+shared)+0.02*alone, name)
	}
}

type growing interface {
	filter
	ContainsOrAddDigest(d hashfam.Digest) bool
	FalsePositiveRate() float64
}

// An unfilled is a cuckoo filter that never becomes full.
type unfilled struct{ refusing }

type refusing interface {
	filter
	ContainsOrAddDigest(d hashfam.Digest) (bool, error)
	FalsePositiveRate() float64
}

func (f unfilled) ContainsOrAddDigest(d hashfam.Digest) bool {
	return must(f.refusing.ContainsOrAddDigest(d))
}

// FalsePositiveRate returns the rate for keys that do not match each other.
func (f unfilled) FalsePositiveRate() float64 { return -math.Log1p(-f.refusing.FalsePositiveRate()) }

var growings = map[string]func(n uint64, rate float64) growing{
	"classic": func(n uint64, rate float64) growing {
		return must(bloom.New(bloom.Config{Capacity: n, FPRate: rate}))
	},
	"blocked": func(n uint64, rate float64) growing {
		return must(bloom.New(bloom.Config{Capacity: n, FPRate: rate, Layout: bloom.Blocked}))
	},
	"scalable": func(n uint64, rate float64) growing {
		return must(bloom.NewScalable(bloom.ScalableConfig{Expected: n / 20, FPRate: rate}))
	},
	"rotating": func(n uint64, rate float64) growing {
		return must(bloom.NewRotating(bloom.RotatingConfig{Keys: n, FPRate: rate}))
	},
	"counting": func(n uint64, rate float64) growing {
		return must(counting.New(counting.Config{Capacity: n, FPRate: rate}))
	},
	"cuckoo": func(n uint64, rate float64) growing {
		return unfilled{must(cuckoo.New(cuckoo.Config{Capacity: n, FPRate: rate}))}
	},
	"cuckoo, scalable": func(n uint64, rate float64) growing {
		return unfilled{must(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: n / 20, FPRate: rate}))}
	},
}

// When ContainsOrAdd adds Capacity keys to a filter, sharded or not, the filter
// must not exceed its rate, and FalsePositiveRate must return the measured rate
// or a higher bound. The number of hits is binomial, and the fill of a small
// filter differs from its mean by less than 2%.
func TestRatesHoldUnderContainsOrAdd(t *testing.T) {
	const keys, queries = 20_000, 100_000
	for name, create := range growings {
		for _, rate := range []float64{0.01, 0.3, 0.9} {
			for _, n := range []int{1, 4} {
				r, stated := rand.New(rand.NewPCG(90, uint64(n))), 0.0
				o := must(sharded.New(n, func(int) (growing, error) { return create(sharded.Capacity(keys, n), rate), nil }))
				for _, d := range checks.Digests(r, keys) {
					o.Do(d, func(f growing) { f.ContainsOrAddDigest(d) })
				}
				require.NoError(t, o.Each(func(_ int, f growing) error {
					stated += f.FalsePositiveRate() / float64(n)
					return nil
				}))
				measured := fractionFound(o, checks.Digests(r, queries))
				noise := 6*math.Sqrt(measured/queries) + 0.02*stated
				require.LessOrEqual(t, measured, rate+noise, "%s %g", name, rate)
				require.LessOrEqual(t, measured, stated+noise, "%s %g", name, rate)
			}
		}
	}
}

// Digests computed by hash/maphash must give the same rates as a family's
// digests. The keys are consecutive numbers as text, and the seed is different
// in each run. In each of five comparisons, a correct program is off by more
// than six standard deviations with probability below 2e-9.
func TestRatesHoldForMaphashDigests(t *testing.T) {
	const keys, queries, rate = 20_000, 100_000, 0.01
	seed := maphash.MakeSeed()
	all := make([]hashfam.Digest, keys+queries)
	for i := range all {
		all[i] = hashfam.Digest(maphash.String(seed, fmt.Sprint("key ", i)))
	}
	check := func(name string, f filter) {
		found := 0.0
		for i, d := range all {
			if is := f.ContainsDigest(d); i < keys {
				require.True(t, is, name)
			} else if is {
				found++
			}
		}
		// A filter's rate differs from the mean rate by at most a few percent.
		require.LessOrEqual(t, found/queries, 1.03*rate+6*math.Sqrt(rate/queries), name)
	}
	for _, name := range []string{"classic", "blocked", "cuckoo", "cuckoo, scalable"} {
		f := growings[name](keys, rate)
		for _, d := range all[:keys] {
			f.ContainsOrAddDigest(d)
		}
		check(name, f)
	}
	check("static", must(static.New(context.Background(), static.Config{FPRate: rate}, slices.Clone(all[:keys]))))
	require.InEpsilon(t, meanError(checks.Digests(rand.New(rand.NewPCG(91, 91)), len(all)), keys), meanError(all, keys), 0.08)
}

// meanError adds the first n digests to a sketch, and returns the mean count of
// the others. It differs by about 0.8% between sketches.
func meanError(all []hashfam.Digest, n int) float64 {
	s, sum := must(countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})), 0.0
	for _, d := range all[:n] {
		s.AddDigest(d)
	}
	for _, d := range all[n:] {
		sum += float64(s.CountDigest(d))
	}
	return sum / float64(len(all)-n)
}

// fractionFound returns the fraction of the absent digests that o contains.
func fractionFound(o *sharded.Of[growing], absent []hashfam.Digest) float64 {
	found := 0.0
	for _, d := range absent {
		o.Do(d, func(f growing) {
			if f.ContainsDigest(d) {
				found++
			}
		})
	}
	return found / float64(len(absent))
}

// The joined heavy hitters must include all frequent keys of the stream, and no
// keys that are much rarer.
func TestShardingKeepsHeavyHitters(t *testing.T) {
	const n, phi = 16, 0.005
	config := countmin.HeavyConfig{Phi: phi}
	o := must(sharded.New(n, func(int) (*countmin.HeavyHitters, error) { return countmin.NewHeavyHitters(config) }))
	r, counts := rand.New(rand.NewPCG(86, 87)), map[string]uint64{}
	zipf := rand.NewZipf(r, 1.1, 1, 1<<20)
	const total = 100_000
	for range total {
		key := []byte{byte(zipf.Uint64()), byte(zipf.Uint64() >> 10)}
		counts[string(key)]++
		d := hashfam.Family{}.Sum(key)
		o.Do(d, func(h *countmin.HeavyHitters) { h.AddDigest(d, key) })
	}
	var shards []*countmin.HeavyHitters
	require.NoError(t, o.Each(func(_ int, h *countmin.HeavyHitters) error { shards = append(shards, h); return nil }))
	joint := must(countmin.JoinHeavyHitters(shards))
	require.EqualValues(t, total, joint.Total())
	require.True(t, joint.Complete())
	found := map[string]bool{}
	for key, e := range joint.All() {
		require.LessOrEqual(t, e.Low, counts[key])
		require.GreaterOrEqual(t, e.High, counts[key])
		found[key] = true
	}
	for key, c := range counts {
		require.True(t, float64(c) < phi*total || found[key], "%x", key)
		require.True(t, float64(c) > 0.9*phi*total || !found[key], "%x", key)
	}
}
