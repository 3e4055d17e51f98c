package conform

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A form is one of the ways in which a structure inserts keys, or deletes them.
type form struct {
	name string
	bind bind
}

// A bind converts keys to what a method takes, and returns calls of the method
// for all of them. These return how many keys were inserted, the first ones, or
// how many were deleted. They allocate only what the method does.
type bind func(keys [][]byte) (calls func() (int, error))

// do inserts or deletes keys.
func (f form) do(keys [][]byte) (int, error) { return f.bind(keys)() }

// each binds a method that takes one key.
func each[K any](convert func([]byte) K, insert func(K) error) bind {
	return func(keys [][]byte) func() (int, error) {
		converted := make([]K, len(keys))
		for i, key := range keys {
			converted[i] = convert(key)
		}
		return func() (int, error) {
			for i, key := range converted {
				if err := insert(key); err != nil {
					return i, err
				}
			}
			return len(converted), nil
		}
	}
}

// sure returns insert as a function that returns an error.
func sure[K any](insert func(K)) func(K) error {
	return func(key K) error { insert(key); return nil }
}

// batch binds a method that takes many keys.
func batch(fam hashfam.Family, insert func([]hashfam.Digest, [][]byte) (int, error)) bind {
	return func(keys [][]byte) func() (int, error) {
		digests := fam.SumAll(nil, keys)
		return func() (int, error) { return insert(digests, keys) }
	}
}

func same(key []byte) []byte   { return key }
func textOf(key []byte) string { return string(key) }

// A pair is a key and its digest.
type pair struct {
	digest hashfam.Digest
	key    []byte
}

// insertions returns the forms in which f inserts keys, first that of bytes.
func insertions(f any, fam hashfam.Family) (forms []form) {
	add := func(name string, b bind) { forms = append(forms, form{name, b}) }
	switch a := f.(type) {
	case interface{ Add([]byte) }:
		add("Add", each(same, sure(a.Add)))
	case interface{ Add([]byte) error }:
		add("Add", each(same, a.Add))
	}
	switch a := f.(type) {
	case interface{ AddString(string) }:
		add("AddString", each(textOf, sure(a.AddString)))
	case interface{ AddString(string) error }:
		add("AddString", each(textOf, a.AddString))
	}
	switch a := f.(type) {
	case interface{ AddDigest(hashfam.Digest) }:
		add("AddDigest", each(fam.Sum, sure(a.AddDigest)))
	case interface{ AddDigest(hashfam.Digest) error }:
		add("AddDigest", each(fam.Sum, a.AddDigest))
	case interface{ AddDigest(hashfam.Digest, []byte) }:
		add("AddDigest", each(func(key []byte) pair { return pair{fam.Sum(key), key} },
			sure(func(p pair) { a.AddDigest(p.digest, p.key) })))
	}
	switch a := f.(type) {
	case interface{ AddAll([]hashfam.Digest) }:
		add("AddAll", batch(fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { a.AddAll(d); return len(d), nil }))
	case interface {
		AddAll([]hashfam.Digest) (int, error)
	}:
		add("AddAll", batch(fam, func(d []hashfam.Digest, _ [][]byte) (int, error) { return a.AddAll(d) }))
	case interface {
		AddAll([]hashfam.Digest, [][]byte) error
	}:
		add("AddAll", batch(fam, func(d []hashfam.Digest, keys [][]byte) (int, error) { return len(d), a.AddAll(d, keys) }))
	}
	if a, ok := f.(interface{ AddN([]byte, uint64) }); ok {
		add("AddN", each(same, sure(func(key []byte) { a.AddN(key, 1) })))
	}
	if a, ok := f.(interface{ AddNDigest(hashfam.Digest, uint64) }); ok {
		add("AddNDigest", each(fam.Sum, sure(func(d hashfam.Digest) { a.AddNDigest(d, 1) })))
	}
	return forms
}

// insert adds keys as bytes, one by one, until one fails.
func insert(f any, keys ...[]byte) (int, error) {
	return insertions(f, hashfam.Family{})[0].do(keys)
}

// A remover removes copies of a key, or returns ErrParams if there are fewer or
// if it cannot remove any.
type remover interface{ Remove([]byte, uint64) error }

// deletions returns the forms in which f deletes keys, first that of bytes.
func deletions(f any, fam hashfam.Family) (forms []form) {
	add := func(name string, b bind) { forms = append(forms, form{name, b}) }
	if d, ok := f.(interface{ Delete([]byte) bool }); ok {
		add("Delete", counted(same, certain(d.Delete)))
	}
	if r, ok := f.(remover); ok {
		add("Remove", counted(same, func(key []byte) (bool, error) { return r.Remove(key, 1) == nil, nil }))
	}
	if r, ok := f.(interface {
		RemoveDigest(hashfam.Digest, uint64) error
	}); ok {
		add("RemoveDigest", counted(fam.Sum, func(d hashfam.Digest) (bool, error) { return r.RemoveDigest(d, 1) == nil, nil }))
	}
	if d, ok := f.(interface{ DeleteString(string) bool }); ok {
		add("DeleteString", counted(textOf, certain(d.DeleteString)))
	}
	if d, ok := f.(interface{ DeleteDigest(hashfam.Digest) bool }); ok {
		add("DeleteDigest", counted(fam.Sum, certain(d.DeleteDigest)))
	}
	if d, ok := f.(interface{ DeleteAll([]hashfam.Digest) int }); ok {
		add("DeleteAll", batch(fam, func(digests []hashfam.Digest, _ [][]byte) (int, error) { return d.DeleteAll(digests), nil }))
	}
	return forms
}

// counted binds a method that takes one key, and counts how often it returns
// true.
func counted[K any](convert func([]byte) K, do func(K) (bool, error)) bind {
	return func(keys [][]byte) func() (int, error) {
		n := 0
		calls := each(convert, func(key K) error {
			is, err := do(key)
			if is {
				n++
			}
			return err
		})(keys)
		return func() (int, error) {
			n = 0
			_, err := calls()
			return n, err
		}
	}
}

// certain returns do as a function that returns an error.
func certain[K any](do func(K) bool) func(K) (bool, error) {
	return func(key K) (bool, error) { return do(key), nil }
}

// finders returns the forms in which f queries a key and adds it if it is not
// found, in one call. They return how many keys were found, until an insertion
// fails.
func finders(f any, fam hashfam.Family) (forms []form) {
	add := func(name string, b bind) { forms = append(forms, form{name, b}) }
	switch a := f.(type) {
	case interface{ ContainsOrAdd([]byte) bool }:
		add("ContainsOrAdd", counted(same, certain(a.ContainsOrAdd)))
	case interface{ ContainsOrAdd([]byte) (bool, error) }:
		add("ContainsOrAdd", counted(same, a.ContainsOrAdd))
	}
	switch a := f.(type) {
	case interface{ ContainsOrAddString(string) bool }:
		add("ContainsOrAddString", counted(textOf, certain(a.ContainsOrAddString)))
	case interface {
		ContainsOrAddString(string) (bool, error)
	}:
		add("ContainsOrAddString", counted(textOf, a.ContainsOrAddString))
	}
	switch a := f.(type) {
	case interface {
		ContainsOrAddDigest(hashfam.Digest) bool
	}:
		add("ContainsOrAddDigest", counted(fam.Sum, certain(a.ContainsOrAddDigest)))
	case interface {
		ContainsOrAddDigest(hashfam.Digest) (bool, error)
	}:
		add("ContainsOrAddDigest", counted(fam.Sum, a.ContainsOrAddDigest))
	}
	return forms
}

// formLike matches the names of methods that take keys in some form.
var formLike = regexp.MustCompile(`^(Add|Contains|ContainsOrAdd|Delete|Remove|Count|Estimate|Index|Value)(N?(String|Digest|Uint64)?|All.*|Seq|.*At)$`)

// knownForms checks that the suite knows every method that takes keys, so that
// it tests every one.
func (e Encoded[T]) knownForms(t *testing.T) {
	f := e.example(hashfam.Family{})
	require.NoError(t, e.unknown(f))
	if v := e.viewOf(t, f); v != nil {
		require.NoError(t, e.unknown(v))
	}
}

// unknown returns an error if a method of f takes keys in a form that the suite
// does not know.
func (e Encoded[T]) unknown(f any) error {
	known := slices.Clone(e.Own)
	none := hashfam.Family{}
	for _, form := range slices.Concat(insertions(f, none), deletions(f, none), finders(f, none)) {
		known = append(known, form.name)
	}
	for _, q := range e.questions(f) {
		known = append(known, q.name, q.name+"String", q.name+"Digest")
		if q.all != nil {
			known = append(known, q.name+"All")
		}
	}
	for i := range reflect.TypeOf(f).NumMethod() {
		m := reflect.TypeOf(f).Method(i)
		if formLike.MatchString(m.Name) && !slices.Contains(known, m.Name) {
			return fmt.Errorf("%w: the suite does not know %s %v", errors.ErrUnsupported, m.Name, m.Type)
		}
	}
	return nil
}
