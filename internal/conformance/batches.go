package conformance

import (
	"encoding/binary"
	"iter"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

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
	s.sameAnswers(t, bytes, fam, append(drawKeys(t, "queries"), keys...))
}

// numberedKeys draws up to 300 keys of 8 bytes, with repetitions.
func numberedKeys(t *rapid.T) [][]byte {
	keys := make([][]byte, rapid.IntRange(0, 300).Draw(t, "n"))
	for i := range keys {
		keys[i] = binary.LittleEndian.AppendUint64(nil, uint64(i)%251*0x9E3779B97F4A7C15)
	}
	return keys
}

// halfChanged returns keys that differ from the given ones in every second
// place.
func halfChanged(keys [][]byte) [][]byte {
	changed := make([][]byte, len(keys))
	for i, key := range keys {
		changed[i] = binary.LittleEndian.AppendUint64(nil, binary.LittleEndian.Uint64(key)+uint64(i%2))
	}
	return changed
}

func stringsOf(keys [][]byte) []string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = string(key)
	}
	return texts
}

// numbersOf returns the numbers that the keys of 8 bytes are.
func numbersOf(keys [][]byte) []uint64 {
	numbers := []uint64{}
	for _, key := range keys {
		if len(key) == 8 {
			numbers = append(numbers, binary.LittleEndian.Uint64(key))
		}
	}
	return numbers
}

// Batches checks that batches of every form and of any length equal single
// calls.
func (s Suite[T]) Batches(t *rapid.T) {
	fam := drawFamily(t)
	single, keys := s.Fresh(t, fam), numberedKeys(t)
	for _, key := range keys {
		if s.Insert(single, key) != nil {
			return
		}
	}
	texts, numbers, digests := stringsOf(keys), numbersOf(keys), fam.SumAll(nil, keys)
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
	s.sameAnswers(t, single, fam, halfChanged(keys))
}

// Queries checks that all forms of query give the same answers.
func (e Encoded[T]) Queries(t *rapid.T) {
	fam := drawFamily(t)
	f, in := e.filled(t, fam)
	e.sameAnswers(t, f, fam, append(append(drawKeys(t, "queries"), in...), numberedKeys(t)...))
}

// sameAnswers checks that all forms of query give the same answers, and that
// batches append theirs.
func (e Encoded[T]) sameAnswers(t require.TestingT, f T, fam hashfam.Family, keys [][]byte) {
	want := e.hasAll(t, f, keys)
	for i, k := range keys {
		require.Equal(t, want[i], e.Has(f, k))
		require.Equal(t, want[i], e.HasString(f, string(k)), "string form")
		require.Equal(t, want[i], e.HasDigest(f, fam.Sum(k)), "digest form")
	}
	want = append([]bool{true, false}, want...)
	if e.HasAllDigests != nil {
		require.Equal(t, want, e.HasAllDigests(f, []bool{true, false}, fam.SumAll(nil, keys)), "batch of digests")
	}
	if e.HasAllStrings != nil {
		require.Equal(t, want, e.HasAllStrings(f, []bool{true, false}, stringsOf(keys)), "batch of strings")
	}
	e.sameNumbers(t, f, numbersOf(keys))
}

// sameNumbers checks that a number is found if its 8 bytes are.
func (e Encoded[T]) sameNumbers(t require.TestingT, f T, numbers []uint64) {
	want := make([]bool, len(numbers))
	for i, n := range numbers {
		want[i] = e.Has(f, binary.LittleEndian.AppendUint64(nil, n))
	}
	if e.HasAllUint64 != nil {
		require.Equal(t, want, e.HasAllUint64(f, []bool{}, numbers), "batch of integers")
	}
	if e.HasUint64 != nil {
		for i, n := range numbers {
			require.Equal(t, want[i], e.HasUint64(f, n), "integer form")
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
