package old

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Run is a program that is being run. It changes three things together: the
// structure, in every way that there is; a twin, to which the same keys are
// added as bytes and one by one, and which is never copied or encoded; and an
// exact multiset of the keys. After each operation the structure equals the
// twin and contains the multiset.
type Run[T Structure[T]] struct {
	require.TestingT
	*Code
	Family  hashfam.Family
	F, Twin T
	// Counts has the copies of every key that the structure must contain. Log
	// has the keys in the order in which they were added.
	Counts map[string]uint64
	Log    []Entry
	// Exact is whether Counts says all there is in the structure, and not only
	// the least.
	Exact bool
	// Now is the time of the last Advance since the last Reset, if Timed.
	Now   int64
	Timed bool

	suite Suite[T]
	aside []func() // check that what was left behind has not changed
	trace []string
}

// An Entry is N copies of a key that were added at a time.
type Entry struct {
	Key string
	N   uint64
	At  int64
}

const (
	programSteps = 64   // the most operations of a program
	programKeys  = 8192 // the most keys that it adds
	universe     = 4096 // the number of keys that it chooses from
)

// program runs a program on a new structure.
func (s Suite[T]) program(t require.TestingT, c *Code) {
	if s.Larger != nil {
		s.Source.Fresh = s.Larger
	}
	fam := families[c.Intn(len(families))]
	r := &Run[T]{Code: c, Family: fam, Counts: map[string]uint64{}, suite: s}
	keys := drawn(c.Intn(1<<16), func(t *rapid.T) (keys [][]byte) {
		r.F, r.Twin, keys = s.draw(t, fam)
		return keys
	})
	for _, key := range keys {
		if r.Counts[string(key)] == 0 {
			r.Count(key, 1)
		}
	}
	r.Exact = len(keys) == 0 // else the same set may have been built from copies
	r.TestingT = traced{t, &r.trace}
	r.Note("%T %v", r.F, r.F)
	r.run(programSteps)
}

// run does up to so many operations, and checks the structure after each.
func (r *Run[T]) run(steps int) {
	operations := r.operations()
	for step := 0; step < steps && !r.Done(); step++ {
		operations[r.Intn(len(operations))]()
		r.check()
	}
	r.finish()
}

// deletes reports whether the structure deletes keys.
func (r *Run[T]) deletes() bool {
	can := r.suite.Deletes
	return len(forms(r.F, deletions...)) > 0 && (can == nil || can(r.F))
}

// A traced test shows, when it fails, the operations that a program did.
type traced struct {
	require.TestingT
	trace *[]string
}

func (t traced) Errorf(format string, args ...any) {
	t.TestingT.Errorf("%s\nafter:\n\t%s", fmt.Sprintf(format, args...), strings.Join(*t.trace, "\n\t"))
}

// Note adds an operation to the trace.
func (r *Run[T]) Note(format string, args ...any) {
	r.trace = append(r.trace, fmt.Sprintf(format, args...))
}

// Key reads a key.
func (r *Run[T]) Key() []byte { return programKey(r.Intn(universe)) }

// Keys reads up to 15 keys, or up to a thousand that follow one another, some
// of them more than once. It reads no more than a program may still add.
func (r *Run[T]) Keys() [][]byte {
	keys := r.keys(universe)
	return keys[:min(len(keys), programKeys-min(len(r.Log), programKeys))]
}

// Count notes that n copies of a key were added.
func (r *Run[T]) Count(key []byte, n uint64) {
	k := string(key)
	r.Counts[k] = addSat(r.Counts[k], n)
	r.Log = append(r.Log, Entry{k, n, r.Now})
}

// Advance notes that it is now t. What was added before any time was known was
// added now, and time does not run backwards.
func (r *Run[T]) Advance(t int64) {
	if !r.Timed {
		r.Timed, r.Now = true, t
		for i := range r.Log {
			r.Log[i].At = t
		}
	}
	r.Now = max(r.Now, t)
}

func addSat(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return ^uint64(0)
}

// sorted returns the keys that must be in the structure, in order, or all
// copies of them.
func (r *Run[T]) sorted(copies bool) (keys [][]byte) {
	for _, k := range slices.Sorted(maps.Keys(r.Counts)) {
		for i := uint64(0); i < r.Counts[k] && (copies || i == 0); i++ {
			keys = append(keys, []byte(k))
		}
	}
	return keys
}

// check checks what must be true after every operation.
func (r *Run[T]) check() {
	require.True(r, r.F.Equal(r.Twin), "the structure differs from its twin")
	if r.suite.Remembered != nil {
		r.Counts = r.suite.Remembered(r)
	}
	r.suite.requireAll(r, r.F, r.sorted(false), r.Counts)
	if l, can := any(r.F).(interface{ Len() uint64 }); can && r.Exact {
		require.Equal(r, r.total(), l.Len(), "Len")
	}
	if r.suite.Check != nil {
		r.suite.Check(r)
	}
}

// canonical reports whether the structure must be the one of its keys.
func (r *Run[T]) canonical() bool {
	canonical := r.suite.Canonical
	return r.Exact && canonical != nil && canonical(r.F)
}

// total returns the number of copies of all keys.
func (r *Run[T]) total() (sum uint64) {
	for _, n := range r.Counts {
		sum = addSat(sum, n)
	}
	return sum
}

// finish checks what takes too long after every operation: the bytes, that the
// structure is the one of its keys, that every copy of every key can be
// deleted, and that nothing that was left behind has changed.
func (r *Run[T]) finish() {
	require.Equal(r, encode(r, r.Twin), encode(r, r.F))
	if r.total() <= programKeys {
		r.rebuild(r.sorted(true))
	}
	for _, check := range r.aside {
		check()
	}
}

// rebuild compares with a structure to which the keys are added one by one, and
// then deletes them.
func (r *Run[T]) rebuild(keys [][]byte) {
	if r.canonical() {
		f := r.suite.Source.Like(r.F)
		_, err := insert(f, keys...)
		require.NoError(r, err)
		require.True(r, r.F.Equal(f), "the structure is not that of its keys")
	}
	if !r.deletes() {
		return
	}
	r.Note("delete all")
	n, _ := forms(r.F, deletions...)[0].do(keys...)
	require.Equal(r, len(keys), n, "lost copies of keys")
	clear(r.Counts)
	if r.canonical() {
		require.True(r, r.F.Equal(r.suite.Source.Like(r.F)), "the structure contains other keys, too")
	}
}
