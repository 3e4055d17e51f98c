package old

import (
	"bytes"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/fault"
)

// operations returns all operations that the structure has, some of them twice.
func (r *Run[T]) operations() []func() {
	ops := []func(){r.query, r.recode}
	if len(forms(r.F, insertions...)) > 0 {
		ops = append(ops, r.add, r.add)
	}
	if len(forms(r.F, finders...)) > 0 {
		ops = append(ops, r.findOrAdd)
	}
	if r.deletes() {
		ops = append(ops, r.delete, r.delete)
	}
	if _, can := any(r.F).(cloner[T]); can {
		ops = append(ops, r.clone)
	}
	if r.suite.forged {
		return ops
	}
	ops = append(ops, r.failToDecode)
	if _, can := any(r.F).(merger[T]); can {
		ops = append(ops, r.merge)
	}
	if _, can := any(r.F).(resetter); can {
		ops = append(ops, r.reset)
	}
	for _, op := range r.suite.More {
		ops = append(ops, func() { op(r) })
	}
	return ops
}

// form reads which form of some methods to use, and notes it.
func (r *Run[T]) form(methods []string, keys ...[]byte) form {
	all := forms(r.F, methods...)
	form := all[r.Intn(len(all))]
	r.Note("%s %d keys %.20x", form.name, len(keys), keys)
	return form
}

// add inserts keys in any form.
func (r *Run[T]) add() {
	keys := r.Keys()
	n, err := r.form(insertions, keys...).do(keys...)
	want, failed := r.addTwin(keys...)
	require.Equal(r, want, n, "insertions")
	require.Equal(r, failed, err)
}

// addTwin adds keys to the twin until one fails, which must fail again and
// change nothing.
func (r *Run[T]) addTwin(keys ...[]byte) (int, error) {
	n, err := insert(r.Twin, keys...)
	for _, key := range keys[:n] {
		r.Count(key, 1)
	}
	if err != nil {
		before := encode(r, r.Twin)
		_, again := insert(r.Twin, keys[n])
		require.Error(r, again)
		require.Equal(r, before, encode(r, r.Twin), "a failed insertion changed the structure")
	}
	return n, err
}

// findOrAdd queries keys and adds those that are absent, in one call for each.
func (r *Run[T]) findOrAdd() {
	all := forms(r.F, finders...)
	form, keys, has := all[r.Intn(len(all))], r.Keys(), r.suite.has(r.Twin)
	r.Note("%s %d keys %.20x", form.name, len(keys), keys)
	found, err := form.do(keys...)
	had := 0
	var want error
	for i := 0; i < len(keys) && want == nil; i++ {
		if has(keys[i]) {
			had++
		} else {
			_, want = r.addTwin(keys[i])
		}
	}
	require.Equal(r, had, found, "keys found")
	require.Equal(r, want, err)
}

// members reads keys of which the structure has a copy each, and takes them out
// of Counts.
func (r *Run[T]) members() (keys [][]byte) {
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
	keys, absent := r.members(), r.Key()
	form := r.form(deletions, append(keys[:len(keys):len(keys)], absent)...)
	n, err := form.do(keys...)
	require.NoError(r, err)
	require.Equal(r, len(keys), n, "deletions")
	n, _ = forms(r.Twin, deletions...)[0].do(keys...)
	require.Equal(r, len(keys), n, "deletions from the twin")
	require.True(r, r.F.Equal(r.Twin), "the structure differs from its twin")
	if !r.suite.has(r.F)(absent) {
		n, err := form.do(absent)
		require.NoError(r, err)
		require.Zero(r, n, "deleted an absent key")
	}
}

// query checks that all forms of query agree, and calls all reads.
func (r *Run[T]) query() {
	keys := r.Keys()
	r.Note("query %d keys %.20x", len(keys), keys)
	require.Equal(r, ask(r, r.suite.questions(r.Twin), keys), ask(r, r.suite.questions(r.F), keys))
	for _, read := range r.suite.reads(r.F) {
		read.call()
	}
}

// other returns a structure like F, and the keys that it contains.
func (r *Run[T]) other() (T, [][]byte) {
	f := r.suite.Source.Like(r.F)
	return f, fillUp(f, r.Keys())
}

// merge merges up to two other structures.
func (r *Run[T]) merge() {
	var others []T
	var keys, before [][]byte
	for range r.Intn(3) {
		f, in := r.other()
		others, keys, before = append(others, f), append(keys, in...), append(before, encode(r, f))
	}
	own := encode(r, r.F)
	r.Note("merge %d structures with %d keys %.20x", len(others), len(keys), keys)
	err := any(r.F).(merger[T]).Merge(others...)
	for i, f := range others {
		require.Equal(r, before[i], encode(r, f), "merging changed the argument")
	}
	if err != nil {
		require.ErrorIs(r, err, fault.ErrFull)
		require.Equal(r, own, encode(r, r.F), "a failed merge changed the structure")
		return
	}
	for _, key := range keys {
		r.Count(key, 1)
	}
	if len(others) > 1 && !r.canonical() {
		r.resync()
		return
	}
	for _, f := range others { // one by one
		require.NoError(r, any(r.Twin).(merger[T]).Merge(f))
	}
}

// resync makes the twin equal to the structure, after operations whose order
// decides about the place of keys.
func (r *Run[T]) resync() {
	r.Twin = r.suite.Receiver(r.Family)
	require.NoError(r, r.Twin.UnmarshalBinary(encode(r, r.F)))
}

// clone goes on with a clone. The original must not change any more.
func (r *Run[T]) clone() {
	r.Note("clone")
	r.leave(r.F)
	r.F = any(r.F).(cloner[T]).Clone()
}

// leave leaves a structure behind. It must not change any more.
func (r *Run[T]) leave(f T) {
	b := encode(r, f)
	r.aside = append(r.aside, func() { require.Equal(r, b, encode(r, f), "a structure that was left behind has changed") })
}

// reset removes all keys.
func (r *Run[T]) reset() {
	r.Note("reset")
	any(r.F).(resetter).Reset()
	any(r.Twin).(resetter).Reset()
	clear(r.Counts)
	r.Log, r.Exact, r.Timed, r.Now = nil, true, false, 0
	require.True(r, r.F.Equal(r.suite.Source.Like(r.F)), "Reset left something")
}

// recode goes on with what is decoded from the structure. Sometimes the
// receiver is a structure in use.
func (r *Run[T]) recode() {
	g := r.suite.Receiver(r.Family)
	if r.Bool() && r.suite.Builders == nil && !r.suite.forged {
		g, _ = r.other()
	}
	way := r.Intn(recodings)
	r.Note("encode and decode in way %d", way)
	b := encode(r, r.F)
	require.Equal(r, encode(r, r.Twin), b)
	g = r.suite.recode(r, way, r.F, g)
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
	require.Error(r, readFrom(r.F, bytes.NewReader(b)))
}
