package conformance

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// The ways in which structures take keys, to add or to delete them. A structure
// has some of these interfaces.
type (
	adder interface {
		Add([]byte)
		AddString(string)
	}
	hasher interface {
		AddDigest(hashfam.Digest)
		AddAll([]hashfam.Digest)
	}
	keyedHasher interface {
		AddDigest(hashfam.Digest, []byte)
		AddAll([]hashfam.Digest, [][]byte) error
	}
	// A filler can become full.
	filler interface {
		Add([]byte) error
		AddString(string) error
		AddDigest(hashfam.Digest) error
		AddAll([]hashfam.Digest) (int, error)
	}
	weigher     interface{ AddN([]byte, uint64) }
	hashWeigher interface{ AddNDigest(hashfam.Digest, uint64) }
	finder      interface {
		ContainsOrAdd([]byte) bool
		ContainsOrAddString(string) bool
		ContainsOrAddDigest(hashfam.Digest) bool
	}
	fillFinder interface {
		ContainsOrAdd([]byte) (bool, error)
		ContainsOrAddString(string) (bool, error)
		ContainsOrAddDigest(hashfam.Digest) (bool, error)
	}
	deleter interface {
		Delete([]byte) bool
		DeleteDigest(hashfam.Digest) bool
	}
	moreDeleter interface {
		DeleteString(string) bool
		DeleteAll([]hashfam.Digest) int
	}
	remover interface {
		Remove([]byte, uint64) error
		RemoveDigest(hashfam.Digest, uint64) error
	}
)

// A form is a method that takes keys in one way. Its bind converts keys to what
// the method takes and returns calls of it for all of them, until one fails.
// They return a number for each key: the answer to a question, or 1 if the key
// was added, found or deleted. Some batches return the sum. Calls allocate only
// what the method does, and only one goroutine may use them.
type form struct {
	name string
	bind func(keys [][]byte) (calls func() ([]uint64, error))
}

// do calls the method for all keys and returns the sum.
func (f form) do(keys ...[]byte) (sum int, err error) {
	numbers, err := f.bind(keys)()
	for _, n := range numbers {
		sum += int(n)
	}
	return sum, err
}

// each returns the form of a method that takes one key.
func each[K any](name string, convert func([]byte) K, call func(K) (uint64, error)) form {
	return form{name, func(keys [][]byte) func() ([]uint64, error) {
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
	}}
}

// all returns the form of a method that takes many keys and returns how many it
// treated.
func all(name string, fam hashfam.Family, call func([]hashfam.Digest, [][]byte) (int, error)) form {
	return form{name, func(keys [][]byte) func() ([]uint64, error) {
		digests, sum := fam.SumAll(nil, keys), make([]uint64, 1)
		return func() ([]uint64, error) {
			n, err := call(digests, keys)
			sum[0] = uint64(n)
			return sum, err
		}
	}}
}

// Methods with other results, as [each] takes them.
func sure[K any](do func(K)) func(K) (uint64, error) {
	return func(key K) (uint64, error) { do(key); return 1, nil }
}

func failing[K any](do func(K) error) func(K) (uint64, error) {
	return func(key K) (uint64, error) { return 1, do(key) }
}

func finding[K any](do func(K) (bool, error)) func(K) (uint64, error) {
	return func(key K) (uint64, error) {
		found, err := do(key)
		return one(found), err
	}
}

func answering[K, R any](ask func(K) R, number func(R) uint64) func(K) (uint64, error) {
	return func(key K) (uint64, error) { return number(ask(key)), nil }
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func same(key []byte) []byte   { return key }
func textOf(key []byte) string { return string(key) }

// insertions returns the forms in which f adds keys, first that of bytes.
func insertions(f any, fam hashfam.Family) (forms []form) {
	if a, ok := f.(adder); ok {
		forms = append(forms, each("Add", same, sure(a.Add)), each("AddString", textOf, sure(a.AddString)))
	}
	if a, ok := f.(filler); ok {
		forms = append(forms, each("Add", same, failing(a.Add)), each("AddString", textOf, failing(a.AddString)),
			each("AddDigest", fam.Sum, failing(a.AddDigest)),
			all("AddAll", fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { return a.AddAll(d) }))
	}
	if a, ok := f.(hasher); ok {
		forms = append(forms, each("AddDigest", fam.Sum, sure(a.AddDigest)),
			all("AddAll", fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { a.AddAll(d); return len(d), nil }))
	}
	if a, ok := f.(keyedHasher); ok {
		forms = append(forms, all("AddDigest", fam, func(digests []hashfam.Digest, keys [][]byte) (int, error) {
			for i, d := range digests {
				a.AddDigest(d, keys[i])
			}
			return len(keys), nil
		}), all("AddAll", fam, func(d []hashfam.Digest, keys [][]byte) (int, error) { return len(d), a.AddAll(d, keys) }))
	}
	if a, ok := f.(weigher); ok {
		forms = append(forms, each("AddN", same, sure(func(key []byte) { a.AddN(key, 1) })))
	}
	if a, ok := f.(hashWeigher); ok {
		forms = append(forms, each("AddNDigest", fam.Sum, sure(func(d hashfam.Digest) { a.AddNDigest(d, 1) })))
	}
	return forms
}

// insert adds keys as bytes, one by one, until one fails.
func insert(f any, keys ...[]byte) (int, error) {
	return insertions(f, hashfam.Family{})[0].do(keys...)
}

// finders returns the forms in which f queries a key and adds it if it is not
// found.
func finders(f any, fam hashfam.Family) (forms []form) {
	if a, ok := f.(finder); ok {
		forms = append(forms, each("ContainsOrAdd", same, answering(a.ContainsOrAdd, one)),
			each("ContainsOrAddString", textOf, answering(a.ContainsOrAddString, one)),
			each("ContainsOrAddDigest", fam.Sum, answering(a.ContainsOrAddDigest, one)))
	}
	if a, ok := f.(fillFinder); ok {
		forms = append(forms, each("ContainsOrAdd", same, finding(a.ContainsOrAdd)),
			each("ContainsOrAddString", textOf, finding(a.ContainsOrAddString)),
			each("ContainsOrAddDigest", fam.Sum, finding(a.ContainsOrAddDigest)))
	}
	return forms
}

// deletions returns the forms in which f deletes keys, first that of bytes.
func deletions(f any, fam hashfam.Family) (forms []form) {
	if a, ok := f.(deleter); ok {
		forms = append(forms, each("Delete", same, answering(a.Delete, one)), each("DeleteDigest", fam.Sum, answering(a.DeleteDigest, one)))
	}
	if a, ok := f.(moreDeleter); ok {
		forms = append(forms, each("DeleteString", textOf, answering(a.DeleteString, one)),
			all("DeleteAll", fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { return a.DeleteAll(d), nil }))
	}
	if a, ok := f.(remover); ok {
		forms = append(forms, each("Remove", same, answering(func(key []byte) bool { return a.Remove(key, 1) == nil }, one)),
			each("RemoveDigest", fam.Sum, answering(func(d hashfam.Digest) bool { return a.RemoveDigest(d, 1) == nil }, one)))
	}
	return forms
}

// formLike matches the names of methods that take keys in some form.
var formLike = regexp.MustCompile(`^(Add|Contains|ContainsOrAdd|Delete|Remove|Count|Estimate|Index|Value)(N?(String|Digest|Uint64)?|All.*|Seq|.*At)$`)

// knownForms checks that the suite knows every method that takes keys, so that
// it tests every one.
func (s Suite[T]) knownForms(t *testing.T) {
	f := s.example(hashfam.Family{})
	for _, f := range []any{f, s.viewOf(t, f)} {
		if f == nil {
			continue
		}
		var known []string
		none := hashfam.Family{}
		forms := slices.Concat(insertions(f, none), deletions(f, none), finders(f, none), slices.Concat(s.questions(f, none)...))
		for _, form := range forms {
			known = append(known, form.name)
		}
		for i := range reflect.TypeOf(f).NumMethod() {
			m := reflect.TypeOf(f).Method(i)
			require.True(t, !formLike.MatchString(m.Name) || slices.Contains(known, m.Name), "the suite does not know %s %v", m.Name, m.Type)
		}
	}
}
