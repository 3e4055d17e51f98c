package static

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A digest in both lists has no right answer. Without the check the equations
// of the two copies would contradict each other in every layer.
func TestADigestInBothListsIsAnError(t *testing.T) {
	for _, n := range []int{1, 3} {
		members, others := randomUniverse(10, 1000)
		copy(others[7:], members[3:3+n])
		_, err := NewExact(t.Context(), ExactConfig{}, members, others)
		require.ErrorIs(t, err, ErrParams)
		require.EqualError(t, err, fmt.Sprintf(
			"static: invalid parameters: others = %d digests of members, want digests that are not in members", n))
	}
}

func TestInvalidExactConfigs(t *testing.T) {
	_, err := NewExact(t.Context(), ExactConfig{Workers: -1}, nil, nil)
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "ExactConfig.Workers = -1")
}

func TestExactBuildsAreCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	members, others := randomUniverse(1000, 5000)
	_, err := NewExact(ctx, ExactConfig{}, members, others)
	require.ErrorIs(t, err, context.Canceled)
}

// Both lists stay the same sets, so that users can append and build again.
func TestAnExactKeepsTheSetsOfDigests(t *testing.T) {
	for _, ratio := range []int{1, 2, 9} {
		members, others := randomUniverse(20_000, 20_000*ratio)
		members, others = append(members, members[:100]...), append(others, others[:100]...)
		m, o := ascending(clone(members)), ascending(clone(others))
		_, err := NewExact(t.Context(), ExactConfig{Workers: 2}, members, others)
		require.NoError(t, err)
		require.Equal(t, m, ascending(members), "ratio %d", ratio)
		require.Equal(t, o, ascending(others), "ratio %d", ratio)
	}
}

// Digests are filtered in blocks of 16,384, in their order.
func TestBlocksOfDigests(t *testing.T) {
	b := ribbon.Build{Workers: 1}
	filter, err := ribbon.Members(t.Context(), b, 1<<16, ascending(random(rand.New(rand.NewPCG(7, 7)), 1000)))
	require.NoError(t, err)
	for _, n := range []int{0, 1, passBlock - 1, passBlock, passBlock + 1, 3*passBlock - 1} {
		digests, _ := randomUniverse(n, 0)
		passed, err := passing(t.Context(), b, new(ribbon.Ribbon), clone(digests))
		require.NoError(t, err)
		require.True(t, slices.Equal(digests, passed), "every digest passes an empty filter")
		want := slices.DeleteFunc(clone(digests), func(d hashfam.Digest) bool { return !filter.Contains(d) })
		passed, err = passing(t.Context(), b, filter, clone(digests))
		require.NoError(t, err)
		require.True(t, slices.Equal(want, passed), "%d digests", n)
	}
}

// withProbe returns the digest whose probe sequence begins with p.
func withProbe(p uint64) hashfam.Digest {
	factor := uint64(hashfam.Digest(1).Probe())
	inverse := factor // Newton's iteration doubles the number of correct bits
	for range 6 {
		inverse *= 2 - factor*inverse
	}
	return hashfam.Digest(p * inverse)
}

// Digests that someone chose cost memory, but no answer is wrong and the build
// ends.
func TestChosenDigestsAreAnsweredRight(t *testing.T) {
	const n = 20_000
	require.EqualValues(t, 12345, withProbe(12345).Probe())
	for name, digest := range map[string]func(i uint64) hashfam.Digest{
		"consecutive":            func(i uint64) hashfam.Digest { return hashfam.Digest(i) },
		"one prefix":             func(i uint64) hashfam.Digest { return hashfam.Digest(0xabcdef0123<<24 | i) },
		"one prefix of starts":   func(i uint64) hashfam.Digest { return withProbe(0xabcdef0123<<24 | i) },
		"consecutive from zero":  withProbe,
		"high bits":              func(i uint64) hashfam.Digest { return hashfam.Digest(i << 40) },
		"high bits of the start": func(i uint64) hashfam.Digest { return withProbe(i << 40) },
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
			t.Logf("%s, ratio %d: %.2f bits per member", name, ratio, 8*float64(e.SizeBytes())/float64(len(members)))
			require.Less(t, e.SizeBytes(), uint64(8*n), name)
		}
	}
}

// A digest in both lists contradicts itself in every layer. The build would
// still end, with an error, if the check did not find it.
func TestABuildThatCannotSucceedEnds(t *testing.T) {
	both := []hashfam.Digest{7}
	e := &Exact{exactReader{params: ExactParams{Members: 1, Others: 1}}}
	err := e.fill(context.Background(), ribbon.Build{Workers: 1}, both, slices.Clone(both))
	require.ErrorIs(t, err, ribbon.ErrLayers)
	require.ErrorIs(t, buildError(err, 0), ErrParams)
}

// Equal digests are one key.
func TestEqualDigestsCountOnce(t *testing.T) {
	members := slices.Repeat([]hashfam.Digest{5}, 1<<16+1)
	others := slices.Repeat([]hashfam.Digest{6, 7}, 1<<16)
	e := mustExact(t, hashfam.Family{}, members, others)
	require.EqualValues(t, 1, e.Params().Members)
	require.EqualValues(t, 2, e.Params().Others)
	requireExact(t, "copies", e, members[:1], others[:2])
}
