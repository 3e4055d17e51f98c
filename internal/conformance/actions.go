package conformance

import (
	"bytes"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// actions returns the actions that the structure has, by their names.
func (m *Machine[S]) actions() map[string]func() {
	s, actions := m.s, map[string]func(){"all forms agree": m.allFormsAgree, "encode and decode": m.recode}
	has := func(can bool, name string, do func()) {
		if can {
			actions[name] = do
		}
	}
	has(s.Add != nil, "add", func() { m.Add(s.Add(m.F), DrawKeys(m.T)) })
	has(s.Add != nil, "add many", func() { m.Add(s.Add(m.F), drawMany(m.T)) })
	has(s.ContainsOrAdd != nil, "contains or add", func() { m.ContainsOrAdd(s.ContainsOrAdd(m.F)) })
	has(m.deletes(), "delete", m.delete)
	has(m.deletes(), "delete many", m.deleteMany)
	has(s.Clone != nil, "clone", m.clone)
	if m.forged {
		return actions
	}
	has(true, "fail to decode", m.failToDecode)
	has(s.Builders != nil, "build", m.build)
	has(s.Merge != nil, "merge", m.merge)
	has(s.Reset != nil, "reset", m.reset)
	for name, do := range s.Actions {
		actions[name] = func() { do(m) }
	}
	return actions
}

// deletes reports whether the structure has a form of Delete.
func (m *Machine[S]) deletes() bool { return m.s.Delete != nil && len(m.s.Delete(m.F)) > 0 }

// build builds a structure of drawn keys, and the twin from the same keys in
// another order, some of them repeated, in any way that there is.
func (m *Machine[S]) build() {
	keys, builders := drawSet(m.T), m.s.Builders(m.T, m.Family)
	twins := make([]string, 0, 2*len(keys))
	for i := range keys {
		twins = append(twins, keys[len(keys)-1-i])
	}
	twins = append(twins, keys[:len(keys)/3]...)
	var err error
	m.F, err = builders[drawName(m.T, "way to build", builders)](m.Family.SumAll(nil, bytesOf(keys)))
	require.NoError(m, err)
	m.Twin, err = builders[drawName(m.T, "way to build the twin", builders)](m.Family.SumAll(nil, bytesOf(twins)))
	require.NoError(m, err)
	m.forget()
	for _, key := range keys {
		m.Count(key, 1-m.Counts[key])
	}
}

// forget empties the model.
func (m *Machine[S]) forget() {
	clear(m.Counts)
	m.Added, m.Exact, m.Timed, m.Now = nil, true, false, 0
}

// form draws a form of a method.
func (m *Machine[S]) form(forms []Form) Form {
	names := make([]string, len(forms))
	for i, form := range forms {
		names[i] = form.Name
	}
	name := rapid.SampledFrom(names).Draw(m.T, "form")
	for _, form := range forms {
		if form.Name == name {
			return form
		}
	}
	panic(name)
}

// Add adds keys in one of the forms, and to the twin.
func (m *Machine[S]) Add(forms []Form, keys []string) {
	form := m.form(forms)
	n, err := form.do(keys...)
	want, failed := m.addTwin(keys...)
	must(m, n == want, "%s added %d keys, want %d", form.Name, n, want)
	require.Equal(m, failed, err)
}

// addTwin adds keys to the twin until one fails, which must fail again and
// change nothing.
func (m *Machine[S]) addTwin(keys ...string) (int, error) {
	add := m.s.Add(m.Twin)[0]
	n, err := add.do(keys...)
	for _, key := range keys[:n] {
		m.Count(key, 1)
	}
	if err != nil {
		before := encode(m, m.Twin)
		_, again := add.do(keys[n])
		require.Error(m, again)
		requireBytes(m, before, encode(m, m.Twin), "a failed Add changed the structure")
	}
	return n, err
}

// ContainsOrAdd queries keys and adds those that are absent, in one call for
// each, in one of the forms.
func (m *Machine[S]) ContainsOrAdd(forms []Form) {
	keys, form := DrawKeys(m.T), m.form(forms)
	for _, key := range keys {
		n, err := form.do(key)
		had := m.has(m.Twin, key)
		var want error
		if !had {
			_, want = m.addTwin(key)
		}
		must(m, had == (n == 1), "%s(%q) = %d, but Contains = %v", form.Name, key, n, had)
		require.Equal(m, want, err)
	}
}

// delete deletes some members, in any form, and a key that is not found.
func (m *Machine[S]) delete() {
	members := m.members()
	if len(members) == 0 {
		m.Skip("there is nothing to delete")
	}
	m.remove(rapid.SliceOfN(rapid.SampledFrom(members), 0, 8).Draw(m.T, "keys"))
	absent := DrawKey(m.T)
	if !m.has(m.F, absent) {
		n, err := m.form(m.s.Delete(m.F)).do(absent)
		require.NoError(m, err)
		must(m, n == 0, "deleted %q, which is absent", absent)
	}
}

// deleteMany deletes members that were added one after the other.
func (m *Machine[S]) deleteMany() {
	members := m.members()
	if len(members) == 0 {
		m.Skip("there is nothing to delete")
	}
	n := rapid.IntRange(1, len(members)).Draw(m.T, "number of keys")
	first := rapid.IntRange(0, len(members)-n).Draw(m.T, "first key")
	m.remove(members[first : first+n])
}

// remove deletes a copy of each key, if there is one left.
func (m *Machine[S]) remove(keys []string) {
	var present []string
	for _, key := range keys {
		if m.Counts[key] > 0 {
			m.Counts[key]--
			present = append(present, key)
		}
	}
	form := m.form(m.s.Delete(m.F))
	for i, f := range []Form{form, m.s.Delete(m.Twin)[0]} {
		n, err := f.do(present...)
		require.NoError(m, err)
		must(m, n == len(present), "%s deleted %d of %d keys from the %s", f.Name, n, len(present), []string{"structure", "twin"}[i])
	}
}

// allFormsAgree checks that all forms of all questions give the same answers.
func (m *Machine[S]) allFormsAgree() { m.agree(drawSet(m.T)) }

func (m *Machine[S]) agree(keys []string) {
	own, twins := questionsOf(m.F, m.s.Questions), questionsOf(m.Twin, m.s.Questions)
	Agree(m, own, keys)
	for i := range own {
		same(m, own[i][0], twins[i][0], keys)
	}
}

// questionsOf returns the forms of each question.
func questionsOf[S any](f S, questions []func(S) []Form) (list [][]Form) {
	for _, question := range questions {
		list = append(list, question(f))
	}
	return list
}

// Agree checks that all forms of a question give the same answers, and that all
// questions agree on which keys may be contained.
func Agree(t rapid.TB, questions [][]Form, keys []string) {
	for _, forms := range questions {
		for _, form := range forms[1:] {
			same(t, forms[0], form, keys)
		}
		first, _ := questions[0][0].Bind(keys)()
		numbers, _ := forms[0].Bind(keys)()
		for i, key := range keys {
			must(t, (first[i] > 0) == (numbers[i] > 0), "%s(%q) = %d, but %s = %d", questions[0][0].Name, key, first[i], forms[0].Name, numbers[i])
		}
	}
}

// same checks that two forms give the same answers.
func same(t rapid.TB, a, b Form, keys []string) {
	first, err := a.Bind(keys)()
	require.NoError(t, err)
	second, err := b.Bind(keys)()
	require.NoError(t, err)
	must(t, len(first) == len(second), "%s has %d answers for %d keys", b.Name, len(second), len(keys))
	for i, key := range keys {
		must(t, first[i] == second[i], "%s(%q) = %d, but %s = %d", a.Name, key, first[i], b.Name, second[i])
	}
}

// other returns a structure like F with drawn keys that it contains.
func (m *Machine[S]) other() (S, []string) {
	f := m.s.Like(m.F)
	return f, m.s.fill(f, drawSet(m.T))
}

// fill adds keys to f and returns those for which there was room.
func (s Structure[S]) fill(f S, keys []string) (in []string) {
	add := s.Add(f)[0]
	for _, key := range keys {
		if _, err := add.do(key); err == nil {
			in = append(in, key)
		}
	}
	return in
}

// merge merges up to two other structures.
func (m *Machine[S]) merge() {
	var others []S
	var keys []string
	var before [][]byte
	for range rapid.IntRange(0, 2).Draw(m.T, "number of others") {
		f, in := m.other()
		others, keys, before = append(others, f), append(keys, in...), append(before, encode(m, f))
	}
	own := encode(m, m.F)
	err := m.s.Merge(m.F, others...)
	for i, f := range others {
		requireBytes(m, before[i], encode(m, f), "Merge changed its argument")
	}
	if err != nil {
		require.ErrorIs(m, err, fault.ErrFull)
		requireBytes(m, own, encode(m, m.F), "a failed Merge changed the structure")
		return
	}
	for _, key := range keys {
		m.Count(key, 1)
	}
	if len(others) > 1 && !m.canonical() {
		m.Resync()
		return
	}
	for _, f := range others { // one by one
		require.NoError(m, m.s.Merge(m.Twin, f))
	}
}

// Resync makes the twin equal to the structure, after actions whose order
// decides about the place of keys.
func (m *Machine[S]) Resync() {
	b := encode(m, m.F)
	m.Twin = m.s.Receiver(m.Family)
	require.NoError(m, m.Twin.UnmarshalBinary(b))
	if m.diverges() {
		require.NoError(m, m.F.UnmarshalBinary(b))
	}
}

func (m *Machine[S]) diverges() bool { return m.s.Diverges != nil && m.s.Diverges(m.F) }

// clone goes on with a clone. The original must not change any more.
func (m *Machine[S]) clone() {
	m.Leave(m.F)
	m.F = m.s.Clone(m.F)
}

// reset removes all keys.
func (m *Machine[S]) reset() {
	m.s.Reset(m.F)
	m.s.Reset(m.Twin)
	m.forget()
	must(m, m.F.Equal(m.s.Like(m.F)), "Reset left something")
}

// recode goes on with what is decoded from the structure. The receiver may be a
// structure in use.
func (m *Machine[S]) recode() {
	g := m.s.Receiver(m.Family)
	if m.s.Builders == nil && !m.forged && rapid.Bool().Draw(m.T, "into a structure in use") {
		g, _ = m.other()
	}
	b := encode(m, m.F)
	requireBytes(m, b, encode(m, m.Twin), "the structure and its twin are encoded differently")
	recode(m, rapid.SampledFrom(ways).Draw(m.T, "way"), m.F, g)
	m.Leave(m.F)
	m.F = g
	requireBytes(m, b, encode(m, m.F), "the decoded structure is encoded differently")
	if m.diverges() {
		m.Resync()
	}
}

// failToDecode decodes what was cut off, begins with other bytes, or is of
// another family. The structure must not change.
func (m *Machine[S]) failToDecode() {
	b := encode(m, m.F)
	switch rapid.SampledFrom([]string{"cut off", "other first bytes", "another family"}).Draw(m.T, "damage") {
	case "cut off":
		b = b[:rapid.IntRange(0, len(b)-1).Draw(m.T, "length")]
	case "other first bytes":
		b[rapid.IntRange(0, 3).Draw(m.T, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(m.T, "bit")
	case "another family":
		b = encode(m, m.s.empty(m.T, m.Family.Derive("another")))
	}
	require.Error(m, m.F.UnmarshalBinary(b))
	require.Error(m, readFrom(m.F, bytes.NewReader(b)))
}

// empty returns a structure of the family without keys.
func (s Structure[S]) empty(t *rapid.T, fam hashfam.Family) S {
	if s.Builders == nil {
		return s.Draw(t, fam)
	}
	builders := s.Builders(t, fam)
	f, err := builders[drawName(t, "way to build", builders)](nil)
	require.NoError(t, err)
	return f
}
