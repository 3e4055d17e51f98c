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
	// numbers. This is the answer to a question, or 1 if the key was added,
	// found or deleted. The function does not allocate, and must be called by
	// one goroutine at a time.
	Bind func(keys []string) (call func() ([]uint64, error))
	// Counts is true if the answer is the number of copies.
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

// Batch returns a form whose method is called once for all digests and returns
// the number of successes.
func Batch(name string, fam hashfam.Family, call func([]hashfam.Digest) (int, error)) Form {
	return Form{Name: name, Bind: func(keys []string) func() ([]uint64, error) {
		digests, sum := fam.SumAll(nil, bytesOf(keys)), make([]uint64, 1)
		return func() ([]uint64, error) {
			n, err := call(digests)
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

type familiar interface{ Family() hashfam.Family }

// Adds returns the forms of Add when it cannot fail.
func Adds[S interface {
	familiar
	Add([]byte)
	AddString(string)
	AddDigest(hashfam.Digest)
	AddAll([]hashfam.Digest)
}](s S) []Form {
	all := func(d []hashfam.Digest) (int, error) { s.AddAll(d); return len(d), nil }
	return append(Forms("Add", s.Family(), Done(s.Add), Done(s.AddString), Done(s.AddDigest)), Batch("AddAll", s.Family(), all))
}

// TryAdds returns the forms of Add when it can fail.
func TryAdds[S interface {
	familiar
	Add([]byte) error
	AddString(string) error
	AddDigest(hashfam.Digest) error
	AddAll([]hashfam.Digest) (int, error)
}](s S) []Form {
	return append(Forms("Add", s.Family(), tried(s.Add), tried(s.AddString), tried(s.AddDigest)), Batch("AddAll", s.Family(), s.AddAll))
}

// ContainsOrAdds returns the forms of ContainsOrAdd when it cannot fail.
func ContainsOrAdds[S interface {
	familiar
	ContainsOrAdd([]byte) bool
	ContainsOrAddString(string) bool
	ContainsOrAddDigest(hashfam.Digest) bool
}](s S) []Form {
	return Forms("ContainsOrAdd", s.Family(), Is(s.ContainsOrAdd), Is(s.ContainsOrAddString), Is(s.ContainsOrAddDigest))
}

// ContainsOrTryAdds returns the forms of ContainsOrAdd when it can fail.
func ContainsOrTryAdds[S interface {
	familiar
	ContainsOrAdd([]byte) (bool, error)
	ContainsOrAddString(string) (bool, error)
	ContainsOrAddDigest(hashfam.Digest) (bool, error)
}](s S) []Form {
	return Forms("ContainsOrAdd", s.Family(), found(s.ContainsOrAdd), found(s.ContainsOrAddString), found(s.ContainsOrAddDigest))
}

// Deletes returns the forms of Delete.
func Deletes[S interface {
	familiar
	Delete([]byte) bool
	DeleteString(string) bool
	DeleteDigest(hashfam.Digest) bool
	DeleteAll([]hashfam.Digest) int
}](s S) []Form {
	all := func(d []hashfam.Digest) (int, error) { return s.DeleteAll(d), nil }
	return append(Forms("Delete", s.Family(), Is(s.Delete), Is(s.DeleteString), Is(s.DeleteDigest)), Batch("DeleteAll", s.Family(), all))
}

// Contains returns the forms of Contains.
func Contains[S interface {
	familiar
	Contains([]byte) bool
	ContainsString(string) bool
	ContainsDigest(hashfam.Digest) bool
	ContainsAll([]bool, []hashfam.Digest) []bool
}](s S) []Form {
	return append(Forms("Contains", s.Family(), Is(s.Contains), Is(s.ContainsString), Is(s.ContainsDigest)),
		Answers("ContainsAll", s.Family(), true, s.ContainsAll, One))
}

// Counts returns the forms of Count.
func Counts[S interface {
	familiar
	Count([]byte) uint64
	CountString(string) uint64
	CountDigest(hashfam.Digest) uint64
	CountAll([]uint64, []hashfam.Digest) []uint64
}](s S) []Form {
	forms := append(Forms("Count", s.Family(), counted(s.Count), counted(s.CountString), counted(s.CountDigest)),
		Answers("CountAll", s.Family(), 7, s.CountAll, func(n uint64) uint64 { return n }))
	for i := range forms {
		forms[i].Counts = true
	}
	return forms
}
