package old

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// The methods that take keys. Each can have four forms, whose names end in
// String, Digest, All or nothing. The suite finds out by the signature how they
// take keys and what they return.
var (
	insertions = []string{"Add", "AddN"}
	finders    = []string{"ContainsOrAdd"}
	deletions  = []string{"Delete", "Remove"}
	questions  = []string{"Contains", "Count", "Index", "Value"} // and Estimate, see Estimates
)

// formLike matches the names of methods that take keys in some form.
var formLike = regexp.MustCompile(`^(Add|Contains|ContainsOrAdd|Delete|Remove|Count|Estimate|Index|Value)(N?(String|Digest|Uint64)?|All.*|Seq|.*At)$`)

// A form is a method that takes keys in one way. Its bind converts keys to what
// the method takes and returns calls of it for all of them, until one fails.
// They return a number for each key: the answer to a question, or 1 if the key
// was added, found or deleted. Some batches return the sum. Calls allocate only
// what the method does, and only one goroutine may use them.
type form struct {
	name string
	bind
}

type bind func(keys [][]byte) (calls func() ([]uint64, error))

// do calls the method for all keys and returns the sum.
func (f form) do(keys ...[]byte) (sum int, err error) {
	numbers, err := f.bind(keys)()
	for _, n := range numbers {
		sum += int(n)
	}
	return sum, err
}

// familiar is what has a family: a structure or a view.
type familiar interface{ Family() hashfam.Family }

// forms returns the forms of methods that f has, first that of bytes. It panics
// if one has a signature that it does not know.
func forms[S familiar](f S, names ...string) (list []form) {
	for _, name := range names {
		for _, suffix := range []string{"", "String", "Digest", "All"} {
			m, has := reflect.TypeFor[S]().MethodByName(name + suffix)
			if !has {
				continue
			}
			method, number := m.Func.Interface(), func(n uint64) uint64 { return n }
			if name == "Index" { // it is the length or more for keys that are not members
				members := any(f).(interface{ Len() uint64 }).Len()
				number = func(i uint64) uint64 { return (i + 1) * one(i < members) }
			}
			all := []bind{
				single(f, same, method, number), single(f, textOf, method, number),
				single(f, f.Family().Sum, method, number), batch(f, method, number),
			}
			known := slices.IndexFunc(all, func(b bind) bool { return b != nil })
			if known < 0 {
				panic(fmt.Sprintf("the suite does not know %s %v", m.Name, m.Type))
			}
			list = append(list, form{m.Name, all[known]})
		}
	}
	return list
}

func same(key []byte) []byte   { return key }
func textOf(key []byte) string { return string(key) }

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// single binds a method of f that takes one key as a K. It returns nil if the
// method has another signature.
func single[S, K any](f S, convert func([]byte) K, method any, number func(uint64) uint64) bind {
	switch do := method.(type) {
	case func(S, K):
		return each(convert, func(key K) (uint64, error) { do(f, key); return 1, nil })
	case func(S, K) error:
		return each(convert, func(key K) (uint64, error) { return 1, do(f, key) })
	case func(S, K) bool:
		return each(convert, func(key K) (uint64, error) { return one(do(f, key)), nil })
	case func(S, K) (bool, error):
		return each(convert, func(key K) (uint64, error) {
			found, err := do(f, key)
			return one(found), err
		})
	case func(S, K) uint64:
		return each(convert, func(key K) (uint64, error) { return number(do(f, key)), nil })
	case func(S, K) (uint64, bool): // Value
		return each(convert, func(key K) (uint64, error) {
			value, found := do(f, key)
			return (value + 1) * one(found), nil
		})
	case func(S, K, uint64): // AddN
		return each(convert, func(key K) (uint64, error) { do(f, key, 1); return 1, nil })
	case func(S, K, uint64) error: // Remove
		return each(convert, func(key K) (uint64, error) { return one(do(f, key, 1) == nil), nil })
	}
	return nil
}

// each binds calls for one key.
func each[K any](convert func([]byte) K, call func(K) (uint64, error)) bind {
	return func(keys [][]byte) func() ([]uint64, error) {
		converted, numbers := make([]K, len(keys)), make([]uint64, len(keys))
		for i, key := range keys {
			converted[i] = convert(key)
		}
		return func() ([]uint64, error) {
			for i, key := range converted {
				n, err := call(key)
				if err != nil {
					return numbers[:i], err
				}
				numbers[i] = n
			}
			return numbers, nil
		}
	}
}

// batch binds a method of f that takes digests, and maybe their keys, too. It
// returns nil if the method has another signature.
func batch[S familiar](f S, method any, number func(uint64) uint64) bind {
	fam := f.Family()
	switch do := method.(type) {
	case func(S, []hashfam.Digest):
		return all(fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { do(f, d); return len(d), nil })
	case func(S, []hashfam.Digest) int:
		return all(fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { return do(f, d), nil })
	case func(S, []hashfam.Digest) (int, error):
		return all(fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { return do(f, d) })
	case func(S, []hashfam.Digest, [][]byte) error:
		return all(fam, func(d []hashfam.Digest, keys [][]byte) (int, error) { return len(d), do(f, d, keys) })
	case func(S, hashfam.Digest, []byte):
		return all(fam, func(digests []hashfam.Digest, keys [][]byte) (int, error) {
			for i, d := range digests {
				do(f, d, keys[i])
			}
			return len(keys), nil
		})
	case func(S, []bool, []hashfam.Digest) []bool:
		return answers(fam, func(dst []bool, d []hashfam.Digest) []bool { return do(f, dst, d) }, true, one)
	case func(S, []uint64, []hashfam.Digest) []uint64:
		return answers(fam, func(dst []uint64, d []hashfam.Digest) []uint64 { return do(f, dst, d) }, 7, number)
	}
	return nil
}

// all binds a call for all keys that returns how many it treated.
func all(fam hashfam.Family, call func([]hashfam.Digest, [][]byte) (int, error)) bind {
	return func(keys [][]byte) func() ([]uint64, error) {
		digests, sum := fam.SumAll(nil, keys), make([]uint64, 1)
		return func() ([]uint64, error) {
			n, err := call(digests, keys)
			sum[0] = uint64(n)
			return sum, err
		}
	}
}

// answers binds a call for all keys that appends its answers. There are no
// numbers unless it appends them to mark and a zero answer.
func answers[R comparable](fam hashfam.Family, call func([]R, []hashfam.Digest) []R, mark R, number func(R) uint64) bind {
	return func(keys [][]byte) func() ([]uint64, error) {
		var zero R
		answers, numbers, digests := []R{mark, zero}, make([]uint64, 0, len(keys)), fam.SumAll(nil, keys)
		return func() ([]uint64, error) {
			numbers = numbers[:0]
			if answers = call(answers[:2], digests); len(answers) >= 2 && answers[0] == mark && answers[1] == zero {
				for _, answer := range answers[2:] {
					numbers = append(numbers, number(answer))
				}
			}
			return numbers, nil
		}
	}
}

// Estimates finds the question of a structure that answers with two bounds, for
// [Suite].Questions. Forms must agree on both.
func Estimates[E interface {
	comparable
	~struct{ Low, High uint64 }
}](structure any, fam hashfam.Family) (list [][]form) {
	s := structure.(interface {
		Estimate([]byte) E
		EstimateString(string) E
		EstimateDigest(hashfam.Digest) E
		EstimateAll([]E, []hashfam.Digest) []E
	})
	high := func(e E) uint64 { return struct{ Low, High uint64 }(e).High }
	low := func(e E) uint64 { // 0 would say that the key is absent
		return (min(struct{ Low, High uint64 }(e).Low, math.MaxUint64-1) + 1) * one(high(e) > 0)
	}
	for i, name := range []string{"Estimate", "Low of Estimate"} {
		number := []func(E) uint64{high, low}[i]
		list = append(list, []form{
			{name, each(same, func(key []byte) (uint64, error) { return number(s.Estimate(key)), nil })},
			{name + "String", each(textOf, func(key string) (uint64, error) { return number(s.EstimateString(key)), nil })},
			{name + "Digest", each(fam.Sum, func(d hashfam.Digest) (uint64, error) { return number(s.EstimateDigest(d)), nil })},
			{name + "All", answers(fam, s.EstimateAll, E(struct{ Low, High uint64 }{7, 9}), number)},
		})
	}
	return list
}

// questionsOf returns the forms of each question that f can answer. Every
// answer is a number, and above zero if the key may be contained.
func questionsOf[S familiar](f S) (list [][]form) {
	for _, name := range questions {
		if question := forms(f, name); len(question) > 0 {
			list = append(list, question)
		}
	}
	return list
}

// questions is questionsOf with those that the suite does not know.
func (s Suite[T]) questions(f T) [][]form {
	list := questionsOf(f)
	if s.Questions != nil {
		list = append(list, s.Questions(f, f.Family())...)
	}
	return list
}

// has returns what reports whether f may contain a key.
func (s Suite[T]) has(f T) func(key []byte) bool {
	contains := s.questions(f)[0][0]
	return func(key []byte) bool {
		answers, _ := contains.bind([][]byte{key})()
		return answers[0] > 0 // a count may be above the largest int
	}
}

// ask returns the answers to all questions about keys. It checks that all forms
// give the same answers, and that all questions agree on which keys are
// contained.
func ask(t require.TestingT, questions [][]form, keys [][]byte) (answers [][]uint64) {
	for _, question := range questions {
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
	require.NotEmpty(t, answers, "there are no questions")
	return answers
}

// requireAll checks that f contains all keys, and as many copies of each as
// counts has, up to 15, at which counters of four bits end.
func (s Suite[T]) requireAll(t require.TestingT, f T, keys [][]byte, counts map[string]uint64) {
	questions := s.questions(f)
	for n, answers := range ask(t, questions, keys) {
		name, least := questions[n][0].name, uint64(1)
		for i, key := range keys {
			if name == "Count" || name == "Estimate" {
				least = min(max(1, counts[string(key)]), 15)
			}
			if answers[i] < least {
				require.Fail(t, "lost a key", "%s of %x is %d, want at least %d", name, key, answers[i], least)
			}
		}
	}
}

// knownForms checks that the suite knows every method that takes keys, so that
// it tests every one.
func (s Suite[T]) knownForms(t *testing.T) {
	names := slices.Concat(insertions, finders, deletions, questions)
	if s.Questions != nil {
		names = append(names, "Estimate")
	}
	known := regexp.MustCompile(`^(` + strings.Join(names, "|") + `)(String|Digest|All)?$`)
	types := []reflect.Type{reflect.TypeFor[T]()}
	if v := s.viewOf(t, s.example(hashfam.Family{})); v != nil {
		types = append(types, reflect.TypeOf(v.View))
	}
	for _, of := range types {
		for i := range of.NumMethod() {
			m := of.Method(i)
			require.True(t, known.MatchString(m.Name) || !formLike.MatchString(m.Name), "the suite does not know %s %v", m.Name, m.Type)
		}
	}
}
