package conformance

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// EmptyKey checks that the empty key can be added, as nil, too.
func (s Suite[T]) EmptyKey(t *rapid.T) {
	f := s.Fresh(t, drawFamily(t))
	require.NoError(t, s.Insert(f, nil))
	require.False(t, f.Equal(s.Like(f)), "the empty key was dropped")
	require.True(t, s.Has(f, []byte{}))
	require.True(t, s.HasString(f, ""))
}

// MergeIsJointBuild checks that a merged structure contains all keys of both
// and, if all insertions succeed, equals the one built from them.
func (s Suite[T]) MergeIsJointBuild(t *rapid.T) {
	if s.Merge == nil {
		return
	}
	a := s.Fresh(t, drawFamily(t))
	b, joint := s.Like(a), s.Like(a)
	keysA, keysB := drawKeys(t, "a"), drawKeys(t, "b")
	for _, c := range []struct {
		f    T
		keys [][]byte
	}{{a, keysA}, {b, keysB}, {joint, keysA}, {joint, keysB}} {
		if s.InsertAll(c.f, c.keys) != nil {
			return
		}
	}
	before := encode(t, b)
	if s.MergeReorders {
		if own, err := encode(t, a), s.Merge(a, b); err != nil {
			require.ErrorIs(t, err, fault.ErrFull)
			require.Equal(t, own, encode(t, a), "a failed merge changed the structure")
			return
		}
		s.requireSameCopies(t, a, joint, append(keysA, keysB...))
		require.Equal(t, before, encode(t, b), "merging changed the argument")
		return
	}
	require.NoError(t, s.Merge(a, b))
	if !s.MergeIsAnUpperBound {
		require.True(t, a.Equal(joint))
	}
	require.Equal(t, before, encode(t, b), "merging changed the argument")
	s.requireAll(t, a, append(keysA, keysB...))
}

// requireSameCopies checks that f has the same number of copies of each key as
// joint, which was built from the keys, and no other keys: deleting these
// leaves it empty.
func (s Suite[T]) requireSameCopies(t *rapid.T, f, joint T, keys [][]byte) {
	s.requireAll(t, f, keys)
	for _, k := range keys {
		require.Equal(t, s.Count(joint, k), s.Count(f, k), "copies of %x", k)
	}
	left := s.Clone(f)
	for _, k := range keys {
		require.True(t, s.Delete(left, k), "lost a copy of %x", k)
	}
	require.True(t, left.Equal(s.Like(f)), "the structure has other keys, too")
}

// Incompatible checks that structures that differ in one parameter are not
// equal, and that merging them fails and changes neither.
func (s Suite[T]) Incompatible(t *rapid.T) {
	f, in := s.filled(t, drawFamily(t))
	before := encode(t, f)
	for i, g := range s.Variants(s.Like(f)) {
		require.False(t, g.Equal(s.Like(f)), "variant %d", i)
		if s.Merge == nil {
			continue
		}
		s.InsertAll(g, in)
		other := encode(t, g)
		require.ErrorIs(t, s.Merge(f, g), hashfam.ErrIncompatible, "variant %d", i)
		require.Equal(t, before, encode(t, f), "a failed merge changed the structure")
		require.Equal(t, other, encode(t, g), "a failed merge changed the argument")
	}
}

// CloneAndReset checks that a clone shares no memory with the original, and
// that a structure after Reset equals a new one.
func (s Suite[T]) CloneAndReset(t *rapid.T) {
	f, in := s.filled(t, drawFamily(t))
	if s.Clone != nil {
		s.cloned(t, f, in)
	}
	if s.Reset != nil {
		s.Reset(f)
		require.True(t, f.Equal(s.Like(f)))
		require.Equal(t, encode(t, s.Like(f)), encode(t, f))
	}
}

// cloned checks that neither of f and its clone changes with the other.
func (s Suite[T]) cloned(t *rapid.T, f T, in [][]byte) {
	c := s.Clone(f)
	require.True(t, c.Equal(f))
	before := encode(t, f)
	change := func(f T) {
		for _, k := range drawKeys(t, "more") {
			s.Insert(f, k)
		}
		if s.Reset != nil {
			s.Reset(f)
		}
	}
	change(c)
	require.Equal(t, before, encode(t, f), "changing the clone changed the original")
	s.requireAll(t, f, in)
	original := s.Clone(f)
	change(f)
	require.Equal(t, before, encode(t, original), "changing the original changed the clone")
}
