package static

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A key in both lists has no right answer. Without the check the equations of
// the two copies would contradict each other in every layer.
func TestAKeyInBothListsIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := distinctKeys(rapid.IntRange(1, 50).Draw(t, "members"), "secret m")
		others := distinctKeys(rapid.IntRange(1, 50).Draw(t, "others"), "secret o")
		i := rapid.IntRange(0, len(others)-1).Draw(t, "i")
		j := rapid.IntRange(0, len(members)-1).Draw(t, "j")
		for _, later := range []int{i, len(others) - 1} { // the first one is named
			others[later] = members[j]
		}
		_, err := NewExact(ExactConfig{}, members, others)
		require.ErrorIs(t, err, ErrParams)
		var field *FieldError
		require.True(t, errors.As(err, &field))
		require.Equal(t, fmt.Sprintf("others[%d]", i), field.Field)
		require.Equal(t, fmt.Sprintf("members[%d]", j), field.Value)
		require.Equal(t, "no key of members", field.Allowed)
		require.NotContains(t, err.Error(), "secret", "keys may be secret")
	})
}

// A digest in both lists, of two different keys or of one: a caller that has
// digests gets no index, since the lists have been sorted.
func TestADigestInBothListsIsAnError(t *testing.T) {
	members, others := randomUniverse(10, 1000)
	others[7] = members[3]
	_, err := NewExactFromDigests(ExactConfig{}, members, others)
	require.ErrorIs(t, err, ErrParams)
	require.EqualError(t, err, "static: invalid parameters: others = a digest of members, want digests that are not in members")
}

func TestDifferentKeysWithOneDigestAskForAnotherFamily(t *testing.T) {
	err := overlap([][]byte{[]byte("a"), []byte("b")}, [][]byte{[]byte("c"), []byte("d")}, []hashfam.Digest{2}, func(key []byte) hashfam.Digest {
		return map[string]hashfam.Digest{"a": 1, "b": 2, "c": 3, "d": 2}[string(key)]
	})
	require.ErrorIs(t, err, ErrParams)
	require.EqualError(t, err, "static: invalid parameters: others[1] = a different key with the digest of members[1], want another ExactConfig.Family")
}

// distinctKeys returns n keys that begin with the prefix.
func distinctKeys(n int, prefix string) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Append(nil, prefix, i)
	}
	return keys
}
