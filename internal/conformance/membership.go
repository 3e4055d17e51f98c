package conformance

import (
	"bytes"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// Membership applies any sequence of operations to a structure and to a
// multiset of its keys. After each operation the structure must contain all
// these keys.
func (s Suite[T]) Membership(t *rapid.T) {
	fam := drawFamily(t)
	r := &schedule[T]{s, fam, s.Fresh(t, fam), map[string]int{}}
	actions := map[string]func(*rapid.T){
		"insert":         r.insert,
		"insert string":  r.insertString,
		"insert all":     r.insertAll,
		"round trip":     r.roundTrip,
		"stream":         r.stream,
		"fail to decode": r.failToDecode,
		"":               r.check,
	}
	if s.Merge != nil {
		actions["merge"] = r.merge
		actions["merge another family"] = r.mergeAnotherFamily
		actions["merge other params"] = r.mergeOtherParams
	}
	if s.Clone != nil {
		actions["clone"] = r.clone
	}
	if s.Reset != nil {
		actions["reset"] = func(*rapid.T) { s.Reset(r.f); clear(r.model) }
	}
	if s.InsertDigest != nil {
		actions["insert digest"] = r.insertDigest
	}
	if s.Delete != nil {
		actions["delete"] = r.delete
	}
	t.Repeat(actions)
}

// A schedule is a structure under test, and the copies of each key that it must
// hold.
type schedule[T Structure[T]] struct {
	s     Suite[T]
	fam   hashfam.Family
	f     T
	model map[string]int
}

// note counts an insertion, or checks that a failed one changed nothing.
func (r *schedule[T]) note(t *rapid.T, k string, err error, before []byte) {
	if err == nil {
		r.model[k]++
		return
	}
	require.Equal(t, before, encode(t, r.f), "a failed insertion changed the structure")
}

func (r *schedule[T]) insert(t *rapid.T) {
	k, before := drawKey().Draw(t, "key"), encode(t, r.f)
	r.note(t, string(k), r.s.Insert(r.f, k), before)
}

func (r *schedule[T]) insertString(t *rapid.T) {
	k, before := string(drawKey().Draw(t, "key")), encode(t, r.f)
	r.note(t, k, r.s.InsertString(r.f, k), before)
}

func (r *schedule[T]) insertDigest(t *rapid.T) {
	k, before := drawKey().Draw(t, "key"), encode(t, r.f)
	r.note(t, string(k), r.s.InsertDigest(r.f, r.fam.Sum(k)), before)
}

func (r *schedule[T]) insertAll(t *rapid.T) {
	keys := drawKeys(t, "keys")
	if r.s.InsertAll(r.f, keys) == nil {
		for _, k := range keys {
			r.model[string(k)]++
		}
	}
}

func (r *schedule[T]) delete(t *rapid.T) {
	k := drawKey().Draw(t, "key")
	if r.model[string(k)] > 0 {
		require.True(t, r.s.Delete(r.f, k))
		r.model[string(k)]--
	} else if !r.s.Has(r.f, k) {
		before := encode(t, r.f)
		require.False(t, r.s.Delete(r.f, k))
		require.Equal(t, before, encode(t, r.f), "deleting an absent key changed the structure")
	}
}

func (r *schedule[T]) merge(t *rapid.T) {
	other, before := r.s.Like(r.f), encode(t, r.f)
	var in [][]byte
	for _, k := range drawKeys(t, "keys") {
		if r.s.Insert(other, k) == nil {
			in = append(in, k)
		}
	}
	if r.s.Merge(r.f, other) != nil {
		require.Equal(t, before, encode(t, r.f), "a failed merge changed the structure")
		return
	}
	for _, k := range in {
		r.model[string(k)]++
	}
}

func (r *schedule[T]) mergeAnotherFamily(t *rapid.T) {
	before := encode(t, r.f)
	require.ErrorIs(t, r.s.Merge(r.f, r.s.Fresh(t, r.fam.Derive("another"))), fault.ErrIncompatible)
	require.Equal(t, before, encode(t, r.f), "a failed merge changed the structure")
}

func (r *schedule[T]) mergeOtherParams(t *rapid.T) {
	before := encode(t, r.f)
	if err := r.s.Merge(r.f, r.s.Fresh(t, r.fam)); err != nil {
		require.ErrorIs(t, err, fault.ErrIncompatible)
	}
	require.Equal(t, before, encode(t, r.f), "merging an empty or incompatible structure changed the structure")
}

func (r *schedule[T]) clone(t *rapid.T) {
	original, before := r.f, encode(t, r.f)
	r.f = r.s.Clone(r.f)
	require.True(t, r.f.Equal(original), "a clone differs")
	k := drawKey().Draw(t, "key")
	r.note(t, string(k), r.s.Insert(r.f, k), before)
	require.Equal(t, before, encode(t, original), "changing the clone changed the original")
}

func (r *schedule[T]) roundTrip(t *rapid.T) {
	b, err := r.f.AppendBinary(nil)
	require.NoError(t, err)
	r.f = r.s.Receiver(r.fam)
	require.NoError(t, r.f.UnmarshalBinary(b))
}

func (r *schedule[T]) stream(t *rapid.T) {
	var b bytes.Buffer
	_, err := r.f.WriteTo(&b)
	require.NoError(t, err)
	r.f = r.s.Receiver(r.fam)
	_, err = r.f.ReadFrom(&b)
	require.NoError(t, err)
}

func (r *schedule[T]) failToDecode(t *rapid.T) {
	before := encode(t, r.f)
	garbage := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "garbage")
	foreign := r.s.Fresh(t, r.fam.Derive("another"))
	for _, b := range [][]byte{before[:len(before)-1], garbage, encode(t, foreign)} {
		require.Error(t, r.f.UnmarshalBinary(b))
		_, err := r.f.ReadFrom(bytes.NewReader(b))
		require.Error(t, err)
		require.Equal(t, before, encode(t, r.f), "a failed decode changed the structure")
	}
}

// check checks that no key is missing.
func (r *schedule[T]) check(t *rapid.T) {
	keys := make([][]byte, 0, len(r.model))
	for k, n := range r.model {
		if n > 0 {
			keys = append(keys, []byte(k))
		}
	}
	r.s.requireAll(t, r.f, keys)
}

// HasOrInserts checks that query and insertion in one call return the answer of
// the query, insert the key if it is absent, and change nothing if it is found.
func (s Suite[T]) HasOrInserts(t *rapid.T) {
	if s.HasOrInsert == nil {
		return
	}
	fam := drawFamily(t)
	plain := s.Fresh(t, fam)
	f, text, digest := s.Like(plain), s.Like(plain), s.Like(plain)
	for _, k := range drawKeys(t, "keys") {
		had := s.Has(plain, k)
		var want error
		if !had || s.HasOrInsertAlways {
			want = s.Insert(plain, k)
		}
		check := func(form string, g T, found bool, err error) {
			require.Equal(t, had, found, form)
			require.Equal(t, want, err, form)
			require.True(t, g.Equal(plain), form)
		}
		found, err := s.HasOrInsert(f, k)
		check("byte form", f, found, err)
		found, err = s.HasOrInsertString(text, string(k))
		check("string form", text, found, err)
		found, err = s.HasOrInsertDigest(digest, fam.Sum(k))
		check("digest form", digest, found, err)
	}
	if s.HasOrInsertUint64 != nil {
		key := rapid.Uint64().Draw(t, "integer")
		want, wantErr := s.HasOrInsertDigest(plain, fam.SumUint64(key))
		found, err := s.HasOrInsertUint64(f, key)
		require.Equal(t, want, found, "integer form")
		require.Equal(t, wantErr, err, "integer form")
		require.True(t, f.Equal(plain), "integer form")
	}
}
