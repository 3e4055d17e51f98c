package conformance

import (
	"fmt"
	"strconv"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Form is a variant of a method with a key. For example, AddString is a form
// of Add.
type Form struct {
	Name string
	// Counts is true if the result is the number of copies.
	Counts bool

	family hashfam.Family
	// call calls the method for all keys until it fails. It returns a number
	// for each key before the failure: the result of a query, or 1 if the key
	// was added, found or deleted, and otherwise 0. If the method returns only
	// the sum of these numbers, call returns this sum. When call is repeated
	// with the same keys, at least one, then only the method itself can
	// allocate.
	call func(*keys) ([]uint64, error)
}

// keys contains keys in all forms, and room for the numbers.
type keys struct {
	texts   []string
	bytes   [][]byte
	digests []hashfam.Digest
	numbers []uint64
}

// GoString is called by rapid.
func (f Form) GoString() string { return strconv.Quote(f.Name) }

func (f Form) keys(texts []string) *keys {
	k := &keys{texts: texts, digests: f.family.SumAllStrings(nil, texts), numbers: make([]uint64, len(texts))}
	for _, text := range texts {
		k.bytes = append(k.bytes, []byte(text))
	}
	return k
}

// do calls the method for all keys and returns the sum of the numbers.
func (f Form) do(texts ...string) (sum int, err error) {
	numbers, err := f.call(f.keys(texts))
	for _, n := range numbers {
		sum += int(n)
	}
	return sum, err
}

// Forms returns the forms of a method of f. methods are method values. Each
// takes one key (bytes, a string or a digest), a slice of digests, or slices of
// digests and keys. Each returns nothing, a number, a bool, an error, or a
// number or a bool with an error. If an element of methods is already a Form,
// Forms only sets its family.
func Forms(name string, f any, methods ...any) (forms []Form) {
	family := f.(interface{ Family() hashfam.Family }).Family()
	for _, m := range methods {
		form, ready := m.(Form)
		if !ready {
			suffix, call := callOf(m)
			form = Form{Name: name + suffix, call: call}
		}
		form.family = family
		forms = append(forms, form)
	}
	return forms
}

func callOf(m any) (suffix string, call func(*keys) ([]uint64, error)) {
	if one := method[[]byte](m); one != nil {
		return "", func(k *keys) ([]uint64, error) { return each(k.bytes, k.numbers, one) }
	}
	if one := method[string](m); one != nil {
		return "String", func(k *keys) ([]uint64, error) { return each(k.texts, k.numbers, one) }
	}
	if one := method[hashfam.Digest](m); one != nil {
		return "Digest", func(k *keys) ([]uint64, error) { return each(k.digests, k.numbers, one) }
	}
	return "All", func(k *keys) ([]uint64, error) {
		n := len(k.digests)
		var err error
		switch all := m.(type) {
		case func([]hashfam.Digest):
			all(k.digests)
		case func([]hashfam.Digest, [][]byte) error:
			err = all(k.digests, k.bytes)
		case func([]hashfam.Digest) int:
			n = all(k.digests)
		default:
			n, err = m.(func([]hashfam.Digest) (int, error))(k.digests)
		}
		return append(k.numbers[:0], uint64(n)), err
	}
}

// each calls a method for each key.
func each[K any](keys []K, numbers []uint64, call func(K) (uint64, error)) ([]uint64, error) {
	for i, key := range keys {
		n, err := call(key)
		if err != nil {
			return numbers[:i], err
		}
		numbers[i] = n
	}
	return numbers, nil
}

// Answers returns the form of a method such as ContainsAll, which appends an
// answer for each digest to a slice. Before the call, the slice contains mark.
// If the method overwrites mark instead of appending, the form returns no
// numbers, so the test fails.
func Answers[R comparable](name string, mark R, call func([]R, []hashfam.Digest) []R, number func(R) uint64) Form {
	dst := []R{mark}
	return Form{Name: name, call: func(k *keys) ([]uint64, error) {
		numbers := k.numbers[:0]
		dst = call(dst[:1], k.digests)
		if len(dst) > 0 && dst[0] == mark {
			for _, answer := range dst[1:] {
				numbers = append(numbers, number(answer))
			}
		}
		return numbers, nil
	}}
}

// method converts a method that takes a key of type K. It returns nil for other
// methods.
func method[K any](method any) func(K) (uint64, error) {
	switch call := method.(type) {
	case func(K):
		return func(key K) (uint64, error) { call(key); return 1, nil }
	case func(K) error:
		return func(key K) (uint64, error) { return 1, call(key) }
	case func(K) bool:
		return func(key K) (uint64, error) { return One(call(key)), nil }
	case func(K) uint64:
		return func(key K) (uint64, error) { return call(key), nil }
	case func(K) (bool, error):
		return func(key K) (uint64, error) { is, err := call(key); return One(is), err }
	}
	return nil
}

func One(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// Adds returns the forms of Add of f, or none if f cannot add keys. The
// following functions do the same for other methods.
func Adds(f any) []Form {
	type unlimited interface {
		Add([]byte)
		AddString(string)
		AddDigest(hashfam.Digest)
		AddAll([]hashfam.Digest)
	}
	type limited interface {
		Add([]byte) error
		AddString(string) error
		AddDigest(hashfam.Digest) error
		AddAll([]hashfam.Digest) (int, error)
	}
	switch f := f.(type) {
	case unlimited:
		return Forms("Add", f, f.Add, f.AddString, f.AddDigest, f.AddAll)
	case limited:
		return Forms("Add", f, f.Add, f.AddString, f.AddDigest, f.AddAll)
	}
	return none[interface{ Add([]byte) }](f)
}

func containsOrAdds(f any) []Form {
	type unlimited interface {
		ContainsOrAdd([]byte) bool
		ContainsOrAddString(string) bool
		ContainsOrAddDigest(hashfam.Digest) bool
	}
	type limited interface {
		ContainsOrAdd([]byte) (bool, error)
		ContainsOrAddString(string) (bool, error)
		ContainsOrAddDigest(hashfam.Digest) (bool, error)
	}
	switch f := f.(type) {
	case unlimited:
		return Forms("ContainsOrAdd", f, f.ContainsOrAdd, f.ContainsOrAddString, f.ContainsOrAddDigest)
	case limited:
		return Forms("ContainsOrAdd", f, f.ContainsOrAdd, f.ContainsOrAddString, f.ContainsOrAddDigest)
	}
	none[interface{ ContainsOrAdd([]byte) bool }](f)
	return none[interface{ ContainsOrAdd([]byte) (bool, error) }](f)
}

func deletes(f any) []Form {
	if f, ok := f.(interface {
		Delete([]byte) bool
		DeleteString(string) bool
		DeleteDigest(hashfam.Digest) bool
		DeleteAll([]hashfam.Digest) int
	}); ok {
		return Forms("Delete", f, f.Delete, f.DeleteString, f.DeleteDigest, f.DeleteAll)
	}
	return none[interface{ Delete([]byte) bool }](f)
}

func contains(f any) []Form {
	if f, ok := f.(interface {
		Contains([]byte) bool
		ContainsString(string) bool
		ContainsDigest(hashfam.Digest) bool
		ContainsAll([]bool, []hashfam.Digest) []bool
	}); ok {
		all := Answers("ContainsAll", true, f.ContainsAll, One)
		return Forms("Contains", f, f.Contains, f.ContainsString, f.ContainsDigest, all)
	}
	return none[interface{ Contains([]byte) bool }](f)
}

func counts(f any) []Form {
	if f, ok := f.(interface {
		Count([]byte) uint64
		CountString(string) uint64
		CountDigest(hashfam.Digest) uint64
		CountAll([]uint64, []hashfam.Digest) []uint64
	}); ok {
		all := Answers("CountAll", 7, f.CountAll, rapid.ID)
		return Counting(Forms("Count", f, f.Count, f.CountString, f.CountDigest, all))
	}
	return none[interface{ Count([]byte) uint64 }](f)
}

// none returns no forms. It panics if f has the first form of the method,
// because then f lacks another one.
func none[I any](f any) []Form {
	if _, has := f.(I); has {
		panic(fmt.Sprintf("%T has no other forms of %T", f, new(I)))
	}
	return nil
}

// Counting returns forms after setting Counts in all of them.
func Counting(forms []Form) []Form {
	for i := range forms {
		forms[i].Counts = true
	}
	return forms
}

func (s Structure) adds(f any) []Form    { return or(s.Add, Adds)(f) }
func (s Structure) deletes(f any) []Form { return or(s.Delete, deletes)(f) }

func or(own, usual func(any) []Form) func(any) []Form {
	if own != nil {
		return own
	}
	return usual
}

// questions returns the forms of each query of a structure or its view.
func (s Structure) questions(f any) (list [][]Form) {
	for _, question := range append([]func(any) []Form{contains, counts}, s.Questions...) {
		if forms := question(f); len(forms) > 0 {
			list = append(list, forms)
		}
	}
	return list
}

// names contains the keys that properties use: short and long ones, and "".
// Some long ones differ only at the end.
var names = func() []string {
	names := append(numbered(0, 12), "")
	for _, n := range []int{23, 64, 65, 255, 256, 300} {
		names = append(names, fmt.Sprintf("%0*d", n, 1), fmt.Sprintf("%0*d", n, 2))
	}
	return names
}()

func numbered(first, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprint("key ", first+i)
	}
	return keys
}

// DrawKey draws a key. Since there are only a few, keys will be repeated.
func DrawKey(t *rapid.T) string { return rapid.SampledFrom(names).Draw(t, "key") }

// DrawKeys draws up to 15 keys using [DrawKey].
func DrawKeys(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom(names), 0, 15).Draw(t, "keys")
}

func drawSet(t *rapid.T) []string {
	if rapid.Bool().Draw(t, "many") {
		return numbered(rapid.IntRange(0, 999).Draw(t, "first key"), rapid.IntRange(1, 400).Draw(t, "number of keys"))
	}
	return DrawKeys(t)
}

var (
	keyed    = hashfam.New(hashfam.Key{1, 2, 3})
	families = []hashfam.Family{{}, keyed, keyed.Derive("derived")}
)

func drawFamily(t *rapid.T) hashfam.Family { return rapid.SampledFrom(families).Draw(t, "family") }
