package conformance

import (
	"math"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// The questions about keys that structures and views answer in all forms.
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

// A question is one of these interfaces. Every answer is a number, and above
// zero if the key may be contained. The functions allocate only what the
// structure does; only one goroutine may use them.
type question struct {
	name   string
	copies bool // the answer is at least the number of copies of the key
	bytes  func([]byte) uint64
	text   func(string) uint64
	digest func(hashfam.Digest) uint64
	// all returns nothing if the batch form does not append to what there is.
	// It is nil if there is no batch form.
	all func([]hashfam.Digest) []uint64
}

// questions returns the questions that f, a structure or a view, can answer.
func (e Encoded[T]) questions(f any) (list []question) {
	if c, ok := f.(container); ok {
		list = append(list, ask("Contains", c.Contains, c.ContainsString, c.ContainsDigest, c.ContainsAll, true, one))
	}
	if c, ok := f.(counter); ok {
		list = append(list, ask("Count", c.Count, c.CountString, c.CountDigest, c.CountAll, 7, func(n uint64) uint64 { return n }))
	}
	if x, ok := f.(indexer); ok {
		n := x.Len()
		list = append(list, ask("Index", x.Index, x.IndexString, x.IndexDigest, x.IndexAll, 7,
			func(i uint64) uint64 { return (i + 1) * one(i < n) }))
	}
	if v, ok := f.(valuer); ok {
		number := func(value uint64, found bool) uint64 { return (value + 1) * one(found) }
		list = append(list, question{
			name:   "Value",
			bytes:  func(key []byte) uint64 { return number(v.Value(key)) },
			text:   func(key string) uint64 { return number(v.ValueString(key)) },
			digest: func(d hashfam.Digest) uint64 { return number(v.ValueDigest(d)) },
		})
	}
	if e.Questions != nil {
		list = append(list, e.Questions(f)...)
	}
	return list
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// Estimates finds the question of a structure that answers with two bounds, for
// [Encoded].Questions. Forms must agree on both.
func Estimates[E interface {
	comparable
	~struct{ Low, High uint64 }
}](structure any) []question {
	s, ok := structure.(estimator[E])
	if !ok {
		return nil
	}
	high := func(e E) uint64 { return struct{ Low, High uint64 }(e).High }
	low := func(e E) uint64 { // 0 would say that the key is absent
		b := struct{ Low, High uint64 }(e)
		return (min(b.Low, math.MaxUint64-1) + 1) * one(b.High > 0)
	}
	mark := E(struct{ Low, High uint64 }{7, 9})
	lower := ask("Estimate", s.Estimate, s.EstimateString, s.EstimateDigest, s.EstimateAll, mark, low)
	lower.copies = false
	return []question{ask("Estimate", s.Estimate, s.EstimateString, s.EstimateDigest, s.EstimateAll, mark, high), lower}
}

// ask returns a question whose answers are of type R. A batch is appended to
// mark and a zero answer.
func ask[R comparable](name string, bytes func([]byte) R, text func(string) R, digest func(hashfam.Digest) R,
	all func([]R, []hashfam.Digest) []R, mark R, number func(R) uint64) question {
	var answers []R
	var numbers []uint64
	var zero R
	return question{
		name: name, copies: name == "Count" || name == "Estimate",
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

// has reports whether f may contain a key.
func (e Encoded[T]) has(f T, key []byte) bool { return e.questions(f)[0].bytes(key) > 0 }

// answers returns the answers of f, a structure or a view, to all questions
// about keys. It checks that all forms give the same answers, and that all
// questions agree on which keys are contained.
func (e Encoded[T]) answers(t require.TestingT, f any, fam hashfam.Family, keys [][]byte) (answers [][]uint64) {
	digests := fam.SumAll(nil, keys)
	for _, q := range e.questions(f) {
		got := make([]uint64, len(keys))
		for i, key := range keys {
			got[i] = q.bytes(key)
			if got[i] != q.text(string(key)) || got[i] != q.digest(digests[i]) {
				require.Fail(t, "forms disagree", "%s of %x: %d, string %d, digest %d", q.name, key, got[i], q.text(string(key)), q.digest(digests[i]))
			}
			if len(answers) > 0 && answers[0][i] > 0 != (got[i] > 0) {
				require.Fail(t, "questions disagree", "%s of %x", q.name, key)
			}
		}
		if q.all != nil {
			require.Equal(t, got, append([]uint64{}, q.all(digests)...), "%sAll", q.name)
		}
		answers = append(answers, got)
	}
	require.NotEmpty(t, answers, "%T answers no question", f)
	return answers
}

// requireAll checks that f contains all keys, and as many copies of each as
// counts has, up to 15, at which counters of four bits end.
func (e Encoded[T]) requireAll(t require.TestingT, f T, keys [][]byte, counts map[string]uint64) {
	answers := e.answers(t, f, f.Family(), keys)
	for n, q := range e.questions(f) {
		for i, key := range keys {
			least := uint64(1)
			if q.copies {
				least = min(max(1, counts[string(key)]), 15)
			}
			if answers[n][i] < least {
				require.Fail(t, "lost a key", "%s of %x is %d, want at least %d", q.name, key, answers[n][i], least)
			}
		}
	}
}
