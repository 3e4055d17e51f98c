package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// Programs declares what random programs may do with a structure, besides what
// its [Suite] declares, and what must then be true. Every field may be nil.
type Programs[T Structure[T]] struct {
	// Keys is the number of keys that a program chooses from, see [ProgramKey];
	// 0 stands for 4096. Fresh replaces that of the suite.
	Keys  int
	Fresh func(*rapid.T, hashfam.Family) T
	// Canonical reports whether a structure depends only on the multiset of its
	// keys, so that it equals the one that they are added to one by one, and
	// the empty one after all are deleted. Nil stands for never.
	Canonical func(T) bool
	// Deletes reports whether Delete works with the parameters of a structure.
	// Nil stands for always.
	Deletes func(T) bool
	// Share returns the concurrent form of a structure, or
	// [errors.ErrUnsupported] if there is none for its parameters.
	Share func(T) (Shared[T], error)
	// More are further operations.
	More []func(*Run[T])
	// Remembered returns the keys that must be found, of those in the log of a
	// run, if the structure forgets.
	Remembered func(*Run[T]) map[string]uint64
	// Check checks what must be true after every operation.
	Check func(*Run[T])

	forged bool // the structure was decoded from a changed frame
}

// A Run is a program that is being run. It changes three things together: the
// structure, in every way that there is; a twin, to which the same keys are
// added as bytes and one by one, and which is never copied, encoded or shared;
// and an exact multiset of the keys. After each operation the structure equals
// the twin and contains the multiset.
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
	aside []aside[T]
	trace []string

	failed bool // whether the last merge failed
}

// An Entry is N copies of a key that were added at a time.
type Entry struct {
	Key string
	N   uint64
	At  int64
}

// An aside is a structure that a program has left behind, which must not change
// any more.
type aside[T any] struct {
	f       T
	encoded []byte
}

const (
	programSteps = 64   // the most operations of a program
	programKeys  = 8192 // the most keys that it adds
)

// Program runs a random program.
func (s Suite[T]) Program(t *rapid.T) {
	s.runProgram(t, drawCode(t, 128))
}

// FuzzProgram runs any program.
func (s Suite[T]) FuzzProgram(f *testing.F) {
	FuzzBytes(f, func(t *testing.T, program []byte) { s.runProgram(t, program) })
}

// runProgram runs a program on a new structure.
func (s Suite[T]) runProgram(t require.TestingT, program []byte) {
	code := &Code{program}
	fam := families[code.Intn(len(families))]
	fresh := s.Fresh
	if s.Programs.Fresh != nil {
		fresh = s.Programs.Fresh
	}
	f := drawn(code.Intn(1<<16), func(t *rapid.T) T { return fresh(t, fam) })
	r := &Run[T]{Code: code, Family: fam, F: f, Twin: s.Like(f), Counts: map[string]uint64{}, Exact: true, suite: s}
	r.TestingT = traced{t, &r.trace}
	r.Note("%T %v", f, f)
	operations := s.operations()
	for step := 0; step < programSteps && !r.Done(); step++ {
		operations[r.Intn(len(operations))](r)
		r.check()
	}
	r.finish()
}

// drawn returns what draw returns for a seed.
func drawn[T any](seed int, draw func(*rapid.T) T) T {
	return rapid.Custom(func(t *rapid.T) T {
		rapid.Bool().Draw(t, "one draw at least, which Custom requires")
		return draw(t)
	}).Example(seed)
}

// operations returns all operations that the structure has.
func (s Suite[T]) operations() []func(*Run[T]) {
	ops := []func(*Run[T]){(*Run[T]).add, (*Run[T]).add, (*Run[T]).query, (*Run[T]).recode, (*Run[T]).failToDecode}
	for _, optional := range []struct {
		has bool
		op  func(*Run[T])
	}{
		{s.HasOrInsert != nil, (*Run[T]).hasOrInsert},
		{s.Delete != nil, (*Run[T]).delete},
		{s.Delete != nil, (*Run[T]).delete},
		{s.Merge != nil, (*Run[T]).merge},
		{s.Merge != nil, (*Run[T]).mergeIncompatible},
		{s.Clone != nil, (*Run[T]).clone},
		{s.Reset != nil, (*Run[T]).reset},
		{s.Programs.Share != nil, (*Run[T]).share},
	} {
		if optional.has {
			ops = append(ops, optional.op)
		}
	}
	return append(ops, s.Programs.More...)
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
func (r *Run[T]) Key() []byte { return ProgramKey(r.Intn(r.universe())) }

func (r *Run[T]) universe() int {
	if n := r.suite.Programs.Keys; n > 0 {
		return n
	}
	return 4096
}

// Keys reads up to 15 keys, or up to a thousand that follow one another, some
// of them more than once. It reads no more than a program may still add.
func (r *Run[T]) Keys() [][]byte {
	keys := r.keys(r.universe())
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

// sorted returns the keys that must be in the structure, in order.
func (r *Run[T]) sorted() [][]byte {
	keys := make([][]byte, 0, len(r.Counts))
	for k, n := range r.Counts {
		if n > 0 {
			keys = append(keys, []byte(k))
		}
	}
	slices.SortFunc(keys, slices.Compare)
	return keys
}

// check checks what must be true after every operation.
func (r *Run[T]) check() {
	require.True(r, r.F.Equal(r.Twin), "the structure differs from its twin")
	if r.suite.Programs.Remembered != nil {
		r.Counts = r.suite.Programs.Remembered(r)
	}
	r.suite.requireAll(r, r.F, r.sorted())
	if r.suite.Programs.Check != nil {
		r.suite.Programs.Check(r)
	}
}

// canonical reports whether the structure must be the one of its keys.
func (r *Run[T]) canonical() bool {
	canonical := r.suite.Programs.Canonical
	return r.Exact && canonical != nil && canonical(r.F)
}

// finish checks what takes too long after every operation: the bytes, that the
// structure is the one of its keys, that none that was left behind has changed,
// and that every copy of every key can be deleted.
func (r *Run[T]) finish() {
	require.Equal(r, encode(r, r.Twin), encode(r, r.F))
	if r.canonical() {
		require.True(r, r.F.Equal(r.rebuilt()), "the structure is not that of its keys")
	}
	r.drain()
	for _, a := range r.aside {
		require.Equal(r, a.encoded, encode(r, a.f), "a structure that was left behind has changed")
	}
}

// total returns the number of copies of all keys.
func (r *Run[T]) total() uint64 {
	sum := uint64(0)
	for _, n := range r.Counts {
		sum = addSat(sum, n)
	}
	return sum
}

// rebuilt returns a structure to which the keys are added one by one, unless
// there are too many copies: then it returns the twin.
func (r *Run[T]) rebuilt() T {
	if r.total() > programKeys {
		return r.Twin
	}
	f := r.suite.Like(r.F)
	for _, key := range r.sorted() {
		for range r.Counts[string(key)] {
			require.NoError(r, r.suite.Insert(f, key))
		}
	}
	return f
}

// drain deletes every copy of every key.
func (r *Run[T]) drain() {
	if r.suite.Delete == nil || r.total() > programKeys {
		return
	}
	r.Note("delete all")
	for _, key := range r.sorted() {
		for range r.Counts[string(key)] {
			require.True(r, r.suite.Delete(r.F, key), "lost a copy of %x", key)
		}
	}
	clear(r.Counts)
	if r.canonical() {
		require.True(r, r.F.Equal(r.suite.Like(r.F)), "the structure contains other keys, too")
	}
}
