package conform

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A question is what structures are asked about keys, in all forms. Every
// answer is a number. Its functions allocate only what the structure does; only
// one goroutine may use them.
type question struct {
	name   string
	member bool // an answer above zero says that the key may be contained
	copies bool // the answer is at least the number of copies of the key
	bytes  func([]byte) uint64
	text   func(string) uint64
	digest func(hashfam.Digest) uint64
	// all returns nothing if the batch form does not append to what there is.
	// It is nil if there is no batch form.
	all func([]hashfam.Digest) []uint64
}

// The questions that the suite knows.
type (
	container interface {
		Contains([]byte) bool
		ContainsString(string) bool
		ContainsDigest(hashfam.Digest) bool
		ContainsAll([]bool, []hashfam.Digest) []bool
	}
	counter interface {
		Count([]byte) uint64
		CountString(string) uint64
		CountDigest(hashfam.Digest) uint64
		CountAll([]uint64, []hashfam.Digest) []uint64
	}
	// An indexer returns its length or more for keys that are not members.
	indexer interface {
		Index([]byte) uint64
		IndexString(string) uint64
		IndexDigest(hashfam.Digest) uint64
		IndexAll([]uint64, []hashfam.Digest) []uint64
		Len() uint64
	}
	valuer interface {
		Value([]byte) (uint64, bool)
		ValueString(string) (uint64, bool)
		ValueDigest(hashfam.Digest) (uint64, bool)
	}
	// An estimator returns two bounds.
	estimator[E any] interface {
		Estimate([]byte) E
		EstimateString(string) E
		EstimateDigest(hashfam.Digest) E
		EstimateAll([]E, []hashfam.Digest) []E
	}
)

// questions returns the questions that f, a structure or a view, can answer.
func (e Encoded[T]) questions(f any) (list []question) {
	if c, ok := f.(container); ok {
		list = append(list, ask("Contains", c.Contains, c.ContainsString, c.ContainsDigest, c.ContainsAll, true, one))
	}
	if c, ok := f.(counter); ok {
		list = append(list, ask("Count", c.Count, c.CountString, c.CountDigest, c.CountAll, 7, itself))
	}
	if x, ok := f.(indexer); ok {
		n := x.Len()
		list = append(list, ask("Index", x.Index, x.IndexString, x.IndexDigest, x.IndexAll, 7, func(i uint64) uint64 {
			if i >= n {
				return 0
			}
			return i + 1
		}))
	}
	if v, ok := f.(valuer); ok {
		list = append(list, question{
			name: "Value", member: true,
			bytes:  func(key []byte) uint64 { return valued(v.Value(key)) },
			text:   func(key string) uint64 { return valued(v.ValueString(key)) },
			digest: func(d hashfam.Digest) uint64 { return valued(v.ValueDigest(d)) },
		})
	}
	if e.Questions != nil {
		list = append(list, e.Questions(f)...)
	}
	return list
}

func itself(n uint64) uint64 { return n }

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func valued(value uint64, found bool) uint64 {
	if !found {
		return 0
	}
	return value + 1
}

// Estimates finds the questions of a structure that answers with two bounds,
// for [Encoded].Questions. A key may be contained if the higher one is above
// zero.
func Estimates[E interface {
	comparable
	~struct{ Low, High uint64 }
}](structure any) []question {
	s, ok := structure.(estimator[E])
	if !ok {
		return nil
	}
	high := func(e E) uint64 { return struct{ Low, High uint64 }(e).High }
	low := func(e E) uint64 { return struct{ Low, High uint64 }(e).Low }
	mark := E(struct{ Low, High uint64 }{7, 9})
	bounds := []question{
		ask("Estimate", s.Estimate, s.EstimateString, s.EstimateDigest, s.EstimateAll, mark, high),
		ask("Estimate", s.Estimate, s.EstimateString, s.EstimateDigest, s.EstimateAll, mark, low),
	}
	bounds[1].member = false
	return bounds
}

// ask returns a question whose answers are of type R. A batch is appended to
// mark and a zero answer.
func ask[R comparable](name string, bytes func([]byte) R, text func(string) R, digest func(hashfam.Digest) R,
	all func([]R, []hashfam.Digest) []R, mark R, number func(R) uint64) question {
	var answers []R
	var numbers []uint64
	var zero R
	return question{
		name: name, member: true, copies: name == "Count" || name == "Estimate",
		bytes:  func(key []byte) uint64 { return number(bytes(key)) },
		text:   func(key string) uint64 { return number(text(key)) },
		digest: func(d hashfam.Digest) uint64 { return number(digest(d)) },
		all: func(digests []hashfam.Digest) []uint64 {
			numbers = numbers[:0]
			answers = all(append(answers[:0], mark, zero), digests)
			if len(answers) < 2 || answers[0] != mark || answers[1] != zero {
				return nil
			}
			for _, answer := range answers[2:] {
				numbers = append(numbers, number(answer))
			}
			return numbers
		},
	}
}

// has reports whether f, a structure or a view, may contain a key.
func (e Encoded[T]) has(f any, key []byte) bool { return e.questions(f)[0].bytes(key) > 0 }

// requireAll checks that f contains all keys.
func (e Encoded[T]) requireAll(t require.TestingT, f T, keys [][]byte) {
	e.requireCounts(t, f, keys, nil)
}

// requireCounts checks that f contains all keys, by all questions, and that
// those about copies know of as many as counts has, up to 15, at which counters
// of four bits end.
func (e Encoded[T]) requireCounts(t require.TestingT, f T, keys [][]byte, counts map[string]uint64) {
	digests := f.Family().SumAll(nil, keys)
	for _, q := range e.questions(f) {
		if !q.member {
			continue
		}
		all := make([]uint64, len(keys))
		if q.all != nil {
			all = q.all(digests)
		}
		require.Len(t, all, len(keys), "%sAll: one answer per key, after what there was", q.name)
		for i, key := range keys {
			least := uint64(1)
			if q.copies {
				least = min(max(1, counts[string(key)]), 15)
			}
			if one := q.bytes(key); one < least || q.all != nil && all[i] < least {
				require.Fail(t, "lost a key", "%s of %x is %d, and in a batch %d, want at least %d", q.name, key, one, all[i], least)
			}
		}
	}
}

// answers returns the answers of f, a structure or a view, to all questions
// about keys. It checks that all forms give the same answers, and that all
// questions agree on which keys are contained.
func (e Encoded[T]) answers(t require.TestingT, f any, fam hashfam.Family, keys [][]byte) [][]uint64 {
	digests := fam.SumAll(nil, keys)
	var answers [][]uint64
	for _, q := range e.questions(f) {
		got := make([]uint64, len(keys))
		for i, key := range keys {
			got[i] = q.bytes(key)
			require.Equal(t, got[i], q.text(string(key)), "%sString of %x", q.name, key)
			require.Equal(t, got[i], q.digest(digests[i]), "%sDigest of %x", q.name, key)
			if q.member && len(answers) > 0 {
				require.Equal(t, answers[0][i] > 0, got[i] > 0, "%s says something else about %x", q.name, key)
			}
		}
		if q.all != nil {
			all := q.all(digests)
			require.Len(t, all, len(keys), "%sAll: one answer per key, after what there was", q.name)
			require.Equal(t, got, append([]uint64{}, all...), "%sAll", q.name)
		}
		answers = append(answers, got)
	}
	require.NotEmpty(t, answers, "%T answers no question", f)
	return answers
}

// allocations checks that no query of a key of any form and length allocates.
// The exception is the copy of a string in a build with the tag purego.
func (e Encoded[T]) allocations(t *rapid.T) {
	f, _ := e.fill(t, drawFamily(t))
	key := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
	text, digests := string(key), make([]hashfam.Digest, 42)
	for _, q := range e.questions(f) {
		requireAllocations(t, 0, q.name, func() { q.bytes(key) })
		requireAllocations(t, copies(text), q.name+"String", func() { q.text(text) })
		requireAllocations(t, 0, q.name+"Digest", func() { q.digest(1) })
		if q.all != nil {
			requireAllocations(t, 0, q.name+"All", func() { q.all(digests) })
			requireAllocations(t, 0, q.name+"All", func() { q.all(digests[:2]) })
		}
	}
}
