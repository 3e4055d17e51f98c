package conformance

import (
	"maps"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// build builds the structure, and then the twin from the same keys in reverse
// order, with some keys repeated.
func (m *Machine) build() {
	keys := drawSet(m.T)
	builders := m.s.Builders(m.T, m.Family)
	for _, f := range []*Encoded{&m.F, &m.Twin} {
		way := rapid.SampledFrom(slices.Sorted(maps.Keys(builders))).Draw(m.T, "way to build")
		*f = made(builders[way](m.Family.SumAllStrings(nil, keys)))
		slices.Reverse(keys)
		keys = append(keys, keys[:len(keys)/3]...)
	}
	m.forget()
	for _, key := range keys {
		m.Count(key, 1-m.Counts[key])
	}
}

func (m *Machine) forget() {
	clear(m.Counts)
	m.Added = nil
	m.Exact = true
	m.Timed = false
	m.Now = 0
}

func (m *Machine) form(forms []Form) Form { return rapid.SampledFrom(forms).Draw(m.T, "form") }

// Add adds keys to f and to the twin. f is F, or contains the same keys, like a
// bloom.Concurrent made from it. One of the forms of Add is used.
func (m *Machine) Add(f any, keys []string) {
	form := m.form(m.s.adds(f))
	n, err := form.do(keys...)
	want, failed := m.addTwin(keys...)
	must(m, n == want, "%s added %d keys, want %d", form.Name, n, want)
	require.Equal(m, failed, err)
}

// addTwin adds keys to the twin. If an Add fails, it must fail again, without a
// change.
func (m *Machine) addTwin(keys ...string) (int, error) {
	add := m.s.adds(m.Twin)[0]
	n, err := add.do(keys...)
	for _, key := range keys[:n] {
		m.Count(key, 1)
	}
	if err != nil {
		before := encode(m, m.Twin)
		_, again := add.do(keys[n])
		require.Error(m, again)
		frametest.Equal(m, before, encode(m, m.Twin), "a failed Add changed the structure")
	}
	return n, err
}

// ContainsOrAdd is like Add for one of the forms of ContainsOrAdd.
func (m *Machine) ContainsOrAdd(f any) {
	keys := DrawKeys(m.T)
	form := m.form(containsOrAdds(f))
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

func (m *Machine) has(f Encoded, key string) bool {
	form := m.s.questions(f)[0][0]
	numbers, _ := form.call(form.keys([]string{key}))
	return numbers[0] != 0 // a sum could overflow an int
}

// delete deletes some members, up to three copies of each, and an absent key.
func (m *Machine) delete() {
	members := m.members()
	if len(members) == 0 {
		return // Skip would fail when it is called a hundred times in a row
	}
	first := rapid.IntRange(0, len(members)-1).Draw(m.T, "first key")
	n := rapid.IntRange(1, len(members)-first).Draw(m.T, "number of keys")
	var keys []string
	for _, key := range slices.Repeat(members[first:first+n], rapid.IntRange(1, 3).Draw(m.T, "copies")) {
		if m.Counts[key] > 0 {
			m.Counts[key]--
			keys = append(keys, key)
		}
	}
	m.remove(m.form(m.s.deletes(m.F)), keys, len(keys))
	m.remove(m.s.deletes(m.Twin)[0], keys, len(keys))
	if absent := DrawKey(m.T); !m.has(m.F, absent) {
		m.remove(m.form(m.s.deletes(m.F)), []string{absent}, 0)
	}
}

// remove deletes keys using a form, which must delete as many as want says.
func (m *Machine) remove(form Form, keys []string, want int) {
	n, err := form.do(keys...)
	require.NoError(m, err)
	must(m, n == want, "%s deleted %d of %d keys, want %d", form.Name, n, len(keys), want)
}

// Agree checks that all forms return the same results for these keys, also in
// others, which must contain the same keys as F.
func (m *Machine) Agree(keys []string, others ...any) { m.s.agree(m, keys, m.F, others...) }

// agree checks that f and the others return the same results for each question,
// in all of its forms, and that their methods without arguments do, too. It
// also checks that all questions agree on which keys are contained.
func (s Structure) agree(t rapid.TB, keys []string, f any, others ...any) {
	questions := s.questions(f)
	for _, other := range others {
		s.alike(t, f, other)
		for i, forms := range s.questions(other) {
			questions[i] = append(questions[i], forms...)
		}
	}
	k := questions[0][0].keys(keys)
	numbers, _ := questions[0][0].call(k)
	contained := slices.Clone(numbers)
	for _, forms := range questions {
		numbers, _ := forms[0].call(k)
		first := slices.Clone(numbers)
		for _, form := range forms {
			numbers, err := form.call(k)
			require.NoError(t, err)
			must(t, len(numbers) == len(keys), "%s has %d answers for %d keys", form.Name, len(numbers), len(keys))
			for i, key := range keys {
				if n := numbers[i]; n != first[i] || (n > 0) != (contained[i] > 0) {
					t.Fatalf("%s(%q) = %d, but %s = %d, contained: %v", form.Name, key, n, forms[0].Name, first[i], contained[i] > 0)
				}
			}
		}
	}
}

// alike checks the results of methods without arguments.
func (s Structure) alike(t rapid.TB, f, other any) {
	require.Equal(t, s.reads(f), s.reads(other))
	if !s.GrowsInSteps {
		require.Equal(t, sizeBytes(f), sizeBytes(other))
	}
}

// merge merges up to two other structures. If there are few keys, the structure
// itself can also be among the others, up to twice and at any place.
func (m *Machine) merge() {
	others := make([]Encoded, rapid.IntRange(0, 2).Draw(m.T, "number of others"))
	var keys []string
	for i := range others {
		others[i] = m.s.like(m.F)
		keys = append(keys, m.s.addKeys(others[i], drawSet(m.T))...)
		m.Leave(others[i])
	}
	own := encode(m, m.F)
	itself := 0
	if Total(m.Counts) <= 100 {
		itself = rapid.IntRange(0, 2).Draw(m.T, "times with itself")
	}
	for range itself {
		place := rapid.IntRange(0, len(others)).Draw(m.T, "place")
		others = slices.Insert(others, place, m.F)
		keys = append(keys, m.copies()...)
	}
	if err := m.s.merge(m.F, others...); err != nil {
		require.ErrorIs(m, err, m.s.Full)
		frametest.Equal(m, own, encode(m, m.F), "a failed Merge changed the structure")
		return
	}
	if m.canonical() {
		m.addTwin(keys...)
		return
	}
	for _, key := range keys {
		m.Count(key, 1)
	}
	m.Resync()
}

// Resync replaces the twin by a copy of the structure. It should be called
// after an action whose result depends on the order of keys.
func (m *Machine) Resync() {
	b := encode(m, m.F)
	m.Twin = m.s.receiver(m.Family)
	require.NoError(m, m.Twin.UnmarshalBinary(b))
}

// clone continues with a clone of the structure.
func (m *Machine) clone() {
	m.Leave(m.F)
	m.F = m.s.clone(m.F)
}

func (m *Machine) reset() {
	empty := m.s.like(m.F)
	for _, f := range []Encoded{m.F, m.Twin} {
		f.(interface{ Reset() }).Reset()
	}
	m.forget()
	must(m, m.s.equal(m.F, empty), "the structure is not empty after Reset")
}

// recode encodes the structure and continues with the decoded one.
func (m *Machine) recode() {
	b := frametest.Encodings(m, m.F)
	g := m.s.receiver(m.Family)
	if rapid.Bool().Draw(m.T, "into a structure in use") {
		g = m.s.filled(m.T, m.Family)
	}
	require.NoError(m, rapid.SampledFrom(ways).Draw(m.T, "way").decode(g, b))
	m.Leave(m.F)
	m.F = g
	frametest.Equal(m, b, encode(m, m.F), "the decoded structure is encoded differently")
}
