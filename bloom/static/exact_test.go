package static

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// requireExact checks the answer for every key, in single calls and in a batch.
func requireExact(t require.TestingT, name string, e *Exact, members, others []hashfam.Digest) {
	all := append(members[:len(members):len(members)], others...)
	for i, found := range e.ContainsAll(nil, all) {
		if member := i < len(members); found != member || e.ContainsDigest(all[i]) != member {
			require.Fail(t, "a wrong answer", "%s: key %d, %x", name, i, all[i])
		}
	}
}

// A sizeCase is a universe of random digests: number of rarer keys, ratio,
// whether the rarer ones are the members, and the most that the size may be as
// a multiple of the bound. The size of the scheme itself, R (r+1) + S/2^r, is
// 1.108 times the bound at ratios 2 and 4 and 1.104 times at 8; ribbons add 1
// to 2 %, and more for few keys: whole words, and layers of a few digests.
type sizeCase struct {
	rare, ratio int
	inverted    bool
	most        float64
}

var randomCases = []sizeCase{
	{10_000, 1, false, 1.035}, {20_000, 1, false, 1.025}, {100_000, 1, false, 1.025}, {100_000, 1, true, 1.025},
	{50_000, 2, true, 1.12}, {30_000, 3, false, 1.12}, {50_000, 4, false, 1.13}, {50_000, 5, false, 1.12},
	{20_000, 6, true, 1.12}, {20_000, 8, false, 1.13}, {10_000, 32, true, 1.12},
	{10_000, 50, false, 1.12}, {10_000, 50, true, 1.12}, {1_000, 1000, false, 1.16},
}

// More of them with FILTERFAM_LONG=1.
var longCases = []sizeCase{
	{1_000_000, 1, true, 1.025}, {1_000_000, 5, false, 1.12}, {100_000, 50, false, 1.12}, {10_000, 1000, false, 1.12},
}

// Every key of both classes is queried.
func TestSizeAndAnswersOfRandomUniverses(t *testing.T) {
	cases := randomCases
	if checks.Long(t, 1, 1) {
		cases = append(cases, longCases...)
	}
	for _, c := range cases {
		name := fmt.Sprintf("%d keys, ratio %d, inverted %v", c.rare, c.ratio, c.inverted)
		members, others := universe(hashfam.Family{}, c.rare, c.rare*c.ratio)
		if c.inverted {
			members, others = others, members
		}
		e := mustExact(t, hashfam.Family{}, members, others)
		requireExact(t, name, e, members, others)
		size, bound := 8*float64(e.SizeBytes()), sizing.ExactBound(e.Params().classes())
		require.LessOrEqual(t, size/bound, c.most, name)
	}
}

// universe returns two disjoint lists of digests.
func universe(fam hashfam.Family, a, b int) (members, others []hashfam.Digest) {
	digests := make([]hashfam.Digest, a+b)
	for i := range digests {
		digests[i] = fam.SumUint64(uint64(i))
	}
	return digests[:a:a], digests[a:]
}

// mustExact builds an Exact from copies of the digests.
func mustExact(t require.TestingT, fam hashfam.Family, members, others []hashfam.Digest) *Exact {
	e, err := NewExact(context.Background(), ExactConfig{Family: fam}, slices.Clone(members), slices.Clone(others))
	require.NoError(t, err)
	return e
}

// With one class the answer is the same for all keys.
func TestUniversesWithAnEmptyClass(t *testing.T) {
	digests, _ := universe(hashfam.Family{}, 100, 0)
	for n := range 3 {
		all := mustExact(t, hashfam.Family{}, digests[:n], nil)
		none := mustExact(t, hashfam.Family{}, nil, digests[:n])
		for _, d := range digests {
			require.Equal(t, n > 0, all.ContainsDigest(d), "%d members, no others", n)
			require.False(t, none.ContainsDigest(d), "no members, %d others", n)
		}
		require.Zero(t, all.SizeBytes()+none.SizeBytes())
	}
}

// A key that is in neither list is taken for one of the rarer class with chance
// 2^-(r+1), r = floor(log2(ratio)). The error of the mean over 100,000 keys is
// at most 0.0016; the tolerance is five times that, and 3 % for the slots that
// are free.
func TestForeignKeys(t *testing.T) {
	for _, c := range []struct {
		rare, ratio, columns int
	}{{20_000, 1, 0}, {20_000, 3, 1}, {20_000, 5, 2}, {5_000, 50, 5}} {
		rare, common := universe(hashfam.Family{}, c.rare, c.rare*c.ratio)
		e, inverted := mustExact(t, hashfam.Family{}, rare, common), mustExact(t, hashfam.Family{}, common, rare)
		const queries = 100_000
		taken := 0
		for i := range uint64(queries) {
			d := hashfam.Family{}.SumUint64(1<<40 + i)
			if c.ratio > 1 && e.ContainsDigest(d) == inverted.ContainsDigest(d) {
				require.Fail(t, "the answer does not change with the lists exchanged", "%x", d)
			}
			if e.ContainsDigest(d) {
				taken++
			}
		}
		want := math.Exp2(-float64(c.columns + 1))
		sigma := math.Sqrt(want * (1 - want) / queries)
		require.InDelta(t, want, float64(taken)/queries, 5*sigma+0.03*want)
	}
}

func TestUniversesThatAreRefused(t *testing.T) {
	for _, n := range []int{1, 3} {
		members, others := universe(hashfam.Family{}, 10, 1000)
		copy(others[7:], members[3:3+n])
		_, err := NewExact(t.Context(), ExactConfig{}, members, others)
		require.ErrorIs(t, err, ErrParams)
		require.EqualError(t, err, fmt.Sprintf(
			"static: invalid parameters: others = %d digests of members, want digests that are not in members", n))
	}
	both, e := []hashfam.Digest{7}, &Exact{exactReader{params: ExactParams{Members: 1, Others: 1}}}
	err := e.fill(t.Context(), ribbon.Build{Workers: 1}, both, slices.Clone(both)) // without the check it ends, too
	require.ErrorIs(t, buildError(err, 0), ErrParams)
	require.ErrorIs(t, err, ribbon.ErrLayers)
	_, err = NewExact(t.Context(), ExactConfig{Workers: -1}, nil, nil)
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "ExactConfig.Workers = -1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	members, others := universe(hashfam.Family{}, 1000, 5000)
	_, err = NewExact(ctx, ExactConfig{}, members, others)
	require.ErrorIs(t, err, context.Canceled)
}

// Both lists stay the same sets, so that users can append and build again.
func TestExactKeepsTheSetsOfDigests(t *testing.T) {
	for _, ratio := range []int{1, 2, 9} {
		members, others := universe(hashfam.Family{}, 20_000, 20_000*ratio)
		members, others = append(members, members[:100]...), append(others, others[:100]...)
		m, o := ascending(slices.Clone(members)), ascending(slices.Clone(others))
		_, err := NewExact(t.Context(), ExactConfig{Workers: 2}, members, others)
		require.NoError(t, err)
		require.Equal(t, m, ascending(members), "ratio %d", ratio)
		require.Equal(t, o, ascending(others), "ratio %d", ratio)
	}
}

// Digests that someone chose cost memory, but no answer is wrong and the build
// ends.
func TestChosenDigests(t *testing.T) {
	const n = 20_000
	for name, digest := range map[string]func(i uint64) hashfam.Digest{
		"consecutive":            func(i uint64) hashfam.Digest { return hashfam.Digest(i) },
		"one prefix":             func(i uint64) hashfam.Digest { return hashfam.Digest(0xabcdef0123<<24 | i) },
		"one prefix of starts":   func(i uint64) hashfam.Digest { return conformance.Probing(0xabcdef0123<<24 | i) },
		"consecutive from zero":  conformance.Probing,
		"high bits":              func(i uint64) hashfam.Digest { return hashfam.Digest(i << 40) },
		"high bits of the start": func(i uint64) hashfam.Digest { return conformance.Probing(i << 40) },
	} {
		for _, ratio := range []int{1, 7} {
			var members, others []hashfam.Digest
			for i := range uint64(n) {
				if i%uint64(ratio+1) == 0 {
					members = append(members, digest(i))
				} else {
					others = append(others, digest(i))
				}
			}
			e := mustExact(t, hashfam.Family{}, members, others)
			requireExact(t, name, e, members, others)
			require.Less(t, e.SizeBytes(), uint64(8*n), name)
			f := mustBuild(t, Config{FPRate: 0.01}, slices.Clone(members))
			require.NotContains(t, f.ContainsAll(nil, members), false, name)
			require.LessOrEqual(t, f.SizeBytes(), uint64(4*len(members)), name)
		}
	}
}
