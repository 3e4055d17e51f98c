package conformance

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// The methods that structures and their concurrent forms have under the same
// names. Programs use those that there are.
type (
	adder interface {
		Add([]byte)
		AddString(string)
		AddAll([][]byte)
		AddAllStrings([]string)
		AddSeq(iter.Seq[[]byte])
	}
	// A hasher takes digests instead of keys.
	hasher interface {
		AddDigest(hashfam.Digest)
		AddUint64(uint64)
		AddAllDigests([]hashfam.Digest)
		AddAllUint64([]uint64)
	}
	// A keyedHasher takes digests and keys.
	keyedHasher interface {
		AddDigest(hashfam.Digest, []byte)
		AddAllDigests([]hashfam.Digest, [][]byte) error
	}
	// A filler can become full.
	filler interface {
		Add([]byte) error
		AddString(string) error
		AddDigest(hashfam.Digest) error
		AddUint64(uint64) error
		AddAll([][]byte) (int, error)
		AddAllStrings([]string) (int, error)
		AddAllDigests([]hashfam.Digest) (int, error)
		AddAllUint64([]uint64) (int, error)
		AddSeq(iter.Seq[[]byte]) (int, error)
	}
	deleter interface {
		Delete([]byte) bool
		DeleteString(string) bool
		DeleteDigest(hashfam.Digest) bool
		DeleteUint64(uint64) bool
	}
	batchDeleter interface {
		DeleteAll([][]byte) int
		DeleteAllStrings([]string) int
		DeleteAllDigests([]hashfam.Digest) int
		DeleteAllUint64([]uint64) int
	}
	remover interface {
		Remove([]byte) error
		RemoveString(string) error
		RemoveDigest(hashfam.Digest) error
	}
	counter interface {
		Count([]byte) uint64
		CountString(string) uint64
		CountDigest(hashfam.Digest) uint64
		CountUint64(uint64) uint64
		CountAll([]uint64, [][]byte) []uint64
		CountAllStrings([]uint64, []string) []uint64
		CountAllDigests([]uint64, []hashfam.Digest) []uint64
		CountAllUint64([]uint64, []uint64) []uint64
	}
)

// A form inserts keys, or deletes them, in one of the ways that there are. It
// returns how many it inserted, the first ones, or how many it deleted.
type form func(keys [][]byte) (int, error)

// pick returns the form that a program chose. Keys that are not all numbers
// cannot take the last ones.
func pick(forms, numbers []form, i int, keys [][]byte) form {
	if len(numbersOf(keys)) == len(keys) {
		forms = append(forms, numbers...)
	}
	return forms[i%len(forms)]
}

// all returns a form that cannot fail.
func all[K any](convert func([][]byte) K, insert func(K)) form {
	return func(keys [][]byte) (int, error) {
		insert(convert(keys))
		return len(keys), nil
	}
}

// each returns a form that inserts keys one by one.
func each[K any](convert func([]byte) K, insert func(K) error) form {
	return func(keys [][]byte) (int, error) {
		for i, key := range keys {
			if err := insert(convert(key)); err != nil {
				return i, err
			}
		}
		return len(keys), nil
	}
}

// sure returns insert as a function that returns an error.
func sure[K any](insert func(K)) func(K) error {
	return func(key K) error { insert(key); return nil }
}

// batch returns a form that may stop before the last key.
func batch[K any](convert func([][]byte) K, insert func(K) (int, error)) form {
	return func(keys [][]byte) (int, error) { return insert(convert(keys)) }
}

func same[K any](keys K) K                 { return keys }
func textOf(key []byte) string             { return string(key) }
func numberOf(key []byte) uint64           { return binary.LittleEndian.Uint64(key) }
func seqOf(keys [][]byte) iter.Seq[[]byte] { return reused(keys) }

// insertions returns the forms in which f inserts keys, and those for numbers.
func insertions(f any, fam hashfam.Family) (forms, numbers []form) {
	sums := func(keys [][]byte) []hashfam.Digest { return fam.SumAll(nil, keys) }
	if a, ok := f.(adder); ok {
		forms = append(forms, each(same, sure(a.Add)), each(textOf, sure(a.AddString)),
			all(same, a.AddAll), all(stringsOf, a.AddAllStrings), all(seqOf, a.AddSeq))
	}
	if h, ok := f.(hasher); ok {
		forms = append(forms, each(fam.Sum, sure(h.AddDigest)), all(sums, h.AddAllDigests))
		numbers = append(numbers, each(numberOf, sure(h.AddUint64)), all(numbersOf, h.AddAllUint64))
	}
	if h, ok := f.(keyedHasher); ok {
		forms = append(forms,
			each(same, sure(func(key []byte) { h.AddDigest(fam.Sum(key), key) })),
			func(keys [][]byte) (int, error) { return len(keys), h.AddAllDigests(sums(keys), keys) })
	}
	if a, ok := f.(filler); ok {
		forms = append(forms, each(same, a.Add), each(textOf, a.AddString), each(fam.Sum, a.AddDigest),
			batch(same, a.AddAll), batch(stringsOf, a.AddAllStrings), batch(sums, a.AddAllDigests), batch(seqOf, a.AddSeq))
		numbers = append(numbers, each(numberOf, a.AddUint64), batch(numbersOf, a.AddAllUint64))
	}
	return forms, numbers
}

// eachDeleted returns a form that deletes keys one by one.
func eachDeleted[K any](convert func([]byte) K, remove func(K) bool) form {
	return func(keys [][]byte) (n int, _ error) {
		for _, key := range keys {
			if remove(convert(key)) {
				n++
			}
		}
		return n, nil
	}
}

// done returns remove as a function that reports whether it did.
func done[K any](remove func(K) error) func(K) bool {
	return func(key K) bool { return remove(key) == nil }
}

// counted returns a form from a method that cannot fail.
func counted[K any](convert func([][]byte) K, remove func(K) int) form {
	return func(keys [][]byte) (int, error) { return remove(convert(keys)), nil }
}

// deletions returns the forms in which f deletes keys, and those for numbers.
func deletions(f any, fam hashfam.Family) (forms, numbers []form) {
	sums := func(keys [][]byte) []hashfam.Digest { return fam.SumAll(nil, keys) }
	if d, ok := f.(deleter); ok {
		forms = append(forms, eachDeleted(same, d.Delete), eachDeleted(textOf, d.DeleteString), eachDeleted(fam.Sum, d.DeleteDigest))
		numbers = append(numbers, eachDeleted(numberOf, d.DeleteUint64))
	}
	if d, ok := f.(batchDeleter); ok {
		forms = append(forms, counted(same, d.DeleteAll), counted(stringsOf, d.DeleteAllStrings), counted(sums, d.DeleteAllDigests))
		numbers = append(numbers, counted(numbersOf, d.DeleteAllUint64))
	}
	if r, ok := f.(remover); ok {
		forms = append(forms, eachDeleted(same, done(r.Remove)), eachDeleted(textOf, done(r.RemoveString)), eachDeleted(fam.Sum, done(r.RemoveDigest)))
	}
	return forms, numbers
}

// countsOf returns the counts of keys in all forms that f has. All must be the
// same; with no such method there are none.
func countsOf(f any, fam hashfam.Family, keys [][]byte) [][]uint64 {
	c, ok := f.(counter)
	if !ok {
		return nil
	}
	var one, text, digest []uint64
	for _, key := range keys {
		one = append(one, c.Count(key))
		text = append(text, c.CountString(string(key)))
		digest = append(digest, c.CountDigest(fam.Sum(key)))
	}
	forms := [][]uint64{one, text, digest, c.CountAll(nil, keys), c.CountAllStrings(nil, stringsOf(keys)),
		c.CountAllDigests(nil, fam.SumAll(nil, keys))}
	if numbers := numbersOf(keys); len(numbers) == len(keys) {
		single := make([]uint64, 0, len(numbers))
		for _, n := range numbers {
			single = append(single, c.CountUint64(n))
		}
		forms = append(forms, single, c.CountAllUint64(nil, numbers))
	}
	return slices.DeleteFunc(forms, func(f []uint64) bool { return len(keys) == 0 })
}
