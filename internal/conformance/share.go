package conformance

import (
	"errors"
	"slices"
	"sync"

	"github.com/stretchr/testify/require"
)

// Shared is the concurrent form of a structure.
type Shared[T any] struct {
	// Form has the methods that insert and delete, in as many forms as there
	// are.
	Form any
	// Has queries a key. Snapshot returns the plain form.
	Has      func([]byte) bool
	Snapshot func() T
}

// A job is what one goroutine does with a concurrent form: it inserts keys and
// deletes others, in some form.
type job struct {
	add, remove     [][]byte
	addIn, removeIn form
	added           int
}

// share goes on with a snapshot of a concurrent form, on which one to four
// goroutines have worked, each on keys of its own. What they do commutes, so
// the multiset does not depend on the schedule. The place of keys may.
func (r *Run[T]) share() {
	shared, err := r.suite.Programs.Share(r.F)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	require.NoError(r, err)
	r.leave(r.F)
	if r.Bool() {
		r.alone(shared)
	} else {
		r.together(shared)
	}
	r.F = shared.Snapshot()
	if !r.canonical() {
		r.resync()
	}
	r.leave(shared.Snapshot()) // the concurrent form still works on its own
}

// jobs reads one job for each of some goroutines.
func (r *Run[T]) jobs(shared Shared[T]) []*job {
	adds, addNumbers := insertions(shared.Form, r.Family)
	removes, removeNumbers := deletions(shared.Form, r.Family)
	var jobs []*job
	for range 1 + r.Intn(4) {
		j := &job{add: r.Keys()}
		j.addIn = pick(adds, addNumbers, r.Intn(32), j.add)
		if len(removes) > 0 && r.suite.Delete != nil {
			j.remove = r.members()
			j.removeIn = pick(removes, removeNumbers, r.Intn(32), j.remove)
		}
		r.Note("goroutine %d: add %d keys %.20x, delete %d keys %.20x", len(jobs), len(j.add), j.add, len(j.remove), j.remove)
		jobs = append(jobs, j)
	}
	return jobs
}

// together runs jobs at the same time. A key that was added, or that was in the
// structure before, is found until its deletion.
func (r *Run[T]) together(shared Shared[T]) {
	jobs := r.jobs(shared)
	members := r.sorted() // without what the jobs will delete
	var lost sync.Map
	find := func(keys [][]byte) {
		for _, key := range keys {
			if !shared.Has(key) {
				lost.Store(string(key), true)
			}
		}
	}
	var wg sync.WaitGroup
	for i, j := range jobs {
		wg.Go(func() {
			find(j.remove)
			j.added, _ = j.addIn(j.add)
			find(j.add[:j.added])
			if i == 0 {
				find(members)
			}
			if len(j.remove) > 0 {
				if n, _ := j.removeIn(j.remove); n != len(j.remove) {
					lost.Store("deletions", true)
				}
			}
		})
	}
	wg.Wait()
	lost.Range(func(key, _ any) bool {
		require.Fail(r, "lost a key that goroutines use", "%x", key)
		return false
	})
	r.join(jobs)
}

// join does the same to the twin, with the deletions first: so it has at no
// time more copies of a key than the concurrent form had.
func (r *Run[T]) join(jobs []*job) {
	for _, j := range jobs {
		for _, key := range j.remove {
			r.suite.Delete(r.Twin, key)
		}
	}
	for _, j := range jobs {
		for _, key := range j.add[:j.added] {
			r.Count(key, 1)
			r.suite.Insert(r.Twin, key)
		}
	}
}

// alone uses the concurrent form like a plain one, in one goroutine.
func (r *Run[T]) alone(shared Shared[T]) {
	keys := r.Keys()
	adds, addNumbers := insertions(shared.Form, r.Family)
	removes, removeNumbers := deletions(shared.Form, r.Family)
	j := &job{add: keys, addIn: pick(adds, addNumbers, r.Intn(32), keys)}
	if len(removes) > 0 && r.suite.Delete != nil {
		j.remove = r.members()
		n, err := pick(removes, removeNumbers, r.Intn(32), j.remove)(j.remove)
		require.NoError(r, err)
		require.Equal(r, len(j.remove), n, "deletions")
	}
	r.Note("alone: add %d keys %.20x, delete %d keys %.20x", len(keys), keys, len(j.remove), j.remove)
	var err error
	if j.added, err = j.addIn(keys); err == nil {
		require.Equal(r, len(keys), j.added)
	}
	for _, key := range slices.Concat(r.sorted(), keys[:j.added]) {
		require.True(r, shared.Has(key), "lost key %x", key)
	}
	r.join([]*job{j})
}

// A Whole is what a concurrent form does with the whole structure.
type Whole[T any] interface {
	Reset()
	Merge(T) error
	Snapshot() T
}

// ShareWhole uses the concurrent form c of the structure on the whole: it
// resets it or not, merges another structure into it, calls same for some keys
// with a plain structure to which the same was done, and compares the two.
func (r *Run[T]) ShareWhole(c Whole[T], same func(plain T, key []byte)) {
	plain := r.suite.Clone(r.F)
	if r.Bool() {
		r.Note("reset the concurrent form")
		c.Reset()
		r.suite.Reset(plain)
	}
	other, keys := r.suite.Like(r.F), r.Keys()
	r.Note("merge %d keys into the concurrent form", len(keys))
	require.NoError(r, r.suite.InsertAll(other, keys))
	require.NoError(r, c.Merge(other))
	require.NoError(r, r.suite.Merge(plain, other))
	for _, key := range r.Keys() {
		same(plain, key)
	}
	require.True(r, c.Snapshot().Equal(plain), "the concurrent form differs")
}
