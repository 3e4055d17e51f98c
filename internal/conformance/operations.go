package conformance

import (
	"bytes"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// The operations of programs.

// forms returns the forms in which the structure inserts keys.
func (r *Run[T]) forms() (forms, numbers []form) {
	forms, numbers = insertions(r.F, r.Family)
	one := func(key []byte) error { return r.suite.Insert(r.F, key) }
	text := func(key string) error { return r.suite.InsertString(r.F, key) }
	return append([]form{each(same, one), each(textOf, text)}, forms...), numbers
}

// add inserts keys in any form.
func (r *Run[T]) add() {
	keys := r.Keys()
	forms, numbers := r.forms()
	i := r.Intn(len(forms) + len(numbers))
	r.Note("add %d keys %.20x in form %d", len(keys), keys, i)
	n, err := pick(forms, numbers, i, keys)(keys)
	want, failed := r.insertTwin(keys)
	require.Equal(r, want, n, "insertions")
	require.Equal(r, failed, err)
}

// insertTwin adds keys to the twin until one fails.
func (r *Run[T]) insertTwin(keys [][]byte) (int, error) {
	for i, key := range keys {
		if err := r.suite.Insert(r.Twin, key); err != nil {
			r.failAgain(key)
			return i, err
		}
		r.Count(key, 1)
	}
	return len(keys), nil
}

// failAgain inserts a key once more that has just failed, which must fail again
// and change nothing.
func (r *Run[T]) failAgain(key []byte) {
	before := encode(r, r.Twin)
	require.Error(r, r.suite.Insert(r.Twin, key))
	require.Equal(r, before, encode(r, r.Twin), "a failed insertion changed the structure")
}

// hasOrInsert queries a key and inserts it in one call.
func (r *Run[T]) hasOrInsert() {
	key := r.Key()
	had := r.suite.Has(r.Twin, key)
	var found bool
	var err, want error
	switch i := r.Intn(4); {
	case i == 0:
		found, err = r.suite.HasOrInsert(r.F, key)
	case i == 1:
		found, err = r.suite.HasOrInsertString(r.F, string(key))
	case i == 2 && len(key) == 8 && r.suite.HasOrInsertUint64 != nil:
		found, err = r.suite.HasOrInsertUint64(r.F, numberOf(key))
	default:
		found, err = r.suite.HasOrInsertDigest(r.F, r.Family.Sum(key))
	}
	r.Note("query and add %x", key)
	if !had || r.suite.HasOrInsertAlways {
		_, want = r.insertTwin([][]byte{key})
	}
	require.Equal(r, had, found)
	require.Equal(r, want, err)
}

// members reads keys of which the structure has a copy each, and takes them out
// of Counts.
func (r *Run[T]) members() [][]byte {
	var keys [][]byte
	n := r.Intn(64)
	for range n {
		if len(r.Log) == 0 {
			break
		}
		if key := r.Log[r.Intn(len(r.Log))].Key; r.Counts[key] > 0 {
			r.Counts[key]--
			keys = append(keys, []byte(key))
		}
	}
	return keys
}

// delete deletes members in any form, and a key that is not found.
func (r *Run[T]) delete() {
	keys := r.members()
	absent := r.Key()
	forms, numbers := deletions(r.F, r.Family)
	forms = append([]form{eachDeleted(same, func(key []byte) bool { return r.suite.Delete(r.F, key) })}, forms...)
	i := r.Intn(len(forms) + len(numbers))
	r.Note("delete %d keys %.20x in form %d, and %x", len(keys), keys, i, absent)
	n, err := pick(forms, numbers, i, keys)(keys)
	require.NoError(r, err)
	require.Equal(r, len(keys), n, "deletions")
	for _, key := range keys {
		require.True(r, r.suite.Delete(r.Twin, key))
	}
	require.True(r, r.F.Equal(r.Twin), "the structure differs from its twin")
	if !r.suite.Has(r.F, absent) {
		n, err := pick(forms, numbers, i, [][]byte{absent})([][]byte{absent})
		require.NoError(r, err)
		require.Zero(r, n, "deleted an absent key")
	}
}

// query checks that all forms of query agree, and calls all reads.
func (r *Run[T]) query() {
	keys := r.Keys()
	r.Note("query %d keys %.20x", len(keys), keys)
	r.suite.sameAnswers(r, r.F, r.Family, keys)
	for i, counts := range countsOf(r.F, r.Family, keys) {
		for j, key := range keys {
			require.GreaterOrEqual(r, counts[j], min(r.Counts[string(key)], 15), "copies of %x", key)
		}
		require.Equal(r, countsOf(r.Twin, r.Family, keys)[0], counts, "counts in form %d", i)
	}
	r.suite.Reads(r.F)
}

// other returns a structure like F, and the keys that it contains.
func (r *Run[T]) other() (T, [][]byte) {
	f := r.suite.Like(r.F)
	var in [][]byte
	for _, key := range r.Keys() {
		if r.suite.Insert(f, key) == nil {
			in = append(in, key)
		}
	}
	return f, in
}

// merge merges another structure, or two at once.
func (r *Run[T]) merge() {
	a, keys := r.other()
	before, own := encode(r, a), encode(r, r.F)
	m, can := any(r.F).(interface{ MergeAll(...T) error })
	if !can || r.Bool() {
		r.Note("merge %d keys %.20x", len(keys), keys)
		err := r.suite.Merge(r.F, a)
		require.Equal(r, r.suite.Merge(r.Twin, a), err)
		r.merged(keys, err)
	} else {
		b, more := r.other()
		r.Note("merge %d keys %.20x and %d keys %.20x", len(keys), keys, len(more), more)
		err := m.MergeAll(a, b)
		if err == nil {
			if r.canonical() {
				require.NoError(r, r.suite.Merge(r.Twin, a))
				require.NoError(r, r.suite.Merge(r.Twin, b))
			} else {
				r.resync()
			}
		}
		r.merged(append(keys, more...), err)
	}
	if r.failed {
		require.Equal(r, own, encode(r, r.F), "a failed merge changed the structure")
	}
	require.Equal(r, before, encode(r, a), "merging changed the argument")
}

// merged notes the keys that were merged, or checks the error.
func (r *Run[T]) merged(keys [][]byte, err error) {
	if r.failed = err != nil; r.failed {
		require.ErrorIs(r, err, fault.ErrFull)
		return
	}
	for _, key := range keys {
		r.Count(key, 1)
	}
}

// resync makes the twin equal to the structure, after operations whose order
// decides about the place of keys.
func (r *Run[T]) resync() {
	b := encode(r, r.F)
	r.Twin = r.suite.Receiver(r.Family)
	require.NoError(r, r.Twin.UnmarshalBinary(b))
}

// mergeIncompatible merges a structure with another parameter, which must fail.
func (r *Run[T]) mergeIncompatible() {
	variants := r.suite.Variants(r.suite.Like(r.F))
	if len(variants) == 0 {
		return
	}
	v := variants[r.Intn(len(variants))]
	for _, key := range r.Keys() {
		r.suite.Insert(v, key)
	}
	r.Note("merge %v", v)
	require.ErrorIs(r, r.suite.Merge(r.F, v), hashfam.ErrIncompatible)
	if m, can := any(r.F).(interface{ MergeAll(...T) error }); can {
		a, _ := r.other()
		require.ErrorIs(r, m.MergeAll(a, v), hashfam.ErrIncompatible)
	}
}

// clone goes on with a clone. The original must not change any more.
func (r *Run[T]) clone() {
	r.Note("clone")
	r.leave(r.F)
	r.F = r.suite.Clone(r.F)
}

// leave notes a structure that must not change any more.
func (r *Run[T]) leave(f T) { r.aside = append(r.aside, aside[T]{f, encode(r, f)}) }

// reset removes all keys.
func (r *Run[T]) reset() {
	r.Note("reset")
	r.suite.Reset(r.F)
	r.suite.Reset(r.Twin)
	clear(r.Counts)
	r.Log, r.Exact, r.Timed, r.Now = nil, true, false, 0
	require.True(r, r.F.Equal(r.suite.Like(r.F)), "Reset left something")
}

// recode goes on with what is decoded from the structure. Sometimes the
// receiver is a structure in use.
func (r *Run[T]) recode() {
	g := r.suite.Receiver(r.Family)
	if r.Bool() && !r.suite.Programs.forged {
		g, _ = r.other()
	}
	form := r.Intn(recodings)
	r.Note("encode and decode in form %d", form)
	b := encode(r, r.F)
	require.Equal(r, encode(r, r.Twin), b)
	g = r.suite.recode(r, form, r.F, g, r.Family)
	r.leave(r.F)
	r.F = g
	require.Equal(r, b, encode(r, r.F), "decoded something else")
}

// failToDecode decodes what was cut off, begins with other bytes, or is of
// another family.
func (r *Run[T]) failToDecode() {
	b := encode(r, r.F)
	switch r.Intn(3) {
	case 0:
		b = b[:r.Intn(1<<16)%len(b)]
	case 1:
		b[r.Intn(4)] ^= 1 << r.Intn(8)
	case 2:
		b = encode(r, r.suite.example(r.Family.Derive("another")))
	}
	r.Note("fail to decode %d bytes", len(b))
	require.Error(r, r.F.UnmarshalBinary(b))
	_, err := r.F.ReadFrom(bytes.NewReader(b))
	require.Error(r, err)
}
