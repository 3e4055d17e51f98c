package perfect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
)

// random returns n random digests.
func random(n int, seed uint64) []hashfam.Digest {
	return checks.Digests(rand.New(rand.NewPCG(seed, uint64(n))), n)
}

// build1 builds a function for digests without changing the slice.
func build1(t require.TestingT, c Config, digests []hashfam.Digest) *Function {
	f, err := New(context.Background(), c, slices.Clone(digests))
	require.NoError(t, err)
	return f
}

// requireBijection checks that each digest has a different index from 0 to n-1,
// for single calls and for batches.
func requireBijection(t require.TestingT, f *Function, digests []hashfam.Digest) {
	require.EqualValues(t, len(digests), f.Len())
	seen := make([]bool, len(digests))
	batch := f.IndexAll(nil, digests)
	for i, d := range digests {
		index := f.IndexDigest(d)
		if index >= uint64(len(seen)) || seen[index] || batch[i] != index {
			require.Fail(t, "not a bijection", "digest %d of %d has index %d, in a batch %d", i, len(seen), index, batch[i])
		}
		seen[index] = true
	}
}

func TestEveryKeyHasItsOwnIndex(t *testing.T) {
	sizes := []int{100, 1000, 12287, 12288, 50_000}
	if checks.Long(t, 0.5, 1) {
		sizes = append(sizes, 1_000_000, 10_000_000)
	}
	for n := range 70 {
		sizes = append(sizes, slices.Repeat([]int{n}, 8)...)
	}
	levels := 0
	for i, n := range sizes {
		for _, compact := range []bool{false, true} {
			digests := random(n, uint64(i))
			f := build1(t, Config{Compact: compact}, digests)
			requireBijection(t, f, digests)
			if n > 0 {
				requireInRange(t, f, append(random(30, 1), 0, math.MaxUint64))
			}
			levels = max(levels, len(f.levels))
		}
	}
	require.Less(t, levels, maxLevels/2) // currently 7
	none, compact := build1(t, Config{}, nil), build1(t, Config{Compact: true}, nil)
	require.Zero(t, none.Index([]byte("any")))
	require.False(t, none.Equal(compact))
}

// The sizes depend only on the digests, so nothing here is left to chance.
func TestBitsPerKey(t *testing.T) {
	long := checks.Long(t, 0.5, 1)
	for _, c := range []struct {
		n                int
		compact          bool
		function, filter float64 // the upper limits
	}{
		{10_000, false, 2.42, 9.15}, {300_000, false, 2.2, 8.93}, {100_000, true, 2.01, 8.74},
		{10_000_000, false, 2.19, 8.92}, {10_000_000, true, 1.95, 8.68},
	} {
		if c.n > 1_000_000 && !long {
			continue
		}
		f := filterOf(t, FilterConfig{FPRate: 0.01, Compact: c.compact}, random(c.n, 1))
		require.LessOrEqual(t, 8*float64(f.SizeBytes()-f.slots.bytes(f.n))/float64(c.n), c.function, "%+v", c)
		require.LessOrEqual(t, 8*float64(f.SizeBytes())/float64(c.n), c.filter, "%+v", c)
		require.InDelta(t, f.FalsePositiveRate(), 0.01, 1e-6)
		require.EqualValues(t, len(f.mapped)+len(f.slots.bits)+8*len(f.list.marks), f.SizeBytes())
	}
}

// The numbers of bumped keys vary by their square root.
func TestEstimatedBytes(t *testing.T) {
	for n, most := range map[int]float64{0: 0, 5: 0, 100: 0.3, 1000: 0.1, 3000: 0.06, 10_000: 0.02, 12_287: 0.02, 12_288: 0.02, 100_000: 0.01, 1_000_000: 0.003} {
		for _, compact := range []bool{false, true} {
			if compact && n > 100_000 {
				continue
			}
			digests := random(n, 1)
			want, err := Config{Compact: compact}.EstimatedBytes(uint64(n))
			require.NoError(t, err)
			got := build1(t, Config{Compact: compact}, digests).SizeBytes()
			require.InDelta(t, want, got, float64(want)*most, "%d keys, compact: %v", n, compact)
			if n > 100_000 {
				continue
			}
			c := FilterConfig{FPRate: 0.01, ValueBits: 7, Compact: compact}
			want, err = c.EstimatedBytes(uint64(n))
			require.NoError(t, err)
			filter, err := NewFilter(t.Context(), c, digests, make([]uint64, n))
			require.NoError(t, err)
			require.InDelta(t, want, filter.SizeBytes(), float64(want)*most/4, "%d keys, compact: %v", n, compact)
		}
	}
	_, err := Config{}.EstimatedBytes(maxKeys)
	require.NoError(t, err)
	_, err = Config{}.EstimatedBytes(maxKeys + 1)
	require.ErrorContains(t, err, "number of keys")
	_, err = FilterConfig{FPRate: 0.1}.EstimatedBytes(maxKeys + 1)
	require.ErrorContains(t, err, "number of keys")
	_, err = FilterConfig{}.EstimatedBytes(1)
	require.ErrorContains(t, err, "FPRate")
}

// hostile contains functions that return distinct digests which are far from
// random. Two further digests make all bits differ, since digests with a
// constant bit are refused.
var hostile = map[string]func(i uint64) hashfam.Digest{
	"a common prefix of 40 bits":    func(i uint64) hashfam.Digest { return hashfam.Digest(0xABCDEF0123<<24 | i*839) },
	"a common suffix of 40 bits":    func(i uint64) hashfam.Digest { return hashfam.Digest(i*839<<40 | 0x123456789A) },
	"sequential":                    func(i uint64) hashfam.Digest { return hashfam.Digest(i) },
	"multiples of 2^44":             func(i uint64) hashfam.Digest { return hashfam.Digest(i << 44) },
	"one bucket in the first level": func(i uint64) hashfam.Digest { return checks.Probing(1<<60 + i) },
	"one bucket in the second level": func(i uint64) hashfam.Digest {
		d := checks.Probing(1<<60 + i)
		for range 3 {
			d = checks.Probing(uint64(d))
		}
		return d
	},
	"one place in the slice":           func(i uint64) hashfam.Digest { return checks.Probing(uint64(checks.Probing(i))) },
	"all first bits of all levels set": func(i uint64) hashfam.Digest { return hashfam.Digest(i<<32 | 0xFFFFFFFF) },
}

func TestHostileDigests(t *testing.T) {
	for name, digest := range hostile {
		digests := make([]hashfam.Digest, 6000)
		for i := range digests {
			digests[i] = digest(uint64(i))
		}
		digests = append(digests, math.MaxUint64, 1<<62)
		for _, compact := range []bool{false, true} {
			f := build1(t, Config{Compact: compact}, digests)
			requireBijection(t, f, digests)
			require.LessOrEqual(t, len(f.levels), 12, name)
			require.Less(t, f.SizeBytes(), 2*f.Len(), name)
		}
	}
}

// Numbers are not digests, even if a function of them can be built.
func TestDigestsMustBeHashes(t *testing.T) {
	numbers := make([]hashfam.Digest, 100)
	for i := range numbers {
		numbers[i] = hashfam.Digest(i) << 40
	}
	for name, build := range map[string]func([]hashfam.Digest) error{
		"New": func(d []hashfam.Digest) error { _, err := New(t.Context(), Config{}, d); return err },
		"NewFilter": func(d []hashfam.Digest) error {
			_, err := NewFilter(t.Context(), FilterConfig{FPRate: 0.1}, d, nil)
			return err
		},
	} {
		require.NoError(t, build(slices.Clone(numbers[:99])), name)
		err := build(slices.Clone(numbers))
		require.ErrorIs(t, err, hashfam.ErrParams, name)
		require.ErrorContains(t, err, "digests = 100 values with the same bit 0, want hashes", name)
	}
}

// docs/distributed.md divides keys into parts by Digest.Shard. All digests of a
// part begin with the same bits, but they are hashes.
func TestPartsNumberAllKeys(t *testing.T) {
	const parts, n = 4, 1000
	var digests [parts][]hashfam.Digest
	for _, d := range random(n, 1) {
		digests[d.Shard(parts)] = append(digests[d.Shard(parts)], d)
	}
	before, seen := uint64(0), map[uint64]bool{}
	for _, part := range digests {
		require.Greater(t, len(part), 100)
		f := build1(t, Config{}, part)
		for _, d := range part {
			seen[before+f.IndexDigest(d)] = true
		}
		before += f.Len()
	}
	require.Len(t, seen, n)
	require.EqualValues(t, n, before)
}

func TestNewNamesARepeatedDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digests := random(rapid.IntRange(1, 100).Draw(t, "n"), 1)
		d := rapid.SampledFrom(digests).Draw(t, "repeated")
		copies := rapid.IntRange(1, 3).Draw(t, "copies")
		digests = append(digests, slices.Repeat([]hashfam.Digest{d}, copies)...)
		_, err := New(context.Background(), Config{}, digests)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, fmt.Sprintf("digests = %d equal to others, for example 0x%016x, want", copies, uint64(d)))
	})
}

// The slice must contain the same digests after a build, even after an error.
func TestBuildKeepsTheDigests(t *testing.T) {
	digests := random(3000, 1)
	digests = append(digests, digests[:3]...)
	want := slices.Clone(digests)
	slices.Sort(want)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), canceled} {
		_, err := New(ctx, Config{}, digests)
		require.Error(t, err)
		_, err = NewFilter(ctx, FilterConfig{FPRate: 0.1}, digests, nil)
		require.ErrorIs(t, err, ctx.Err())
		got := slices.Clone(digests)
		slices.Sort(got)
		require.Equal(t, want, got)
	}
}

// BenchmarkFunction measures builds and lookups.
func BenchmarkFunction(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		digests := random(n, 1)
		f := build1(b, Config{}, digests)
		dst := make([]uint64, 0, n)
		for name, do := range map[string]func(){
			"build":   func() { build1(b, Config{}, digests) },
			"compact": func() { build1(b, Config{Compact: true}, digests) },
			"batch":   func() { f.IndexAll(dst, digests) },
			"single": func() {
				for _, d := range digests {
					f.IndexDigest(d)
				}
			},
		} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					do()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
			})
		}
	}
}
