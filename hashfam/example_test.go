package hashfam_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// All structures of a family use the same digests, so each key is hashed only
// once.
func Example() {
	secret := hashfam.Random()
	config := bloom.Config{Capacity: 1000, FPRate: 0.001, Family: secret}
	today := hashfam.Must(bloom.New(config))
	ever := today.Clone()

	digests := secret.SumAllStrings(nil, []string{"apple", "pear"})
	today.AddDigest(digests[0])
	for _, d := range digests {
		ever.AddDigest(d)
	}
	fmt.Println(today.ContainsString("pear"), ever.ContainsString("pear"))
	// Output: false true
}

func ExampleNew() {
	// If filters outlive the process, store the key and keep it secret.
	key := hashfam.RandomKey()
	f := hashfam.New(key)
	fmt.Println(f == hashfam.New(key), f == hashfam.Family{})
	fmt.Println(key) // does not reveal the key
	fmt.Println(hashfam.New(hashfam.Key{}) == hashfam.Family{})
	// Output:
	// true false
	// hashfam.Key(hidden)
	// true
}

// keyIn returns the key in a file, or a new one if there is no file.
func keyIn(name string) (key hashfam.Key, err error) {
	stored, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		key = hashfam.RandomKey()
		return key, os.WriteFile(name, key[:], 0o600)
	}
	if err == nil && len(stored) != len(key) {
		err = fmt.Errorf("%s has %d bytes, want %d", name, len(stored), len(key))
	}
	copy(key[:], stored)
	return key, err
}

// A program stores its key in a file, so that it can read its filters after a
// restart.
func Example_keyInAFile() {
	dir := hashfam.Must(os.MkdirTemp("", ""))
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "key")
	first := hashfam.Must(keyIn(name))
	again := hashfam.Must(keyIn(name))
	fmt.Println(hashfam.New(first).Derive("users") == hashfam.New(again).Derive("users"))
	fmt.Println(os.WriteFile(name, []byte("a key"), 0o600))
	_, err := keyIn(name)
	fmt.Println(err != nil)
	// Output:
	// true
	// <nil>
	// true
}

func ExampleFamily_Derive() {
	secret := hashfam.Random()
	users, orders := secret.Derive("users"), secret.Derive("orders")
	fmt.Println(users == orders, users == secret.Derive("users"))
	// Output: false true
}

// Methods for batches use digests.
func ExampleFamily_SumAll() {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.001}))
	var digests []hashfam.Digest
	for _, keys := range [][][]byte{{[]byte("apple")}, {[]byte("pear"), []byte("plum")}} {
		digests = f.Family().SumAll(digests[:0], keys) // or SumAllStrings, SumAllUint64
		f.AddAll(digests)
	}
	fmt.Println(f.ContainsString("plum"))
	// Output: true
}

func ExampleFamily_UnmarshalText() {
	keyed := hashfam.New(hashfam.Key{1, 2, 3})
	text, err := keyed.MarshalText()
	fmt.Println(string(text), err)

	var f hashfam.Family
	fmt.Println(f.UnmarshalText([]byte("public")), f)
	fmt.Println(errors.Is(f.UnmarshalText(text), hashfam.ErrFamily)) // the text does not contain the key

	f = hashfam.New(hashfam.Key{1, 2, 3}) // UnmarshalText only checks the text
	fmt.Println(f.UnmarshalText(text))
	// Output:
	// keyed:d4b7cdebbc478981 <nil>
	// <nil> public
	// true
	// <nil>
}

func ExampleKey_MarshalText() {
	key := hashfam.Key{1, 2, 3}
	_, err := json.Marshal(map[string]hashfam.Key{"key": key})
	fmt.Println(errors.Is(err, hashfam.ErrSecret))
	fmt.Println(key.MarshalText())
	fmt.Println(key.UnmarshalText([]byte("010203")))
	// Output:
	// true
	// [] hashfam: secret key: a Key has no text form; to store it, write k[:]
	// hashfam: secret key: a Key has no text form; to set it, copy 16 bytes: copy(k[:], bytes)
}

// All packages return a FieldError if a field is invalid.
func ExampleFieldError() {
	_, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 2})
	var field *hashfam.FieldError
	if errors.As(err, &field) && errors.Is(err, hashfam.ErrParams) {
		fmt.Println(field.Package, field.Field, field.Value)
		fmt.Println("want", field.Allowed)
	}
	// Output:
	// bloom Config.FPRate 2
	// want above 0 and below 1; 0.05 is 5%
}

// The example computes five positions in a filter with 1000 bits.
func ExampleProbe_Next() {
	p := hashfam.Family{}.SumString("apple").Probe()
	for range 5 {
		fmt.Print(p.In(1000), " ")
		p = p.Next()
	}
	// Output: 192 543 930 433 917
}

// A random identifier can be used as a digest.
func ExampleDigest() {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01}))
	for _, id := range []uint64{0x9e3779b97f4a7c15, 0xd1342543de82ef95} {
		f.AddDigest(hashfam.Digest(id))
	}
	fmt.Println(f.ContainsDigest(0x9e3779b97f4a7c15), f.ContainsDigest(0xbf58476d1ce4e5b9))
	// Output: true false
}

// A visit is a key with two fields.
type visit struct {
	user uint64
	page string
}

// Package hash/maphash is faster than a family, and hashes values of any
// comparable type. Its seed is different in each process, so this filter must
// not be stored or sent.
func ExampleDigest_maphash() {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01, Layout: bloom.Blocked}))
	seed := maphash.MakeSeed() // use the same seed for all keys of f
	f.AddDigest(hashfam.Digest(maphash.String(seed, "apple")))
	f.AddDigest(hashfam.Digest(maphash.Comparable(seed, visit{17, "home"}))) // any comparable type
	fmt.Println(f.ContainsDigest(hashfam.Digest(maphash.String(seed, "apple"))))
	fmt.Println(f.ContainsDigest(hashfam.Digest(maphash.Comparable(seed, visit{17, "home"}))))
	fmt.Println(f.ContainsDigest(hashfam.Digest(maphash.Comparable(seed, visit{17, "help"}))))
	// Output:
	// true
	// true
	// false
}

func ExampleDigest_Shard() {
	counts := make([]int, 4)
	for i := range 1000 {
		d := hashfam.Family{}.SumString(fmt.Sprint("key ", i))
		counts[d.Shard(len(counts))]++
	}
	fmt.Println(counts)
	// Output: [242 242 262 254]
}

// The parameters are constants, so an error would be a mistake in the program.
func ExampleMust() {
	seen := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01}))
	fmt.Println(seen.ContainsOrAddString("apple"), seen.ContainsOrAddString("apple"))
	// Output: false true
}
