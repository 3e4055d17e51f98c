package merge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
