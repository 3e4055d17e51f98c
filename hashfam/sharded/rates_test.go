package sharded_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
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
)

// The tests of this file compare structures behind shards with what they do
// alone. The families are fixed, so the result is the same in every run; with
// others a correct program would be more than six standard deviations off with
// probability below 2e-9 in each of a dozen comparisons.

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func digests(r *rand.Rand, n int) []hashfam.Digest {
	d := make([]hashfam.Digest, n)
	for i := range d {
		d[i] = hashfam.Digest(r.Uint64())
	}
	return d
}

type filter interface {
	ContainsDigest(d hashfam.Digest) bool
}

// Every filter takes its share of all keys and has the rate that its parameters
// say. Hits are binomial. The share of bits set, or of full slots, varies by
// less than 1/sqrt(keys), which changes the rate by a factor of hashes as much.
func TestRatesBehindShardsAreThoseWithout(t *testing.T) {
	const n, keys, queries = 16, 100_000, 400_000
	capacity := sharded.Capacity(keys, n)
	for name, c := range map[string]struct {
		create func() (filter, error)
		add    func(f filter, d hashfam.Digest) error
		rateAt func(keys uint64) float64
		hashes float64
	}{
		"bloom":            bloomCase(bloom.Config{Capacity: capacity, FPRate: 0.01}),
		"bloom, slices":    bloomCase(bloom.Config{Capacity: capacity, FPRate: 0.01, Layout: bloom.Partitioned}),
		"bloom, blocks":    bloomCase(bloom.Config{Capacity: capacity, FPRate: 0.01, Layout: bloom.Blocked}),
		"counting":         countingCase(counting.Config{Capacity: capacity, FPRate: 0.01}),
		"counting, blocks": countingCase(counting.Config{Capacity: capacity, FPRate: 0.01, Layout: counting.Blocked}),
		"cuckoo":           cuckooCase(cuckoo.Config{Capacity: capacity, FPRate: 0.01}),
		"cuckoo, compact":  cuckooCase(cuckoo.Config{Capacity: capacity, FPRate: 0.01, Compact: true}),
	} {
		o, err := sharded.New(n, func(int) (filter, error) { return c.create() })
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(80, 81))
		var held [n]uint64
		for _, d := range digests(r, keys) {
			held[d.Shard(n)]++
			o.Do(d, func(f filter) { require.NoError(t, c.add(f, d), "refused within the capacity") })
		}
		hits := 0
		for _, d := range digests(r, queries) {
			o.Do(d, func(f filter) {
				if f.ContainsDigest(d) {
					hits++
				}
			})
		}
		want := 0.0
		for _, h := range held {
			want += c.rateAt(h) / n
		}
		stderr := math.Hypot(math.Sqrt(want/queries), want*c.hashes/math.Sqrt(keys))
		t.Logf("%s: %.4f %%, want %.4f", name, 100*float64(hits)/queries, 100*want)
		require.InDelta(t, want, float64(hits)/queries, 6*stderr, name)
	}
}

type filterCase = struct {
	create func() (filter, error)
	add    func(f filter, d hashfam.Digest) error
	rateAt func(keys uint64) float64
	hashes float64
}

func bloomCase(c bloom.Config) filterCase {
	p := must(c.Params())
	return filterCase{
		func() (filter, error) { return bloom.New(c) },
		func(f filter, d hashfam.Digest) error { f.(*bloom.Filter).AddDigest(d); return nil },
		p.RateAt, float64(p.Hashes),
	}
}

func countingCase(c counting.Config) filterCase {
	p := must(c.Params())
	return filterCase{
		func() (filter, error) { return counting.New(c) },
		func(f filter, d hashfam.Digest) error { f.(*counting.Filter).AddDigest(d); return nil },
		p.RateAt, float64(p.Hashes),
	}
}

func cuckooCase(c cuckoo.Config) filterCase {
	p := must(c.Params())
	return filterCase{
		func() (filter, error) { return cuckoo.New(c) },
		func(f filter, d hashfam.Digest) error { return f.(*cuckoo.Filter).AddDigest(d) },
		p.RateAt, 1,
	}
}

// Filters that do not change are built from the digests of their shard. They
// have the rate of one filter of all keys. Hits are binomial, and the rate of a
// static filter differs by a percent of it from family to family.
func TestStaticRatesBehindShardsAreThoseWithout(t *testing.T) {
	const n, keys, queries = 16, 100_000, 400_000
	for name, build := range map[string]func([]hashfam.Digest) (filter, error){
		"static": func(d []hashfam.Digest) (filter, error) {
			return static.New(context.Background(), static.Config{FPRate: 0.01}, d)
		},
		"perfect": func(d []hashfam.Digest) (filter, error) {
			return perfect.NewFilter(context.Background(), perfect.FilterConfig{FPRate: 0.01}, d)
		},
	} {
		r := rand.New(rand.NewPCG(88, 89))
		all := digests(r, keys)
		var parts [n][]hashfam.Digest
		for _, d := range all {
			parts[d.Shard(n)] = append(parts[d.Shard(n)], d)
		}
		one := must(build(all))
		o := must(sharded.New(n, func(i int) (filter, error) { return build(parts[i]) }))
		var alone, shared float64
		for _, d := range digests(r, queries) {
			if one.ContainsDigest(d) {
				alone++
			}
			o.Do(d, func(f filter) {
				if f.ContainsDigest(d) {
					shared++
				}
			})
		}
		t.Logf("%s: %.4f %% alone, %.4f %% behind shards", name, 100*alone/queries, 100*shared/queries)
		require.InDelta(t, alone, shared, 6*math.Sqrt(alone+shared)+0.02*alone, name)
	}
}

// A cuckoo filter that is filled until it refuses a key holds as many keys as
// one that gets all keys, on average.
func TestRefusalsBehindShardsAreThoseWithout(t *testing.T) {
	const n = 300
	r := rand.New(rand.NewPCG(82, 83))
	config := cuckoo.Config{Capacity: 1000, FPRate: 0.01}
	var alone, shared sample
	for range n {
		f, held := must(cuckoo.New(config)), 0
		for ; f.AddDigest(hashfam.Digest(r.Uint64())) == nil; held++ {
		}
		alone.add(float64(held))
	}
	o := must(sharded.New(n, func(int) (*cuckoo.Filter, error) { return cuckoo.New(config) }))
	held := make([]int, n)
	for full := 0; full < n; {
		d := hashfam.Digest(r.Uint64())
		o.Do(d, func(f *cuckoo.Filter) {
			if i := d.Shard(n); held[i] >= 0 {
				if err := f.AddDigest(d); errors.Is(err, cuckoo.ErrFull) {
					shared.add(float64(held[i]))
					held[i] = -1
					full++
					return
				}
				held[i]++
			}
		})
	}
	t.Logf("%.1f keys alone, %.1f behind shards", alone.mean(), shared.mean())
	require.InDelta(t, alone.mean(), shared.mean(), 6*math.Sqrt(alone.variance()/n+shared.variance()/n))
}

// Sketches of n times the error in n shards count as far off as one sketch. A
// count is the least of five counters, which are sums over columns that vary
// independently; the variance of a mean of counts is that of one count over the
// number of columns at most, times five.
func TestErrorsBehindShardsAreThoseWithout(t *testing.T) {
	const n, keys, queries = 16, 200_000, 100_000
	for _, conservative := range []bool{false, true} {
		config := countmin.Config{Epsilon: 1e-4, Delta: 0.01, Conservative: conservative}
		one := must(countmin.New(config))
		config.Epsilon *= n
		o := must(sharded.New(n, func(int) (*countmin.Sketch, error) { return countmin.New(config) }))
		r := rand.New(rand.NewPCG(84, 85))
		for _, d := range digests(r, keys) {
			one.AddDigest(d)
			o.Do(d, func(s *countmin.Sketch) { s.AddDigest(d) })
		}
		var alone, shared sample
		for _, d := range digests(r, queries) {
			alone.add(float64(one.CountDigest(d)))
			o.Do(d, func(s *countmin.Sketch) { shared.add(float64(s.CountDigest(d))) })
		}
		columns := float64(one.Params().Width)
		stderr := math.Sqrt(5 * (alone.variance() + shared.variance()) * (1/columns + 1/float64(queries)))
		t.Logf("conservative %v: %.3f alone, %.3f behind shards", conservative, alone.mean(), shared.mean())
		require.InDelta(t, alone.mean(), shared.mean(), 6*stderr)
		require.InEpsilon(t, one.SizeBytes()/n, must(countmin.New(config)).SizeBytes(), 0.01, "the same memory")
	}
}

// The heavy hitters of all shards are the keys of a share of the stream, and no
// others whose share is much smaller.
func TestHeavyHittersBehindShardsAreThoseWithout(t *testing.T) {
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

// A sample has the sum of some numbers and that of their squares.
type sample struct{ n, sum, squares float64 }

func (s *sample) add(x float64) { s.n, s.sum, s.squares = s.n+1, s.sum+x, s.squares+x*x }

func (s *sample) mean() float64 { return s.sum / s.n }

func (s *sample) variance() float64 { return s.squares/s.n - s.mean()*s.mean() }
