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
