package conformance

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"sync"

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
	f, model := s.Fresh(t, fam), map[string]int{}
	key := drawKey()
	note := func(k string, err error, before []byte) {
		if err == nil {
			model[k]++
			return
		}
		require.Equal(t, before, encode(t, f), "a failed insertion changed the structure")
	}
	actions := map[string]func(*rapid.T){
		"insert": func(t *rapid.T) {
			k, before := key.Draw(t, "key"), encode(t, f)
			note(string(k), s.Insert(f, k), before)
		},
		"insert string": func(t *rapid.T) {
			k, before := string(key.Draw(t, "key")), encode(t, f)
			note(k, s.InsertString(f, k), before)
		},
		"insert all": func(t *rapid.T) {
			keys := drawKeys(t, "keys")
			if s.InsertAll(f, keys) == nil {
				for _, k := range keys {
					model[string(k)]++
				}
			}
		},
		"merge": func(t *rapid.T) {
			other, before := s.Like(f), encode(t, f)
			var in [][]byte
			for _, k := range drawKeys(t, "keys") {
				if s.Insert(other, k) == nil {
					in = append(in, k)
				}
			}
			if f.Merge(other) != nil {
				require.Equal(t, before, encode(t, f), "a failed merge changed the structure")
				return
			}
			for _, k := range in {
				model[string(k)]++
			}
		},
		"merge another family": func(t *rapid.T) {
			before := encode(t, f)
			require.ErrorIs(t, f.Merge(s.Fresh(t, fam.Derive("another"))), fault.ErrIncompatible)
			require.Equal(t, before, encode(t, f), "a failed merge changed the structure")
		},
		"merge other parameters": func(t *rapid.T) {
			before := encode(t, f)
			if err := f.Merge(s.Fresh(t, fam)); err != nil {
				require.ErrorIs(t, err, fault.ErrIncompatible)
			}
			require.Equal(t, before, encode(t, f), "merging an empty or incompatible structure changed the structure")
		},
		"clone": func(t *rapid.T) {
			original, before := f, encode(t, f)
			f = f.Clone()
			require.True(t, f.Equal(original), "a clone differs")
			k := key.Draw(t, "key")
			note(string(k), s.Insert(f, k), before)
			require.Equal(t, before, encode(t, original), "changing the clone changed the original")
		},
		"round trip": func(t *rapid.T) {
			b, err := f.AppendBinary(nil)
			require.NoError(t, err)
			f = s.Receiver(fam)
			require.NoError(t, f.UnmarshalBinary(b))
		},
		"stream": func(t *rapid.T) {
			var b bytes.Buffer
			_, err := f.WriteTo(&b)
			require.NoError(t, err)
			f = s.Receiver(fam)
			_, err = f.ReadFrom(&b)
			require.NoError(t, err)
		},
		"fail to decode": func(t *rapid.T) {
			before := encode(t, f)
			garbage := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "garbage")
			foreign := s.Fresh(t, fam.Derive("another"))
			for _, b := range [][]byte{before[:len(before)-1], garbage, encode(t, foreign)} {
				require.Error(t, f.UnmarshalBinary(b))
				_, err := f.ReadFrom(bytes.NewReader(b))
				require.Error(t, err)
				require.Equal(t, before, encode(t, f), "a failed decode changed the structure")
			}
		},
		"reset": func(t *rapid.T) {
			f.Reset()
			clear(model)
		},
		"": func(t *rapid.T) {
			keys := make([][]byte, 0, len(model))
			for k, n := range model {
				if n > 0 {
					keys = append(keys, []byte(k))
				}
			}
			s.requireAll(t, f, keys)
		},
	}
	if s.InsertDigest != nil {
		actions["insert digest"] = func(t *rapid.T) {
			k, before := key.Draw(t, "key"), encode(t, f)
			note(string(k), s.InsertDigest(f, fam.Sum(k)), before)
		}
	}
	if s.Delete != nil {
		actions["delete"] = func(t *rapid.T) {
			k := key.Draw(t, "key")
			if model[string(k)] > 0 {
				require.True(t, s.Delete(f, k))
				model[string(k)]--
			} else if !s.Has(f, k) {
				before := encode(t, f)
				require.False(t, s.Delete(f, k))
				require.Equal(t, before, encode(t, f), "deleting an absent key changed the structure")
			}
		}
	}
	t.Repeat(actions)
}

// KeyForms checks that a key is the same key as bytes, string and digest, alone
// and in batches.
func (s Suite[T]) KeyForms(t *rapid.T) {
	fam := drawFamily(t)
	bytes := s.Fresh(t, fam)
	text, digest, batch := s.Like(bytes), s.Like(bytes), s.Like(bytes)
	keys := drawKeys(t, "keys")
	for _, k := range keys {
		if s.Insert(bytes, k) != nil {
			return
		}
		require.NoError(t, s.InsertString(text, string(k)))
		if s.InsertDigest != nil {
			require.NoError(t, s.InsertDigest(digest, fam.Sum(k)))
		}
	}
	require.NoError(t, s.InsertAll(batch, keys))
	require.True(t, text.Equal(bytes), "string form")
	if s.InsertDigest != nil {
		require.True(t, digest.Equal(bytes), "digest form")
	}
	require.True(t, batch.Equal(bytes), "batch form")
	if s.InsertAllDigests != nil {
		digests := s.Like(bytes)
		require.NoError(t, s.InsertAllDigests(digests, fam.SumAll(nil, keys)))
		require.True(t, digests.Equal(bytes), "batch of digests")
	}

	queries := append(drawKeys(t, "queries"), keys...)
	for i, found := range s.hasAll(t, bytes, queries) {
		k := queries[i]
		require.Equal(t, found, s.Has(bytes, k))
		require.Equal(t, found, s.HasString(bytes, string(k)))
		require.Equal(t, found, s.HasDigest(bytes, fam.Sum(k)))
	}
	if s.HasAllDigests != nil {
		found := s.HasAllDigests(bytes, []bool{true, false}, fam.SumAll(nil, queries))
		require.Equal(t, []bool{true, false}, found[:2], "answers are appended")
		require.Equal(t, s.hasAll(t, bytes, queries), found[2:])
	}
}

// Batches checks that batches of every form and of any length equal single
// calls.
func (s Suite[T]) Batches(t *rapid.T) {
	fam := drawFamily(t)
	single := s.Fresh(t, fam)
	numbers := make([]uint64, rapid.IntRange(0, 300).Draw(t, "n"))
	keys, texts := make([][]byte, len(numbers)), make([]string, len(numbers))
	for i := range numbers {
		numbers[i] = uint64(i) % 251 * 0x9E3779B97F4A7C15
		keys[i] = binary.LittleEndian.AppendUint64(nil, numbers[i])
		texts[i] = string(keys[i])
		if s.Insert(single, keys[i]) != nil {
			return
		}
	}
	digests := fam.SumAll(nil, keys)
	check := func(form string, insert func(T) error) {
		batch := s.Like(single)
		require.NoError(t, insert(batch), form)
		require.True(t, batch.Equal(single), form)
	}
	check("bytes", func(f T) error { return s.InsertAll(f, keys) })
	if s.InsertAllDigests != nil {
		check("digests", func(f T) error { return s.InsertAllDigests(f, digests) })
	}
	if s.InsertAllStrings != nil {
		check("strings", func(f T) error { return s.InsertAllStrings(f, texts) })
	}
	if s.InsertAllUint64 != nil {
		check("integers", func(f T) error { return s.InsertAllUint64(f, numbers) })
	}
	if s.InsertSeq != nil {
		check("a sequence", func(f T) error { return s.InsertSeq(f, reused(keys)) })
	}
	if s.InsertUint64 != nil {
		check("single integers", func(f T) error {
			for _, n := range numbers {
				s.InsertUint64(f, n)
			}
			return nil
		})
	}
	for i := range numbers { // half of them were not inserted
		numbers[i] += uint64(i % 2)
		binary.LittleEndian.PutUint64(keys[i], numbers[i])
		texts[i] = string(keys[i])
	}
	s.sameAnswers(t, single, keys, texts, numbers, fam.SumAll(nil, keys))
}

// sameAnswers checks that all forms of query give the same answers.
func (s Suite[T]) sameAnswers(t *rapid.T, f T, keys [][]byte, texts []string, numbers []uint64, digests []hashfam.Digest) {
	want := make([]bool, len(keys))
	for i, key := range keys {
		want[i] = s.Has(f, key)
	}
	require.Equal(t, want, s.HasAll(f, []bool{}, keys))
	if s.HasAllDigests != nil {
		require.Equal(t, want, s.HasAllDigests(f, []bool{}, digests))
	}
	if s.HasAllStrings != nil {
		require.Equal(t, want, s.HasAllStrings(f, []bool{}, texts))
	}
	if s.HasAllUint64 != nil {
		require.Equal(t, want, s.HasAllUint64(f, []bool{}, numbers))
	}
	if s.HasUint64 != nil {
		for i, n := range numbers {
			require.Equal(t, want[i], s.HasUint64(f, n))
		}
	}
}

// reused yields all keys in the same buffer, like a scanner.
func reused(keys [][]byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var buf []byte
		for _, key := range keys {
			buf = append(buf[:0], key...)
			if !yield(buf) {
				return
			}
		}
		clear(buf)
	}
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
		if !had {
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
}

// EmptyKey checks that the empty key can be added, as nil, too.
func (s Suite[T]) EmptyKey(t *rapid.T) {
	f := s.Fresh(t, drawFamily(t))
	empty := f.Clone()
	require.NoError(t, s.Insert(f, nil))
	require.False(t, f.Equal(empty), "the empty key was dropped")
	require.True(t, s.Has(f, []byte{}))
	require.True(t, s.HasString(f, ""))
}

// MergeIsJointBuild checks that a merged structure contains all keys of both
// and, if all insertions succeed, equals the one built from them.
func (s Suite[T]) MergeIsJointBuild(t *rapid.T) {
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
		if own, err := encode(t, a), a.Merge(b); err != nil {
			require.ErrorIs(t, err, fault.ErrFull)
			require.Equal(t, own, encode(t, a), "a failed merge changed the structure")
			return
		}
		s.requireSameCopies(t, a, joint, append(keysA, keysB...))
		require.Equal(t, before, encode(t, b), "merging changed the argument")
		return
	}
	require.NoError(t, a.Merge(b))
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
	left := f.Clone()
	for _, k := range keys {
		require.True(t, s.Delete(left, k), "lost a copy of %x", k)
	}
	require.True(t, left.Equal(s.Like(f)), "the structure has other keys, too")
}

// Incompatible checks that structures that differ in one parameter are not
// equal, and that merging them fails and changes neither.
func (s Suite[T]) Incompatible(t *rapid.T) {
	f, in := s.filled(t)
	before := encode(t, f)
	for i, g := range s.Variants(s.Like(f)) {
		require.False(t, g.Equal(s.Like(f)), "variant %d", i)
		s.InsertAll(g, in)
		other := encode(t, g)
		require.ErrorIs(t, f.Merge(g), fault.ErrIncompatible, "variant %d", i)
		require.Equal(t, before, encode(t, f), "a failed merge changed the structure")
		require.Equal(t, other, encode(t, g), "a failed merge changed the argument")
	}
}

// CloneAndReset checks that a clone shares no memory with the original, and
// that a structure after Reset equals a new one.
func (s Suite[T]) CloneAndReset(t *rapid.T) {
	f, in := s.filled(t)
	c := f.Clone()
	require.True(t, c.Equal(f))
	before := encode(t, f)
	for _, k := range drawKeys(t, "more") {
		s.Insert(c, k)
	}
	c.Reset()
	require.Equal(t, before, encode(t, f), "changing the clone changed the original")
	s.requireAll(t, f, in)
	c = f.Clone()
	f.Reset()
	require.Equal(t, before, encode(t, c), "changing the original changed the clone")
	c.Reset()
	require.True(t, f.Equal(s.Like(f)))
	require.True(t, f.Equal(c))
}

// PureReads runs all reads in several goroutines at the same time. The race
// detector finds a read that writes; so does a comparison of the encodings if
// the detector is off.
func (s Suite[T]) PureReads(t *rapid.T) {
	f, in := s.filled(t)
	before, empty := encode(t, f), s.Like(f)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, k := range in {
				s.Has(f, k)
				s.HasString(f, string(k))
				s.HasDigest(f, hashfam.Digest(len(k)))
			}
			s.HasAll(f, nil, in)
			s.Reads(f)
			f.Equal(f.Clone())
			f.MarshalBinary()
			f.WriteTo(io.Discard)
			empty.Clone().Merge(f)
		})
	}
	wg.Wait()
	require.Equal(t, before, encode(t, f), "a read changed the structure")
}
