package measure

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAKeySetKeepsOneOfEachKey(t *testing.T) {
	set, want := newKeySet(), map[string]bool{}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		key := fmt.Append(nil, random.IntN(50_000))
		require.Equal(t, want[string(key)], set.has(key))
		require.Equal(t, !want[string(key)], set.add(key))
		want[string(key)] = true
	}
	require.Equal(t, len(want), set.Len())
}

func TestKeysCannotGrowIntoTheirNeighbor(t *testing.T) {
	var l Keys
	l.add([]byte("a"))
	l.add([]byte("b"))
	_ = append(l.At(0), 'X')
	assert.Equal(t, []string{"a", "b"}, list(&l))
}
