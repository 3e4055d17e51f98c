package conformance

import (
	"bytes"
	"maps"
	"math"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Machine tests a structure by random actions. It also has a twin, to which
// the same keys are added individually, and an exact model. After each action
// the structure must equal the twin and contain the keys in the model.
type Machine struct {
	*rapid.T
	Family  hashfam.Family
	F, Twin Encoded
	// Counts maps each key to the number of copies that must be found. Added
	// contains the keys in the order in which they were added.
	Counts map[string]uint64
	Added  []Entry
	// Exact is true if the structure contains no keys except Counts.
	Exact bool
	// Now is the time of the last Advance, if Timed is true.
	Now   int64
	Timed bool

	s       Structure
	checked int      // where to continue to check many keys
	forged  bool     // the structure was decoded from a changed frame
	aside   []func() // check that previous structures have not changed
}

// An Entry is a key, and how often it was added.
type Entry struct {
	Key string
	N   uint64
	At  int64
}

// Run is the property that no sequence of actions breaks an invariant. It can
// be used with [rapid.Check] and [rapid.MakeFuzz].
func (s Structure) Run(t *rapid.T) {
	s.machine(t, drawFamily(t)).repeat()
}

// machine draws a structure and its twin.
func (s Structure) machine(t *rapid.T, fam hashfam.Family) *Machine {
	m := &Machine{T: t, Family: fam, Counts: map[string]uint64{}, Exact: true, s: s}
	if s.Builders != nil {
		m.build()
	} else {
		m.F = s.made(s.drawn(t, fam))
		m.Twin = s.like(m.F)
	}
	return m
}

// filled draws a structure with some keys, and returns the keys.
func (s Structure) filled(t *rapid.T, fam hashfam.Family) (Encoded, []string) {
	m := s.machine(t, fam)
	if s.Builders == nil {
		return m.F, s.fill(m.F, drawSet(t))
	}
	return m.F, m.members()
}

// fill adds keys to f until one does not fit. It returns those that were added.
func (s Structure) fill(f Encoded, keys []string) []string {
	n, _ := s.adds(f)[0].do(keys...)
	return keys[:n]
}

// repeat calls the actions that can be used with this structure.
func (m *Machine) repeat() {
	m.Logf("%T %v", m.F, m.F)
	actions := map[string]func(*rapid.T){"": func(*rapid.T) { m.check() }}
	has := func(can bool, name string, do func(*Machine)) {
		if can {
			actions[name] = func(*rapid.T) { do(m) }
		}
	}
	adds, contains := m.s.adds(m.F), ContainsOrAdds(m.F)
	_, resets := m.F.(interface{ Reset() })
	has(true, "all forms agree", func(*Machine) { m.agree(drawSet(m.T)) })
	has(true, "encode and decode", (*Machine).recode)
	has(len(adds) > 0, "add", func(*Machine) { m.Add(m.s.adds(m.F), drawSet(m.T)) })
	has(len(contains) > 0, "contains or add", func(*Machine) { m.ContainsOrAdd(ContainsOrAdds(m.F)) })
	has(len(m.s.deletes(m.F)) > 0, "delete", (*Machine).delete)
	has(m.s.clone != nil, "clone", (*Machine).clone)
	has(m.s.Builders != nil && !m.forged, "build", (*Machine).build)
	has(m.s.merge != nil && !m.forged, "merge", (*Machine).merge)
	has(resets && !m.forged, "reset", (*Machine).reset)
	for name, do := range m.s.Actions {
		has(!m.forged, name, do)
	}
	m.Repeat(actions)
	m.finish()
}

// Count adds n copies to the model.
func (m *Machine) Count(key string, n uint64) {
	m.Counts[key] = sizing.AddSat(m.Counts[key], n)
	m.Added = append(m.Added, Entry{key, n, m.Now})
}

// Advance sets the time. Keys that were added before the first call belong to
// its time. Time never goes back.
func (m *Machine) Advance(t int64) {
	if !m.Timed {
		m.Timed, m.Now = true, t
		for i := range m.Added {
			m.Added[i].At = t
		}
	}
	m.Now = max(m.Now, t)
}

// members returns the keys that must be found, in order.
func (m *Machine) members() []string {
	keys := slices.Sorted(maps.Keys(m.Counts))
	return slices.DeleteFunc(keys, func(key string) bool { return m.Counts[key] == 0 })
}

// Total returns the number of keys in the model, including copies.
func (m *Machine) Total() uint64 { return TotalOf(m.Counts) }

// TotalOf returns the sum of counts, or the largest number if it is larger.
func TotalOf(counts map[string]uint64) (sum uint64) {
	for _, n := range counts {
		sum = sizing.AddSat(sum, n)
	}
	return sum
}

func (m *Machine) canonical() bool {
	return m.Exact && !m.forged && m.s.Canonical != nil && m.s.Canonical(m.F)
}

func (m *Machine) check() {
	must(m, m.s.equal(m.F, m.Twin), "the structure differs from its twin")
	if m.s.Remembered != nil && m.forged {
		clear(m.Counts) // it can have forgotten any key
	} else if m.s.Remembered != nil {
		m.Counts = m.s.Remembered(m)
	}
	if m.s.Diverges == nil {
		require.Equal(m, m.s.reads(m.Twin), m.s.reads(m.F))
	}
	keys := m.members()
	if many := len(keys) - 500; many > 0 { // the other keys follow later
		m.checked = (m.checked + 500) % many
		keys = keys[m.checked:][:500]
	}
	m.checkCounts(keys)
	if f, ok := m.F.(interface{ Len() uint64 }); ok && m.Exact {
		want := m.Total()
		if m.s.Builders != nil {
			want = uint64(len(m.Counts)) // including deleted keys
		}
		must(m, f.Len() == want, "Len() = %d, want %d", f.Len(), want)
	}
	if m.s.Invariant != nil && !m.forged {
		m.s.Invariant(m)
	}
}

func (m *Machine) checkCounts(keys []string) {
	most := uint64(math.MaxUint64)
	if m.s.MostCount != nil {
		most = m.s.MostCount(m.F)
	}
	for _, forms := range m.s.questions(m.F) {
		form := forms[0]
		numbers, _ := form.Bind(keys)()
		for i, key := range keys {
			least := uint64(1)
			if form.Counts {
				least = min(m.Counts[key], most)
			}
			if numbers[i] < least {
				m.Fatalf("lost a key: %s(%q) = %d, want at least %d", form.Name, key, numbers[i], least)
			}
		}
	}
}

// finish makes the checks that are too slow for every action: all keys, all
// forms, encodings, deleting every key, and Leave.
func (m *Machine) finish() {
	m.Logf("at the end")
	requireBytes(m, encode(m, m.Twin), encode(m, m.F), "the structure and its twin are encoded differently")
	m.checkCounts(m.members())
	m.agree(append(m.members(), "key 0", "absent", ""))
	if m.Total() <= 10_000 && m.s.Builders == nil {
		m.rebuild()
	}
	for _, check := range m.aside {
		check()
	}
}

// rebuild compares the structure with one that contains the same keys, and then
// deletes the keys.
func (m *Machine) rebuild() {
	var keys []string
	for _, key := range m.members() {
		keys = append(keys, slices.Repeat([]string{key}, int(m.Counts[key]))...)
	}
	if m.canonical() {
		f := m.s.like(m.F)
		_, err := m.s.adds(f)[0].do(keys...)
		require.NoError(m, err)
		must(m, m.s.equal(m.F, f), "the structure does not equal one with the same keys")
	}
	if deletes := m.s.deletes(m.F); len(deletes) > 0 {
		m.remove(deletes[0], keys, len(keys))
		clear(m.Counts)
		must(m, !m.canonical() || m.s.equal(m.F, m.s.like(m.F)), "the structure is not empty after all keys were deleted")
	}
}

// Leave checks at the end that f has not changed since this call, and that
// Equal agrees with the encodings.
func (m *Machine) Leave(f Encoded) {
	b := encode(m, f)
	m.aside = append(m.aside, func() {
		requireBytes(m, b, encode(m, f), "a previous structure has changed")
		must(m, m.s.equal(m.F, f) == bytes.Equal(b, encode(m, m.F)), "Equal does not agree with the encodings")
	})
}

func must(t rapid.TB, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		t.Fatalf(format, args...)
	}
}

// build builds the structure, and the twin from the same keys in another order.
// Some keys are repeated.
func (m *Machine) build() {
	keys, builders := drawSet(m.T), m.s.Builders(m.T, m.Family)
	for _, f := range []*Encoded{&m.F, &m.Twin} {
		var err error
		way := rapid.SampledFrom(slices.Sorted(maps.Keys(builders))).Draw(m.T, "way to build")
		*f, err = builders[way](m.Family.SumAll(nil, bytesOf(keys)))
		require.NoError(m, err)
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
	m.Added, m.Exact, m.Timed, m.Now = nil, true, false, 0
}

func (m *Machine) form(forms []Form) Form { return rapid.SampledFrom(forms).Draw(m.T, "form") }

// Add adds keys to the structure using one of the forms, and to the twin.
func (m *Machine) Add(forms []Form, keys []string) {
	form := m.form(forms)
	n, err := form.do(keys...)
	want, failed := m.addTwin(keys...)
	must(m, n == want, "%s added %d keys, want %d", form.Name, n, want)
	require.Equal(m, failed, err)
}

// addTwin adds keys to the twin. The first key that cannot be added must fail
// again and must not change it.
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
		requireBytes(m, before, encode(m, m.Twin), "a failed Add changed the structure")
	}
	return n, err
}

// ContainsOrAdd calls one of the forms of ContainsOrAdd for some keys.
func (m *Machine) ContainsOrAdd(forms []Form) {
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

func (m *Machine) has(f Encoded, key string) bool {
	numbers, _ := m.s.questions(f)[0][0].Bind([]string{key})()
	return numbers[0] > 0
}

// delete deletes some members, up to three copies of each, and an absent key.
func (m *Machine) delete() {
	members := m.members()
	if len(members) == 0 {
		m.Skip("there is nothing to delete")
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

// remove deletes keys. The form should find the wanted number.
func (m *Machine) remove(form Form, keys []string, want int) {
	n, err := form.do(keys...)
	require.NoError(m, err)
	must(m, n == want, "%s deleted %d of %d keys, want %d", form.Name, n, len(keys), want)
}

func (m *Machine) agree(keys []string) {
	Agree(m, joined(m.s.questions(m.F), m.s.questions(m.Twin)), keys)
}

// joined returns the forms of the same questions for two structures.
func joined(a, b [][]Form) (list [][]Form) {
	for i := range a {
		list = append(list, slices.Concat(a[i], b[i]))
	}
	return list
}

// Agree checks that all forms return the same results for each question, and
// that all questions agree on which keys are contained.
func Agree(t rapid.TB, questions [][]Form, keys []string) {
	base := questions[0][0]
	contained, _ := base.Bind(keys)()
	for _, forms := range questions {
		first, _ := forms[0].Bind(keys)()
		for _, form := range forms {
			numbers, err := form.Bind(keys)()
			require.NoError(t, err)
			must(t, len(numbers) == len(keys), "%s has %d answers for %d keys", form.Name, len(numbers), len(keys))
			for i, key := range keys {
				if n := numbers[i]; n != first[i] || (n > 0) != (contained[i] > 0) {
					t.Fatalf("%s(%q) = %d, but %s = %d and %s = %d", form.Name, key, n, forms[0].Name, first[i], base.Name, contained[i])
				}
			}
		}
	}
}

// merge merges up to two other structures.
func (m *Machine) merge() {
	others, keys := make([]Encoded, rapid.IntRange(0, 2).Draw(m.T, "number of others")), []string(nil)
	for i := range others {
		others[i] = m.s.like(m.F)
		keys = append(keys, m.s.fill(others[i], drawSet(m.T))...)
		m.Leave(others[i])
	}
	own := encode(m, m.F)
	if err := m.s.merge(m.F, others...); err != nil {
		require.ErrorIs(m, err, fault.ErrFull)
		requireBytes(m, own, encode(m, m.F), "a failed Merge changed the structure")
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

// Resync replaces the twin by a copy. It should be called after an action whose
// result depends on the order of keys.
func (m *Machine) Resync() {
	b := encode(m, m.F)
	m.Twin = m.s.receiver(m.Family)
	require.NoError(m, m.Twin.UnmarshalBinary(b))
	if m.diverges() {
		require.NoError(m, m.F.UnmarshalBinary(b))
	}
}

func (m *Machine) diverges() bool { return m.s.Diverges != nil && m.s.Diverges(m.F) }

// clone continues with a clone.
func (m *Machine) clone() {
	m.Leave(m.F)
	m.F = m.s.clone(m.F)
}

func (m *Machine) reset() {
	for _, f := range []Encoded{m.F, m.Twin} {
		f.(interface{ Reset() }).Reset()
	}
	m.forget()
	must(m, m.s.equal(m.F, m.s.like(m.F)), "the structure is not empty after Reset")
}

// recode encodes the structure and continues with the decoded one.
func (m *Machine) recode() {
	b, g := encodings(m, m.F), m.s.receiver(m.Family)
	if rapid.Bool().Draw(m.T, "into a structure in use") {
		g, _ = m.s.filled(m.T, m.Family)
	}
	require.NoError(m, rapid.SampledFrom(ways).Draw(m.T, "way").decode(g, b))
	m.Leave(m.F)
	m.F = g
	requireBytes(m, b, encode(m, m.F), "the decoded structure is encoded differently")
	if m.diverges() {
		m.Resync()
	}
}
