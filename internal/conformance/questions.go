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

// questions returns the forms of each question that f, a structure or a view,
// can answer, first those of bytes. Every answer is a number, and above zero if
// the key may be contained.
func (s Suite[T]) questions(f any, fam hashfam.Family) (list [][]form) {
	if c, ok := f.(container); ok {
		list = append(list, ask("Contains", fam, c.Contains, c.ContainsString, c.ContainsDigest, c.ContainsAll, true, one))
	}
	if c, ok := f.(counter); ok {
		list = append(list, ask("Count", fam, c.Count, c.CountString, c.CountDigest, c.CountAll, 7, func(n uint64) uint64 { return n }))
	}
	if x, ok := f.(indexer); ok {
		n := x.Len()
		list = append(list, ask("Index", fam, x.Index, x.IndexString, x.IndexDigest, x.IndexAll, 7,
			func(i uint64) uint64 { return (i + 1) * one(i < n) }))
	}
	if v, ok := f.(valuer); ok {
		number := func(value uint64, found bool) (uint64, error) { return (value + 1) * one(found), nil }
		list = append(list, []form{
			each("Value", same, func(key []byte) (uint64, error) { return number(v.Value(key)) }),
			each("ValueString", textOf, func(key string) (uint64, error) { return number(v.ValueString(key)) }),
			each("ValueDigest", fam.Sum, func(d hashfam.Digest) (uint64, error) { return number(v.ValueDigest(d)) }),
		})
	}
	if s.Questions != nil {
		list = append(list, s.Questions(f, fam)...)
	}
	return list
}

// Estimates finds the question of a structure that answers with two bounds, for
// [Suite].Questions. Forms must agree on both.
func Estimates[E interface {
	comparable
	~struct{ Low, High uint64 }
}](structure any, fam hashfam.Family) [][]form {
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
	return [][]form{
		ask("Estimate", fam, s.Estimate, s.EstimateString, s.EstimateDigest, s.EstimateAll, mark, high),
		ask("Low of Estimate", fam, s.Estimate, s.EstimateString, s.EstimateDigest, s.EstimateAll, mark, low),
	}
}

// ask returns the forms of a question whose answers are of type R. A batch must
// be appended to mark and a zero answer, or there are no answers.
func ask[R comparable](name string, fam hashfam.Family, bytes func([]byte) R, text func(string) R, digest func(hashfam.Digest) R,
	all func([]R, []hashfam.Digest) []R, mark R, number func(R) uint64) []form {
	batch := func(keys [][]byte) func() ([]uint64, error) {
		var zero R
		answers, numbers, digests := []R{mark, zero}, make([]uint64, 0, len(keys)), fam.SumAll(nil, keys)
		return func() ([]uint64, error) {
			numbers = numbers[:0]
			if answers = all(answers[:2], digests); len(answers) >= 2 && answers[0] == mark && answers[1] == zero {
				for _, answer := range answers[2:] {
					numbers = append(numbers, number(answer))
				}
			}
			return numbers, nil
		}
	}
	return []form{
		each(name, same, answering(bytes, number)), each(name+"String", textOf, answering(text, number)),
		each(name+"Digest", fam.Sum, answering(digest, number)), {name + "All", batch},
	}
}

// has reports whether f may contain a key.
func (s Suite[T]) has(f T, key []byte) bool {
	answers, _ := s.questions(f, hashfam.Family{})[0][0].bind([][]byte{key})()
	return answers[0] > 0 // a count may be above the largest int
}

// answers returns the answers of f, a structure or a view, to all questions
// about keys. It checks that all forms give the same answers, and that all
// questions agree on which keys are contained.
func (s Suite[T]) answers(t require.TestingT, f any, fam hashfam.Family, keys [][]byte) (answers [][]uint64) {
	for _, question := range s.questions(f, fam) {
		want, err := question[0].bind(keys)()
		require.NoError(t, err)
		for _, form := range question[1:] {
			got, _ := form.bind(keys)()
			require.Equal(t, want, got, "answers of %s and %s about %.20x", question[0].name, form.name, keys)
		}
		for i := range keys {
			require.True(t, len(answers) == 0 || answers[0][i] > 0 == (want[i] > 0), "%s disagrees about %x", question[0].name, keys[i])
		}
		answers = append(answers, want)
	}
	require.NotEmpty(t, answers, "%T answers no question", f)
	return answers
}

// requireAll checks that f contains all keys, and as many copies of each as
// counts has, up to 15, at which counters of four bits end.
func (s Suite[T]) requireAll(t require.TestingT, f T, keys [][]byte, counts map[string]uint64) {
	answers := s.answers(t, f, f.Family(), keys)
	for n, question := range s.questions(f, f.Family()) {
		name, least := question[0].name, uint64(1)
		for i, key := range keys {
			if name == "Count" || name == "Estimate" {
				least = min(max(1, counts[string(key)]), 15)
			}
			if answers[n][i] < least {
				require.Fail(t, "lost a key", "%s of %x is %d, want at least %d", name, key, answers[n][i], least)
			}
		}
	}
}
