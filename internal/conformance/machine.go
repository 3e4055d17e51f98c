package conformance

import (
	"encoding"
	"fmt"
	"io"
	"log/slog"
	"math"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// Encoded has the methods of all structures. S is a pointer type.
type Encoded[S any] interface {
	comparable
	Family() hashfam.Family
	Equal(S) bool

	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.TextMarshaler
	io.WriterTo
	decoder

	fmt.Stringer
	slog.LogValuer
}

// A Structure describes how to use structures of type S. Either Source and Add
// or Builders must be set. Other fields can be nil.
type Structure[S Encoded[S]] struct {
	Source[S]
	// Builders draws parameters and returns all ways to build a structure using
	// them. The order of digests and repetitions must not matter.
	Builders func(*rapid.T, hashfam.Family) map[string]func([]hashfam.Digest) (S, error)
	// Receiver returns a receiver with the given family.
	Receiver func(hashfam.Family) S

	// Methods in all forms, beginning with bytes: see [Adds], [ContainsOrAdds]
	// and [Deletes]. Delete returns none if the parameters do not allow it.
	Add, ContainsOrAdd, Delete func(S) []Form
	// Questions returns the forms of each query, see [Contains] and [Counts].
	// An answer above 0 means that the key may be contained.
	Questions []func(S) []Form

	Merge func(S, ...S) error
	Clone func(S) S
	Reset func(S)
	// Len returns the exact number of keys, including copies.
	Len func(S) uint64

	// Actions contains further actions.
	Actions map[string]func(*Machine[S])
	// Invariant is called after every action.
	Invariant func(*Machine[S])
	// MostCount returns the largest count that the structure can store.
	MostCount func(S) uint64
	// Canonical reports whether the structure depends only on its keys.
	Canonical func(S) bool
	// Diverges reports whether a decoded structure can behave otherwise than
	// the original, because it has state that is not encoded.
	Diverges func(S) bool
	// Remembered returns the keys of Added that must still be found, if the
	// structure forgets keys.
	Remembered func(*Machine[S]) map[string]uint64
}

// A Machine tests a structure by random actions. It also has a twin, to which
// the same keys are added one by one, and an exact model. After each action the
// structure must equal the twin and contain the keys in the model.
type Machine[S Encoded[S]] struct {
	*rapid.T
	Family  hashfam.Family
	F, Twin S
	// Counts maps each key to the number of copies that must be found. Added
	// contains the keys in the order in which they were added.
	Counts map[string]uint64
	Added  []Entry
	// Exact is true if the structure contains no keys except Counts.
	Exact bool
	// Now is the time of the last Advance, if Timed is true.
	Now   int64
	Timed bool

	s      Structure[S]
	forged bool     // the structure was decoded from a changed frame
	aside  []func() // check that previous structures have not changed
}

// An Entry is a key, and how often it was added.
type Entry struct {
	Key string
	N   uint64
	At  int64
}

// Run is the property that no sequence of actions breaks an invariant. It can
// be used with [rapid.Check] and [rapid.MakeFuzz].
func (s Structure[S]) Run(t *rapid.T) {
	m := s.machine(t, drawFamily(t))
	if s.Builders != nil {
		m.build()
	} else {
		m.F = s.Draw(t, m.Family)
		m.Twin = s.Like(m.F)
	}
	m.repeat()
}

func (s Structure[S]) machine(t *rapid.T, fam hashfam.Family) *Machine[S] {
	return &Machine[S]{T: t, Family: fam, Counts: map[string]uint64{}, Exact: true, s: s}
}

// draw draws a structure with some keys, and returns the keys.
func (s Structure[S]) draw(t *rapid.T, fam hashfam.Family) (S, []string) {
	if s.Builders == nil {
		f := s.Draw(t, fam)
		return f, s.fill(f, drawSet(t))
	}
	m := s.machine(t, fam)
	m.build()
	must(t, m.F.Equal(m.Twin), "the result depends on how the structure was built")
	return m.F, m.members()
}

// fill adds keys to f. It returns those that fit.
func (s Structure[S]) fill(f S, keys []string) (in []string) {
	add := s.Add(f)[0]
	for _, key := range keys {
		if _, err := add.do(key); err == nil {
			in = append(in, key)
		}
	}
	return in
}

func (m *Machine[S]) repeat() {
	m.Logf("%T %v", m.F, m.F)
	actions := map[string]func(*rapid.T){"": func(*rapid.T) { m.check() }}
	for name, do := range m.actions() {
		actions[name] = func(*rapid.T) { do() }
	}
	m.Repeat(actions)
	m.finish()
}

// Count adds n copies to the model.
func (m *Machine[S]) Count(key string, n uint64) {
	m.Counts[key] = sizing.AddSat(m.Counts[key], n)
	m.Added = append(m.Added, Entry{key, n, m.Now})
}

// Advance sets the time. Keys that were added before the first call belong to
// its time. Time never goes back.
func (m *Machine[S]) Advance(t int64) {
	if !m.Timed {
		m.Timed, m.Now = true, t
		for i := range m.Added {
			m.Added[i].At = t
		}
	}
	m.Now = max(m.Now, t)
}

// members returns the keys that must be found, in the order of their addition.
func (m *Machine[S]) members() (keys []string) {
	seen := map[string]bool{}
	for _, e := range m.Added {
		if m.Counts[e.Key] > 0 && !seen[e.Key] {
			seen[e.Key], keys = true, append(keys, e.Key)
		}
	}
	return keys
}

func (m *Machine[S]) total() (sum uint64) {
	for _, n := range m.Counts {
		sum = sizing.AddSat(sum, n)
	}
	return sum
}

func (m *Machine[S]) canonical() bool {
	return m.Exact && !m.forged && m.s.Canonical != nil && m.s.Canonical(m.F)
}

func (m *Machine[S]) check() {
	must(m, m.F.Equal(m.Twin), "the structure differs from its twin")
	if m.s.Remembered != nil && m.forged {
		clear(m.Counts) // it can have forgotten any key
	} else if m.s.Remembered != nil {
		m.Counts = m.s.Remembered(m)
	}
	m.checkCounts()
	if m.s.Len != nil && m.Exact {
		n, want := m.s.Len(m.F), m.total()
		must(m, n == want, "Len() = %d, want %d", n, want)
	}
	if m.s.Invariant != nil && !m.forged {
		m.s.Invariant(m)
	}
}

func (m *Machine[S]) checkCounts() {
	keys, most := m.members(), uint64(math.MaxUint64)
	if m.s.MostCount != nil {
		most = m.s.MostCount(m.F)
	}
	for _, question := range m.s.Questions {
		form := question(m.F)[0]
		numbers, _ := form.Bind(keys)()
		for i, key := range keys {
			least := uint64(1)
			if form.Counts {
				least = min(m.Counts[key], most)
			}
			must(m, numbers[i] >= least, "lost a key: %s(%q) = %d, want at least %d", form.Name, key, numbers[i], least)
		}
	}
}

// finish checks the invariants that are too slow for every action.
func (m *Machine[S]) finish() {
	m.Logf("at the end")
	requireBytes(m, encode(m, m.Twin), encode(m, m.F), "the structure and its twin are encoded differently")
	m.agree(append(m.members(), "key 0", "absent", ""))
	if m.total() <= 10_000 && m.s.Builders == nil {
		m.rebuild()
	}
	for _, check := range m.aside {
		check()
	}
}

// rebuild compares the structure with one that contains the same keys, and then
// deletes the keys.
func (m *Machine[S]) rebuild() {
	var keys []string
	for _, key := range m.members() {
		for range m.Counts[key] {
			keys = append(keys, key)
		}
	}
	if m.canonical() {
		f := m.s.Like(m.F)
		_, err := m.s.Add(f)[0].do(keys...)
		require.NoError(m, err)
		must(m, m.F.Equal(f), "the structure does not equal one with the same keys")
	}
	if m.deletes() {
		m.remove(m.s.Delete(m.F)[0], keys, len(keys))
		clear(m.Counts)
		must(m, !m.canonical() || m.F.Equal(m.s.Like(m.F)), "the structure is not empty after all keys were deleted")
	}
}

// Leave checks at the end that f has not changed since this call.
func (m *Machine[S]) Leave(f S) {
	b := encode(m, f)
	m.aside = append(m.aside, func() { requireBytes(m, b, encode(m, f), "a previous structure has changed") })
}

func must(t rapid.TB, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		t.Fatalf(format, args...)
	}
}
