package merge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

var errs = &fault.Maker{Package: "pkg"}

func TestApartReplacesOnlyTheReceiver(t *testing.T) {
	mine, other := new(int), new(int)
	copies := 0
	clone := func(p *int) *int {
		copies++
		c := *p
		return &c
	}
	alone := []*int{other, other}
	require.Same(t, &alone[0], &Apart(mine, alone, clone)[0])
	require.Empty(t, Apart(mine, nil, clone))
	require.Zero(t, copies)

	list := []*int{mine, other, mine}
	got := Apart(mine, list, clone)
	require.Len(t, got, 3)
	require.Same(t, other, got[1])
	require.Same(t, got[0], got[2])
	require.NotSame(t, mine, got[0])
	require.Same(t, mine, list[0], "the caller's list does not change")
	require.Equal(t, 1, copies)
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

func TestMergeableNamesTheIndex(t *testing.T) {
	a, b := params{Hashes: 7}, params{Hashes: 8}
	same := func(p *params) params { return *p }
	require.NoError(t, Mergeable(errs, "Params", a, nil, same))
	require.NoError(t, Mergeable(errs, "Params", a, []*params{&a, &a}, same))
	require.EqualError(t, Mergeable(errs, "Params", a, []*params{&b}, same),
		"pkg: incompatible structures: Params.Hashes = 8, want 7")
	require.EqualError(t, Mergeable(errs, "Params", a, []*params{&a, &b}, same),
		"pkg: incompatible structures: others[1]: Params.Hashes = 8, want 7")
	require.EqualError(t, Mergeable(errs, "Params", a, []*params{&a, nil}, same),
		"pkg: incompatible structures: others[1] = nil, want a structure")
}
