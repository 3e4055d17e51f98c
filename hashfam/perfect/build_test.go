package perfect

import (
	"cmp"
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// sorted returns a sorted copy of digests.
func sorted(t require.TestingT, digests []hashfam.Digest) []hashfam.Digest {
	list, err := sortDigests(context.Background(), slices.Clone(digests))
	require.NoError(t, err)
	return list
}

// pairs yields digests and their values, or zeros if there are no values.
func pairs(digests []hashfam.Digest, values []uint64) iter.Seq2[hashfam.Digest, uint64] {
	return func(yield func(hashfam.Digest, uint64) bool) {
		for i, d := range digests {
			value := uint64(0)
			if values != nil {
				value = values[i]
			}
			if !yield(d, value) {
				return
			}
		}
	}
}

// A simple fills a level with all buckets, places and keys in memory.
type simple struct {
	level
	used map[uint64]bool
}

// fill returns the seeds, the used places and the bumped digests.
func (s *simple) fill(digests []hashfam.Digest, compact bool) (bumped []hashfam.Digest) {
	n := uint64(len(digests))
	s.level = newLevel(n, 0, compact, slices.Repeat([]byte{1}, int(bucketsOf(n))))
	s.used = map[uint64]bool{}
	buckets := map[uint64][]hashfam.Digest{}
	for _, d := range digests {
		b := s.bucket(d.Probe())
		buckets[b] = append(buckets[b], d)
	}
	var order []uint64
	for b := range buckets {
		order = append(order, b)
	}
	rank := func(b uint64) int64 { return int64(b) - weights[min(maxBucket, len(buckets[b]))] }
	slices.SortFunc(order, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(buckets[a]), len(buckets[b])))
	})
	for _, b := range order {
		seed := s.best(buckets[b])
		s.seeds[b] = byte(seed)
		for _, d := range buckets[b] {
			if seed == 0 {
				bumped = append(bumped, rehash(d))
			} else {
				s.used[s.candidate(d.Probe()).place(&s.level, seed)] = true
			}
		}
	}
	return bumped
}

// best returns the seed with the smallest sum of places, if they are free.
func (s *simple) best(digests []hashfam.Digest) (best uint64) {
	if len(digests) > maxBucket {
		return 0
	}
	least := ^uint64(0)
	for seed := uint64(1); seed < seeds; seed++ {
		sum := uint64(0)
		own := map[uint64]bool{}
		for _, d := range digests {
			place := s.candidate(d.Probe()).place(&s.level, seed)
			if !s.used[place] {
				own[place] = true
				sum += place
			}
		}
		if len(own) == len(digests) && sum < least {
			best = seed
			least = sum
		}
	}
	return best
}

// requireSimple checks that f has the seeds of simple builds, and that its list
// contains all places that the first level left free.
func requireSimple(t require.TestingT, f *Function, digests []hashfam.Digest, compact bool) {
	free := map[uint64]bool{}
	for i := range f.list.n {
		free[f.list.at(i)] = true
	}
	for i, l := range f.levels {
		n := uint64(len(digests))
		var s simple
		digests = s.fill(sorted(t, digests), compact)
		require.Equal(t, s.seeds, l.seeds, "level %d", i)
		require.EqualValues(t, len(digests), f.shape.bumped[i])
		for place := range n {
			require.True(t, i > 0 || s.used[place] || free[place], "place %d", place)
		}
	}
}

// drawDigests draws distinct digests. Some are random, and the others are in
// dense clusters with empty stretches between them.
func drawDigests(t *rapid.T) []hashfam.Digest {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.IntRange(0, 1<<rapid.IntRange(0, 13).Draw(t, "bits of n")).Draw(t, "n")
	clusters := rapid.IntRange(0, 4).Draw(t, "clusters")
	width := rapid.IntRange(30, 64).Draw(t, "bits of a cluster")
	centers := make([]uint64, clusters)
	for i := range centers {
		centers[i] = r.Uint64()
	}
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		x := r.Uint64()
		if clusters > 0 && r.IntN(4) > 0 {
			x = centers[r.IntN(clusters)] + x>>(64-width)
		}
		digests[i] = checks.Probing(x)
	}
	return sorted(t, digests)
}

// simpleBuilds is the property that a build selects the same seeds as a simple
// one.
func simpleBuilds(t *rapid.T) {
	digests := drawDigests(t)
	compact := rapid.Bool().Draw(t, "compact")
	f, err := New(context.Background(), Config{Compact: compact}, slices.Clone(digests))
	if err != nil {
		t.Skip(err)
	}
	requireSimple(t, f, digests, compact)
}

// Here many small buckets wait for large ones that follow much later.
func TestLargeBucketsAreFirst(t *testing.T) {
	machine.Matters(t)
	const n = 13_000
	buckets := bucketsOf(n)
	r := rand.New(rand.NewPCG(1, 2))
	var digests []hashfam.Digest
	for b := uint64(0); len(digests) < n; b++ {
		size := 1
		if r.IntN(100) < 40 {
			size = maxBucket - r.IntN(2)
		}
		for range min(size, n-len(digests)) {
			digests = append(digests, checks.Probing((b%buckets)*(math.MaxUint64/buckets)+r.Uint64()/buckets))
		}
	}
	f := build1(t, Config{}, digests)
	require.False(t, f.levels[0].factors)
	requireSimple(t, f, digests, false)
}

// sortedBuilds is the property that a build from a sorted sequence returns the
// same as one from a slice.
func sortedBuilds(t *rapid.T) {
	ctx := context.Background()
	digests := drawDigests(t)
	n := uint64(len(digests))
	c := Config{Compact: rapid.Bool().Draw(t, "compact")}
	fc := FilterConfig{
		FPRate:    rapid.SampledFrom([]float64{0.9, 0.1, 0.003, 1e-6}).Draw(t, "rate"),
		ValueBits: rapid.IntRange(0, maxValue).Draw(t, "bits of a value"),
		Compact:   c.Compact,
	}
	values := valuesOf(fc.ValueBits, digests)
	got, err := NewFromSorted(ctx, c, n, slices.Values(digests))
	filter, filterErr := NewFilterFromSorted(ctx, fc, n, pairs(digests, values))
	mixed := slices.Clone(digests)
	rand.New(rand.NewPCG(n, 1)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	want, wantErr := New(ctx, c, slices.Clone(mixed))
	require.Equal(t, wantErr, err)
	if err != nil {
		require.Error(t, filterErr)
		t.Skip(err)
	}
	require.NoError(t, filterErr)
	requireSame(t, want, got)
	wantFilter, err := NewFilter(ctx, fc, mixed, valuesOf(fc.ValueBits, mixed))
	require.NoError(t, err)
	requireSame(t, wantFilter, filter)
}

// requireSame checks that two structures have equal encodings and sizes.
func requireSame(t require.TestingT, want, got interface {
	MarshalBinary() ([]byte, error)
	SizeBytes() uint64
}) {
	a, err := want.MarshalBinary()
	require.NoError(t, err)
	b, err := got.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Equal(t, want.SizeBytes(), got.SizeBytes())
}

func TestSimpleBuilds(t *testing.T) { rapid.Check(t, simpleBuilds) }
func TestSortedBuilds(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, sortedBuilds)
}
func FuzzSortedBuilds(f *testing.F) { f.Fuzz(rapid.MakeFuzz(sortedBuilds)) }

func TestSortedBuildsOfEveryLength(t *testing.T) {
	lengths := []int{1000, 4096, 12_287, 12_288, 70_000}
	if checks.Long(t, 1, 1) {
		lengths = append(lengths, 300_000, 2_000_000)
	}
	for n := range 300 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		digests := sorted(t, random(n, 2))
		bits := n % (maxValue + 1)
		values := valuesOf(bits, digests)
		for _, compact := range []bool{false, true} {
			want := build1(t, Config{Compact: compact}, digests)
			got, err := NewFromSorted(t.Context(), Config{Compact: compact}, uint64(n), slices.Values(digests))
			require.NoError(t, err)
			requireSame(t, want, got)
			c := FilterConfig{FPRate: 0.003, ValueBits: bits, Compact: compact}
			filter, err := NewFilter(t.Context(), c, slices.Clone(digests), values)
			require.NoError(t, err)
			same, err := NewFilterFromSorted(t.Context(), c, uint64(n), pairs(digests, values))
			require.NoError(t, err)
			requireSame(t, filter, same)
		}
	}
}

// TestSortedBuildErrors also checks that the sequence is stopped at the first
// wrong key.
func TestSortedBuildErrors(t *testing.T) {
	machine.Matters(t)
	digests := sorted(t, random(30, 1))
	swapped := slices.Clone(digests)
	swapped[3], swapped[4] = swapped[4], swapped[3]
	copied := slices.Clone(digests)
	copied[20] = copied[19]
	twice := slices.Insert(slices.Clone(digests), 20, digests[19])
	values := make([]uint64, 31)
	values[13] = 255
	large := slices.Clone(values)
	large[13] = 256
	different := slices.Clone(values)
	different[20] = 9
	for _, c := range []struct {
		n                  uint64
		digests            []hashfam.Digest
		values             []uint64
		function, filter   string
		stopped, filterEnd int
	}{
		{30, digests, values, "", "", 30, 30},
		{30, swapped, values, "digest 4 = out of order, want ascending by Digest.Probe", "digest 4 = out of order, want ascending by Digest.Probe", 5, 5},
		{31, digests, values, "n = 31, want the number of distinct digests, which is 30", "n = 31, want the number of distinct digests, which is 30", 30, 30},
		{29, digests, values, "n = 29, want the number of distinct digests, which is larger", "n = 29, want the number of distinct digests, which is larger", 30, 30},
		{30, copied, values, "digest 20 = equal to digest 19, want distinct digests", "n = 30, want the number of distinct digests, which is 29", 21, 30},
		{30, twice, values, "digest 20 = equal to digest 19, want distinct digests", "", 21, 31},
		{30, twice, different, "digest 20 = equal to digest 19, want distinct digests",
			"digest 20 = equal to digest 19, values 0 and 9, want one value for each digest; if the keys differ, use another family", 21, 21},
		{30, digests, large, "", "value 13 = 256, want at most 255", 30, 14},
	} {
		seen := 0
		f, err := NewFromSorted(t.Context(), Config{}, c.n, func(yield func(hashfam.Digest) bool) {
			for _, d := range c.digests {
				seen++
				if !yield(d) {
					return
				}
			}
		})
		requireParams(t, c.function, f != nil, err)
		require.Equal(t, c.stopped, seen)
		seen = 0
		g, err := NewFilterFromSorted(t.Context(), FilterConfig{FPRate: 0.1, ValueBits: 8}, c.n, func(yield func(hashfam.Digest, uint64) bool) {
			for i, d := range c.digests {
				seen++
				if !yield(d, c.values[i]) {
					return
				}
			}
		})
		requireParams(t, c.filter, g != nil, err)
		require.Equal(t, c.filterEnd, seen)
	}
	_, err := NewFilterFromSorted(t.Context(), FilterConfig{FPRate: 0.1}, 30, pairs(digests, values))
	requireParams(t, "value 13 = 255, want at most 0", false, err)
	_, err = NewFilterFromSorted(t.Context(), FilterConfig{}, 30, pairs(digests, values))
	require.ErrorContains(t, err, "FilterConfig.FPRate")
	_, err = NewFromSorted(t.Context(), Config{}, maxKeys+1, slices.Values(digests))
	requireParams(t, "number of keys = 1099511627777, want at most 1099511627776", false, err)
}

// requireParams checks that err is ErrParams with the given text, and that
// nothing was built, or that there is no error if want is empty.
func requireParams(t *testing.T, want string, built bool, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		require.True(t, built)
		return
	}
	require.EqualError(t, err, "perfect: invalid parameters: "+want)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.False(t, built)
}

// Builds with only one level must fail, since no digests are known that need
// more than maxLevels.
func TestTooManyLevelsAreRejected(t *testing.T) {
	machine.Matters(t)
	digests := sorted(t, random(1000, 1))
	b, err := newBuilder(shape{keys: 1000})
	require.NoError(t, err)
	b.levels = 1
	require.NoError(t, b.readKeys(t.Context(), pairs(digests, nil)))
	err = b.addLevels(t.Context())
	require.EqualError(t, err, "perfect: invalid parameters: digests = 122 left after 1 levels, want random digests: use a keyed Family")
	err = b.addLast(make([]hashfam.Digest, 2)) // no seed places two equal digests
	require.EqualError(t, err, "perfect: invalid parameters: digests = 2 in the last level have no seed, want random digests: use a keyed Family")
}

// A stopping context is canceled when Err has been called often enough.
type stopping struct {
	context.Context
	left int
}

func (s *stopping) Err() error {
	s.left--
	if s.left < 0 {
		return context.Canceled
	}
	return nil
}

// A build must stop soon after it was canceled, in each of its steps.
func TestCancellation(t *testing.T) {
	const n, many = 3 * testEvery / 2, 1 << 30
	digests := sorted(t, random(n, 1))
	values := make([]uint64, n)
	c := FilterConfig{FPRate: 0.1, ValueBits: 3}
	for name, build := range map[string]func(ctx context.Context) (any, error){
		"New":                 func(ctx context.Context) (any, error) { return New(ctx, Config{}, slices.Clone(digests)) },
		"NewFilter":           func(ctx context.Context) (any, error) { return NewFilter(ctx, c, digests, values) },
		"NewFromSorted":       func(ctx context.Context) (any, error) { return NewFromSorted(ctx, Config{}, n, slices.Values(digests)) },
		"NewFilterFromSorted": func(ctx context.Context) (any, error) { return NewFilterFromSorted(ctx, c, n, pairs(digests, values)) },
	} {
		all := &stopping{t.Context(), many}
		_, err := build(all)
		require.NoError(t, err)
		require.Greater(t, many-all.left, 2, "%s: too few tests", name)
		for stop := range many - all.left {
			ctx := &stopping{t.Context(), stop}
			_, err := build(ctx)
			require.ErrorIs(t, err, context.Canceled, "%s, canceled in call %d", name, stop)
			require.GreaterOrEqual(t, ctx.left, -3, name)
		}
	}
}

// Digests of many keys in one bucket must not need more memory while they
// arrive than other digests.
func TestChosenDigestsNeedNoMoreMemory(t *testing.T) {
	for name, digest := range hostile {
		digests := make([]hashfam.Digest, 50_000)
		for i := range digests {
			digests[i] = digest(uint64(i))
		}
		digests = sorted(t, digests)
		n := uint64(len(digests))
		b, err := newBuilder(shape{keys: n})
		require.NoError(t, err)
		for _, d := range digests {
			b.first.add(d, 0)
		}
		require.LessOrEqual(t, b.first.order.n, windowSize, name)
		require.LessOrEqual(t, len(b.waiting.digests)+len(b.first.free.bytes), 2*len(digests), name)
	}
}

func TestGapsReturnTheirNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfDistinct(rapid.Uint64Range(0, 1<<rapid.IntRange(0, 41).Draw(t, "bits")), rapid.ID).Draw(t, "numbers")
		slices.Sort(numbers)
		var g gaps
		for _, i := range numbers {
			g.append(i)
		}
		g = g.rewound()
		for _, i := range numbers {
			require.Equal(t, i, g.take())
		}
		require.Equal(t, ^uint64(0), g.take())
	})
}

// Buckets with up to 15 keys have a seed if the places are free. Larger ones
// are bumped.
func TestLargeBucketsAreBumped(t *testing.T) {
	for n := 1; n <= maxBucket+5; n++ {
		f := newFiller(newLevel(1000, 0, true, make([]byte, bucketsOf(1000))), new(keyList))
		for i := range n {
			f.add(checks.Probing(1<<60+uint64(i)<<50), 0)
		}
		f.end(1000)
		if n <= maxBucket {
			require.Empty(t, f.bumped.digests, "%d keys", n)
		} else {
			require.Len(t, f.bumped.digests, n)
		}
		require.Len(t, f.free.bytes, 1000-n+len(f.bumped.digests))
	}
}

func TestNilContextsAreErrors(t *testing.T) {
	var none context.Context
	c := FilterConfig{FPRate: 0.01}
	_, function := New(none, Config{}, nil)
	_, sortedFunction := NewFromSorted(none, Config{}, 0, slices.Values([]hashfam.Digest(nil)))
	_, filter := NewFilter(none, c, nil, nil)
	_, sortedFilter := NewFilterFromSorted(none, c, 0, withZeros(nil))
	for _, err := range []error{function, sortedFunction, filter, sortedFilter} {
		require.EqualError(t, err, "perfect: invalid parameters: ctx = <nil>, want a context, for example context.Background()")
	}
}

func TestNilSequencesAreErrors(t *testing.T) {
	for _, n := range []uint64{0, 9} {
		_, err := NewFromSorted(t.Context(), Config{}, n, nil)
		require.EqualError(t, err, "perfect: invalid parameters: digests = <nil>, want an iterator")
		_, err = NewFilterFromSorted(t.Context(), FilterConfig{FPRate: 0.01}, n, nil)
		require.EqualError(t, err, "perfect: invalid parameters: keys = <nil>, want an iterator")
	}
}

// A sequence can have any number of copies, and a build of them can be
// canceled.
func TestCopiesCanBeCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	copies := 0
	_, err := NewFilterFromSorted(ctx, FilterConfig{FPRate: 0.1}, 1, func(yield func(hashfam.Digest, uint64) bool) {
		for copies < 10*testEvery && yield(1, 0) {
			copies++
			if copies == testEvery {
				cancel()
			}
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, copies, 2*testEvery)
}
