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
	r := &run[T]{s, fam, s.Fresh(t, fam), map[string]int{}}
	actions := map[string]func(*rapid.T){
		"insert":               r.insert,
		"insert string":        r.insertString,
		"insert all":           r.insertAll,
		"merge":                r.merge,
		"merge another family": r.mergeAnotherFamily,
		"merge other params":   r.mergeOtherParams,
		"clone":                r.clone,
		"round trip":           r.roundTrip,
		"stream":               r.stream,
		"fail to decode":       r.failToDecode,
		"reset":                func(*rapid.T) { r.f.Reset(); clear(r.model) },
		"":                     r.check,
	}
	if s.InsertDigest != nil {
		actions["insert digest"] = r.insertDigest
	}
	if s.Delete != nil {
		actions["delete"] = r.delete
	}
	t.Repeat(actions)
}

// A run is a structure under test, and the copies of each key that it must
// hold.
type run[T Structure[T]] struct {
	s     Suite[T]
	fam   hashfam.Family
	f     T
	model map[string]int
}

// note counts an insertion, or checks that a failed one changed nothing.
func (r *run[T]) note(t *rapid.T, k string, err error, before []byte) {
	if err == nil {
		r.model[k]++
		return
	}
	require.Equal(t, before, encode(t, r.f), "a failed insertion changed the structure")
}

func (r *run[T]) insert(t *rapid.T) {
	k, before := drawKey().Draw(t, "key"), encode(t, r.f)
	r.note(t, string(k), r.s.Insert(r.f, k), before)
}

func (r *run[T]) insertString(t *rapid.T) {
	k, before := string(drawKey().Draw(t, "key")), encode(t, r.f)
	r.note(t, k, r.s.InsertString(r.f, k), before)
}

func (r *run[T]) insertDigest(t *rapid.T) {
	k, before := drawKey().Draw(t, "key"), encode(t, r.f)
	r.note(t, string(k), r.s.InsertDigest(r.f, r.fam.Sum(k)), before)
}

func (r *run[T]) insertAll(t *rapid.T) {
	keys := drawKeys(t, "keys")
	if r.s.InsertAll(r.f, keys) == nil {
		for _, k := range keys {
			r.model[string(k)]++
		}
	}
}

func (r *run[T]) delete(t *rapid.T) {
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

func (r *run[T]) merge(t *rapid.T) {
	other, before := r.s.Like(r.f), encode(t, r.f)
	var in [][]byte
	for _, k := range drawKeys(t, "keys") {
		if r.s.Insert(other, k) == nil {
			in = append(in, k)
		}
	}
	if r.f.Merge(other) != nil {
		require.Equal(t, before, encode(t, r.f), "a failed merge changed the structure")
		return
	}
	for _, k := range in {
		r.model[string(k)]++
	}
}

func (r *run[T]) mergeAnotherFamily(t *rapid.T) {
	before := encode(t, r.f)
	require.ErrorIs(t, r.f.Merge(r.s.Fresh(t, r.fam.Derive("another"))), fault.ErrIncompatible)
	require.Equal(t, before, encode(t, r.f), "a failed merge changed the structure")
}

func (r *run[T]) mergeOtherParams(t *rapid.T) {
	before := encode(t, r.f)
	if err := r.f.Merge(r.s.Fresh(t, r.fam)); err != nil {
		require.ErrorIs(t, err, fault.ErrIncompatible)
	}
	require.Equal(t, before, encode(t, r.f), "merging an empty or incompatible structure changed the structure")
}

func (r *run[T]) clone(t *rapid.T) {
	original, before := r.f, encode(t, r.f)
	r.f = r.f.Clone()
	require.True(t, r.f.Equal(original), "a clone differs")
	k := drawKey().Draw(t, "key")
	r.note(t, string(k), r.s.Insert(r.f, k), before)
	require.Equal(t, before, encode(t, original), "changing the clone changed the original")
}

func (r *run[T]) roundTrip(t *rapid.T) {
	b, err := r.f.AppendBinary(nil)
	require.NoError(t, err)
	r.f = r.s.Receiver(r.fam)
	require.NoError(t, r.f.UnmarshalBinary(b))
}

func (r *run[T]) stream(t *rapid.T) {
	var b bytes.Buffer
	_, err := r.f.WriteTo(&b)
	require.NoError(t, err)
	r.f = r.s.Receiver(r.fam)
	_, err = r.f.ReadFrom(&b)
	require.NoError(t, err)
}

func (r *run[T]) failToDecode(t *rapid.T) {
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
func (r *run[T]) check(t *rapid.T) {
	keys := make([][]byte, 0, len(r.model))
	for k, n := range r.model {
		if n > 0 {
			keys = append(keys, []byte(k))
		}
	}
	r.s.requireAll(t, r.f, keys)
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
