package conformance

import (
	"bytes"
	"maps"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame/frametest"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Machine tests a structure, F, by random actions. An action that changes the
// keys of F also changes an exact model of the keys, and a second structure,
// the twin, to which keys are added individually. After each action, F must
// equal the twin and contain the keys in the model. To save time, only the 500
// keys that were added last are checked before the end.
type Machine struct {
	*rapid.T
	Family  hashfam.Family
	F, Twin Encoded
	// Counts is the model: it maps each key to the number of copies that must
	// be found. Added contains the keys in the order in which they were added.
	Counts map[string]uint64
	Added  []Entry
	// Exact is true if the structure contains no keys except Counts.
	Exact bool
	// Now is the time of the last Advance, if Timed is true.
	Now   int64
	Timed bool

	s     Structure
	aside []func() // check that previous structures have not changed
}

// An Entry says that N copies of a key were added at a time.
type Entry struct {
	Key string
	N   uint64
	At  int64
}

// Run is the property that no sequence of actions breaks an invariant. It can
// be used with [rapid.Check] and [rapid.MakeFuzz].
func (s Structure) Run(t *rapid.T) { s.machine(t, drawFamily(t)).repeat() }

// machine draws a structure and its twin.
func (s Structure) machine(t *rapid.T, fam hashfam.Family) *Machine {
	m := &Machine{T: t, Family: fam, Counts: map[string]uint64{}, Exact: true, s: s}
	if s.Builders != nil {
		m.build()
	} else {
		m.F = made(s.create(s.drawn(t, fam)))
		m.Twin = s.like(m.F)
	}
	return m
}

// filled draws a structure with keys.
func (s Structure) filled(t *rapid.T, fam hashfam.Family) Encoded {
	f := s.machine(t, fam).F
	if s.Builders == nil {
		s.addKeys(f, drawSet(t))
	}
	return f
}

// addKeys adds keys to f until one does not fit. It returns those that were
// added.
func (s Structure) addKeys(f Encoded, keys []string) []string {
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
	_, resets := m.F.(interface{ Reset() })
	has(true, "all forms agree", func(m *Machine) { m.Agree(drawSet(m.T), m.Twin) })
	has(true, "encode and decode", (*Machine).recode)
	has(m.s.Builders == nil, "add", func(m *Machine) { m.Add(m.F, drawSet(m.T)) })
	has(len(containsOrAdds(m.F)) > 0, "contains or add", func(m *Machine) { m.ContainsOrAdd(m.F) })
	has(len(m.s.deletes(m.F)) > 0, "delete", (*Machine).delete)
	has(m.s.clone != nil, "clone", (*Machine).clone)
	// There may be no way to create a structure like one from a changed frame.
	has(m.s.Builders != nil && m.Exact, "build", (*Machine).build)
	has(m.s.merge != nil && m.Exact, "merge", (*Machine).merge)
	has(resets && m.Exact, "reset", (*Machine).reset)
	for name, do := range m.s.Actions {
		has(true, name, do)
	}
	m.Repeat(actions)
	m.finish()
}

// Count adds n copies to the model.
func (m *Machine) Count(key string, n uint64) {
	m.Counts[key] = sizing.SaturatingAdd(m.Counts[key], n)
	m.Added = append(m.Added, Entry{key, n, m.Now})
}

// Advance sets the time of the model, which never goes back. Keys that were
// added before the first call get the time of this call.
func (m *Machine) Advance(t int64) {
	if !m.Timed {
		m.Timed = true
		m.Now = t
		for i := range m.Added {
			m.Added[i].At = t
		}
	}
	m.Now = max(m.Now, t)
}

// members returns the keys that must be found, in sorted order.
func (m *Machine) members() []string {
	keys := slices.Sorted(maps.Keys(m.Counts))
	return slices.DeleteFunc(keys, func(key string) bool { return m.Counts[key] == 0 })
}

// copies returns the members, each as often as it is in the structure.
func (m *Machine) copies() []string {
	var keys []string
	for _, key := range m.members() {
		keys = append(keys, slices.Repeat([]string{key}, int(m.Counts[key]))...)
	}
	return keys
}

// Total returns the sum of counts, or the largest number if it is larger.
func Total(counts map[string]uint64) (sum uint64) {
	for _, n := range counts {
		sum = sizing.SaturatingAdd(sum, n)
	}
	return sum
}

func (m *Machine) canonical() bool { return m.Exact && m.s.Canonical != nil && m.s.Canonical(m.F) }

func (m *Machine) check() {
	if m.s.Remembered != nil {
		m.Counts = m.s.Remembered(m)
	}
	last := m.Added[max(0, len(m.Added)-500):] // the other keys follow at the end
	var keys []string
	for _, e := range last {
		keys = append(keys, e.Key)
	}
	m.checkCounts(keys)
	must(m, m.s.equal(m.F, m.Twin), "the structure differs from its twin")
	m.s.alike(m, m.F, m.Twin)
	if f, ok := m.F.(interface{ Len() uint64 }); ok && m.Exact {
		want := Total(m.Counts)
		if m.s.Builders != nil {
			want = uint64(len(m.Counts)) // including deleted keys
		}
		must(m, f.Len() == want, "Len() = %d, want %d", f.Len(), want)
	}
	if m.s.Invariant != nil {
		m.s.Invariant(m)
	}
}

func (m *Machine) checkCounts(keys []string) {
	questions := m.s.questions(m.F)
	k := questions[0][0].keys(keys)
	for _, forms := range questions {
		form := forms[0]
		most := uint64(1)
		switch {
		case form.Counts && m.s.MostCount != nil:
			most = m.s.MostCount(m.F)
		case form.Counts:
			most = math.MaxUint64
		}
		numbers, _ := form.call(k)
		for i, key := range keys {
			least := min(m.Counts[key], most)
			must(m, numbers[i] >= least, "lost a key: %s(%q) = %d, want at least %d", form.Name, key, numbers[i], least)
		}
	}
}

// finish makes the checks that are too slow to be made after every action: all
// keys, all forms, encodings, deleting every key, and the structures passed to
// Leave.
func (m *Machine) finish() {
	m.Logf("at the end")
	m.checkCounts(m.members())
	frametest.Equal(m, encode(m, m.Twin), encode(m, m.F), "the structure and its twin are encoded differently")
	m.Agree(append(m.members(), "key 0", "absent", ""), m.Twin)
	if Total(m.Counts) <= 10_000 && m.s.Builders == nil {
		m.rebuild()
	}
	for _, check := range m.aside {
		check()
	}
}

// rebuild compares the structure with one that contains the same keys, and then
// deletes the keys.
func (m *Machine) rebuild() {
	keys := m.copies()
	if m.canonical() {
		f := m.s.like(m.F)
		must(m, len(m.s.addKeys(f, keys)) == len(keys) && m.s.equal(m.F, f), "one with the same keys is not equal")
	}
	if deletes := m.s.deletes(m.F); len(deletes) > 0 {
		m.remove(deletes[0], keys, len(keys))
		clear(m.Counts)
		must(m, !m.canonical() || m.s.equal(m.F, m.s.like(m.F)), "the structure is not empty after all keys were deleted")
	}
}

// Leave registers a check for the end of the run: f must not have changed since
// this call, and Equal of F and f must agree with their encodings.
func (m *Machine) Leave(f Encoded) {
	b := encode(m, f)
	m.aside = append(m.aside, func() {
		frametest.Equal(m, b, encode(m, f), "a previous structure has changed")
		must(m, m.s.equal(m.F, f) == bytes.Equal(b, encode(m, m.F)), "Equal does not agree with the encodings")
	})
}

func must(t rapid.TB, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		t.Fatalf(format, args...)
	}
}
