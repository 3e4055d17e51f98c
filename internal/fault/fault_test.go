package fault

import (
	"cmp"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

var errs = &Maker{Package: "pkg"}

// A rate is a number between 0 and 1, and above capacity/2^64: that is the
// chance that a key has the digest of a member.
func TestRatesThatDigestsCanHave(t *testing.T) {
	require.NoError(t, errs.Rate(math.SmallestNonzeroFloat64, 0))
	require.NoError(t, errs.Rate(math.Nextafter(1, 0), 1000))
	require.NoError(t, errs.Rate(math.Nextafter(0x1p-20, 1), 1<<44))
	for _, rate := range []float64{0, -0.5, 1, 1.5, math.NaN(), math.Inf(1)} {
		err := errs.Rate(rate, 1)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.ErrorContains(t, err, "want above 0 and below 1", "%v", rate)
	}
	err := errs.Rate(0x1p-20, 1<<44)
	require.ErrorIs(t, err, hashfam.ErrParams)
	require.EqualError(t, err, "pkg: invalid parameters: Config.FPRate = 9.5367431640625e-07, "+
		"want above Capacity/2^64 = 9.54e-07, the floor of 64-bit digests")
}

type params struct {
	Bits   uint64
	Hashes int
	Phi    float64
	secret int
}

func TestSameNamesTheFirstFieldThatDiffers(t *testing.T) {
	p := params{100, 7, 0.5, 1}
	require.NoError(t, Same(errs, "", "Params", p, p))
	for other, want := range map[params]string{
		{101, 7, 0.5, 1}: "Params.Bits = 101, want 100",
		{101, 8, 0.5, 1}: "Params.Bits = 101, want 100",
		{100, 8, 0.5, 1}: "Params.Hashes = 8, want 7",
		{100, 7, 0.5, 2}: "Params = {100 7 0.5 2}, want {100 7 0.5 1}",
	} {
		err := Same(errs, "", "Params", p, other)
		require.ErrorIs(t, err, hashfam.ErrIncompatible)
		require.EqualError(t, err, "pkg: incompatible structures: "+want)
	}
	p.Phi = math.NaN()
	require.ErrorContains(t, Same(errs, "", "Params", p, p), "Params.Phi = NaN, want NaN")
}

func TestMergeableNamesThePlace(t *testing.T) {
	a, b := params{Hashes: 7}, params{Hashes: 8}
	same := func(p params) params { return p }
	require.NoError(t, Mergeable(errs, "Params", a, nil, same))
	require.NoError(t, Mergeable(errs, "Params", a, []params{a, a}, same))
	require.EqualError(t, Mergeable(errs, "Params", a, []params{b}, same),
		"pkg: incompatible structures: Params.Hashes = 8, want 7")
	require.EqualError(t, Mergeable(errs, "Params", a, []params{a, b}, same),
		"pkg: incompatible structures: others[1]: Params.Hashes = 8, want 7")
}

func TestErrorsWithoutAField(t *testing.T) {
	err := errs.Errorf("reading: %w", ErrFull)
	require.ErrorIs(t, err, ErrFull)
	require.EqualError(t, err, "pkg: reading: filter is full")
	require.EqualError(t, errs.Nil(), "pkg: invalid parameters: receiver = nil, want a pointer to a structure")
}

func TestEachNamesTheFirstThatIsRejected(t *testing.T) {
	small := func(place string, n int) error {
		switch {
		case n < 0:
			return errs.Field(hashfam.ErrIncompatible, cmp.Or(place, "other"), "negative", "a number")
		case n == 0:
			return errs.Zero(hashfam.ErrParams, "receiver", "Filter", "New")
		}
		return Same(errs, place, "Params", params{Hashes: 7}, params{Hashes: 7, Bits: uint64(n / 100)})
	}
	require.NoError(t, Each([]int{1, 99}, small))
	require.NoError(t, Each(nil, small))
	for _, c := range []struct {
		err    error
		reason error
		want   string
	}{
		{Each([]int{1, 2, 300, 400}, small), hashfam.ErrIncompatible, "others[2]: Params.Bits = 3, want 0"},
		{Each([]int{1, -1, 300}, small), hashfam.ErrIncompatible, "others[1] = negative, want a number"},
		{Each([]int{0}, small), hashfam.ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{small("", 300), hashfam.ErrIncompatible, "Params.Bits = 3, want 0"},
		{small("", -1), hashfam.ErrIncompatible, "other = negative, want a number"},
	} {
		require.ErrorIs(t, c.err, c.reason)
		require.EqualError(t, c.err, "pkg: "+c.reason.Error()+": "+c.want)
	}
}

// Two structures that are nil or zero, or differ, are told apart; two zero ones
// are alike.
func TestAKindSaysWhatCannotBeMerged(t *testing.T) {
	kind := Kind[params, params]{
		Errs: errs, Name: "Filter", One: "a filter", Constructor: "New", Params: "Params",
		Of: func(p *params) (params, bool) { return *p, p.Bits == 0 },
	}
	f, g, zero := &params{Bits: 8, Hashes: 1}, &params{Bits: 8, Hashes: 2}, new(params)
	require.NoError(t, kind.Compatible("", f, f))
	require.NoError(t, kind.Compatible("", zero, new(params)))
	require.NoError(t, kind.Whole(hashfam.ErrParams, "f", f))
	for _, c := range []struct {
		err    error
		reason error
		want   string
	}{
		{kind.Compatible("", nil, f), hashfam.ErrParams, "receiver = nil, want a pointer to a structure"},
		{kind.Compatible("", zero, nil), hashfam.ErrIncompatible, "other = nil, want a filter"},
		{kind.Compatible("others[1]", f, nil), hashfam.ErrIncompatible, "others[1] = nil, want a filter"},
		{kind.Compatible("others[1]", zero, f), hashfam.ErrParams, "receiver = a zero Filter, want one made by New or by decoding"},
		{kind.Compatible("others[1]", f, zero), hashfam.ErrIncompatible, "others[1] = a zero Filter, want one made by New or by decoding"},
		{kind.Compatible("others[1]", f, g), hashfam.ErrIncompatible, "others[1]: Params.Hashes = 2, want 1"},
		{kind.Whole(hashfam.ErrParams, "shards[0]", nil), hashfam.ErrParams, "shards[0] = nil, want a filter"},
		{kind.Whole(hashfam.ErrParams, "shards[0]", zero), hashfam.ErrParams, "shards[0] = a zero Filter, want one made by New or by decoding"},
	} {
		require.ErrorIs(t, c.err, c.reason)
		require.EqualError(t, c.err, "pkg: "+c.reason.Error()+": "+c.want)
	}
}
