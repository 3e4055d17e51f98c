package conformance

import (
	"strconv"

	"github.com/filterfam/filterfam/hashfam"
)

// A Form is a variant of some method with a key, for example AddString for Add.
type Form struct {
	Name string
	// Bind returns a function that calls the method for all keys until it
	// fails. The function returns a number for each key, or the sum of the
	// numbers. This is the result of a query, or 1 if the key was added, found
	// or deleted. The function does not allocate, and must be called by one
	// goroutine at a time.
	Bind func(keys []string) (call func() ([]uint64, error))
	// Counts is true if the result is the number of copies.
	Counts bool
}

// GoString is called by rapid.
func (f Form) GoString() string { return strconv.Quote(f.Name) }

// do calls the method for all keys and returns the sum of the numbers.
func (f Form) do(keys ...string) (sum int, err error) {
	numbers, err := f.Bind(keys)()
	for _, n := range numbers {
		sum += int(n)
	}
	return sum, err
}

// Each returns a form whose method is called for each key.
func Each[K any](name string, convert func(string) K, call func(K) (uint64, error)) Form {
	return Form{Name: name, Bind: func(keys []string) func() ([]uint64, error) {
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

// Batch returns a form whose method is called once for all digests, or keys,
// and returns the number of successes.
func Batch(name string, fam hashfam.Family, call func([]hashfam.Digest, [][]byte) (int, error)) Form {
	return Form{Name: name, Bind: func(keys []string) func() ([]uint64, error) {
		list, sum := bytesOf(keys), make([]uint64, 1)
		digests := fam.SumAll(nil, list)
		return func() ([]uint64, error) {
			n, err := call(digests, list)
			sum[0] = uint64(n)
			return sum, err
		}
	}}
}

// Answers returns a form whose method appends an answer for each digest. If it
// does not append to mark, the form returns no numbers.
func Answers[R comparable](name string, fam hashfam.Family, mark R, call func([]R, []hashfam.Digest) []R, number func(R) uint64) Form {
	return Form{Name: name, Bind: func(keys []string) func() ([]uint64, error) {
		dst, numbers, digests := []R{mark}, make([]uint64, 0, len(keys)), fam.SumAll(nil, bytesOf(keys))
		return func() ([]uint64, error) {
			numbers = numbers[:0]
			if dst = call(dst[:1], digests); len(dst) > 0 && dst[0] == mark {
				for _, answer := range dst[1:] {
					numbers = append(numbers, number(answer))
				}
			}
			return numbers, nil
		}
	}}
}

// Forms returns the forms with bytes, a string and a digest.
func Forms(name string, fam hashfam.Family, bytes func([]byte) (uint64, error),
	text func(string) (uint64, error), digest func(hashfam.Digest) (uint64, error)) []Form {
	return []Form{Each(name, Bytes, bytes), Each(name+"String", Text, text), Each(name+"Digest", fam.SumString, digest)}
}

// Bytes and Text can be used as arguments of [Each].
func Bytes(key string) []byte { return []byte(key) }
func Text(key string) string  { return key }

func bytesOf(keys []string) [][]byte {
	list := make([][]byte, len(keys))
	for i, key := range keys {
		list[i] = []byte(key)
	}
	return list
}

// Done, Is and the following functions convert methods for [Each].
func Done[K any](call func(K)) func(K) (uint64, error) {
	return func(key K) (uint64, error) { call(key); return 1, nil }
}

func Is[K any](call func(K) bool) func(K) (uint64, error) {
	return func(key K) (uint64, error) { return One(call(key)), nil }
}

func tried[K any](call func(K) error) func(K) (uint64, error) {
	return func(key K) (uint64, error) { return 1, call(key) }
}

func found[K any](call func(K) (bool, error)) func(K) (uint64, error) {
	return func(key K) (uint64, error) {
		is, err := call(key)
		return One(is), err
	}
}

func counted[K any](call func(K) uint64) func(K) (uint64, error) {
	return func(key K) (uint64, error) { return call(key), nil }
}

func One(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// The following functions return the forms of a method, or none if f does not
// have it. Structures share the names and signatures of their methods.

// Adds returns the forms of Add.
func Adds(f familiar) []Form {
	fam := f.Family()
	switch f := f.(type) {
	case interface {
		Add([]byte)
		AddString(string)
		AddDigest(hashfam.Digest)
		AddAll([]hashfam.Digest)
	}:
		all := func(d []hashfam.Digest, _ [][]byte) (int, error) { f.AddAll(d); return len(d), nil }
		return append(Forms("Add", fam, Done(f.Add), Done(f.AddString), Done(f.AddDigest)), Batch("AddAll", fam, all))
	case interface { // can fail
		Add([]byte) error
		AddString(string) error
		AddDigest(hashfam.Digest) error
		AddAll([]hashfam.Digest) (int, error)
	}:
		all := func(d []hashfam.Digest, _ [][]byte) (int, error) { return f.AddAll(d) }
		return append(Forms("Add", fam, tried(f.Add), tried(f.AddString), tried(f.AddDigest)), Batch("AddAll", fam, all))
	}
	return nil
}

// ContainsOrAdds returns the forms of ContainsOrAdd.
func ContainsOrAdds(f familiar) []Form {
	fam := f.Family()
	switch f := f.(type) {
	case interface {
		ContainsOrAdd([]byte) bool
		ContainsOrAddString(string) bool
		ContainsOrAddDigest(hashfam.Digest) bool
	}:
		return Forms("ContainsOrAdd", fam, Is(f.ContainsOrAdd), Is(f.ContainsOrAddString), Is(f.ContainsOrAddDigest))
	case interface { // can fail
		ContainsOrAdd([]byte) (bool, error)
		ContainsOrAddString(string) (bool, error)
		ContainsOrAddDigest(hashfam.Digest) (bool, error)
	}:
		return Forms("ContainsOrAdd", fam, found(f.ContainsOrAdd), found(f.ContainsOrAddString), found(f.ContainsOrAddDigest))
	}
	return nil
}

// Deletes returns the forms of Delete.
func Deletes(f familiar) (forms []Form) {
	fam := f.Family()
	if f, ok := f.(interface {
		Delete([]byte) bool
		DeleteDigest(hashfam.Digest) bool
	}); ok {
		forms = append(forms, Each("Delete", Bytes, Is(f.Delete)), Each("DeleteDigest", fam.SumString, Is(f.DeleteDigest)))
	}
	if f, ok := f.(interface {
		DeleteString(string) bool
		DeleteAll([]hashfam.Digest) int
	}); ok {
		all := func(d []hashfam.Digest, _ [][]byte) (int, error) { return f.DeleteAll(d), nil }
		forms = append(forms, Each("DeleteString", Text, Is(f.DeleteString)), Batch("DeleteAll", fam, all))
	}
	return forms
}

// Contains returns the forms of Contains.
func Contains(f any) []Form {
	s, ok := f.(interface {
		familiar
		Contains([]byte) bool
		ContainsString(string) bool
		ContainsDigest(hashfam.Digest) bool
		ContainsAll([]bool, []hashfam.Digest) []bool
	})
	if !ok {
		return nil
	}
	return append(Forms("Contains", s.Family(), Is(s.Contains), Is(s.ContainsString), Is(s.ContainsDigest)),
		Answers("ContainsAll", s.Family(), true, s.ContainsAll, One))
}

// Counts returns the forms of Count.
func Counts(f any) []Form {
	s, ok := f.(interface {
		familiar
		Count([]byte) uint64
		CountString(string) uint64
		CountDigest(hashfam.Digest) uint64
		CountAll([]uint64, []hashfam.Digest) []uint64
	})
	if !ok {
		return nil
	}
	return Counting(append(Forms("Count", s.Family(), counted(s.Count), counted(s.CountString), counted(s.CountDigest)),
		Answers("CountAll", s.Family(), 7, s.CountAll, func(n uint64) uint64 { return n })))
}

// Counting sets Counts of all forms.
func Counting(forms []Form) []Form {
	for i := range forms {
		forms[i].Counts = true
	}
	return forms
}

func (s Structure) adds(f Encoded) []Form {
	if s.Add != nil {
		return s.Add(f)
	}
	return Adds(f)
}

func (s Structure) deletes(f Encoded) []Form {
	if s.Delete != nil {
		return s.Delete(f)
	}
	return Deletes(f)
}

// questions returns the forms of each query of a structure or its view.
func (s Structure) questions(f any) (list [][]Form) {
	for _, question := range append([]func(any) []Form{Contains, Counts}, s.Questions...) {
		if forms := question(f); len(forms) > 0 {
			list = append(list, forms)
		}
	}
	return list
}
