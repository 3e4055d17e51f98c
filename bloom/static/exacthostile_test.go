package static

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

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
	e := &Exact{params: ExactParams{Members: 1, Others: 1}}
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

func TestInvalidExactConfigs(t *testing.T) {
	for _, build := range []func(c ExactConfig) (*Exact, error){
		func(c ExactConfig) (*Exact, error) { return NewExact(c, nil, nil) },
		func(c ExactConfig) (*Exact, error) { return NewExactFromDigests(c, nil, nil) },
	} {
		_, err := build(ExactConfig{Workers: -1})
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, "ExactConfig.Workers = -1")
	}
}

func TestZeroExacts(t *testing.T) {
	var e Exact
	require.True(t, e.ContainsString("any"), "like the zero Filter")
	require.Equal(t, []bool{true}, e.ContainsAllDigests(nil, []hashfam.Digest{1}))
	_, err := e.MarshalBinary()
	require.ErrorIs(t, err, ErrParams)
	require.ErrorIs(t, (*ExactView)(nil).Verify(), ErrParams)
	require.ErrorIs(t, new(ExactView).Verify(), ErrParams)
	_, err = new(ExactView).Decode()
	require.ErrorIs(t, err, ErrParams)
	_, err = new(ExactView).MarshalJSON()
	require.ErrorIs(t, err, ErrParams)
}
