package hashfam_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNew() {
	// Store the key if filters outlive the process, and keep it secret.
	key := hashfam.RandomKey()
	f := hashfam.New(key)
	fmt.Println(f == hashfam.New(key))
	fmt.Println(hashfam.New(hashfam.Key{}) == hashfam.Family{})
	// Output:
	// true
	// true
}

func ExampleRandomKey() {
	a, b := hashfam.RandomKey(), hashfam.RandomKey()
	fmt.Println(a == b)
	fmt.Println(a) // does not show the key
	// Output:
	// false
	// hashfam.Key(hidden)
}

func ExampleRandom() {
	f := hashfam.Random()
	fmt.Println(f.Public(), hashfam.Family{}.Public())
	// Output: false true
}

func ExampleFamily_Sum() {
	var public hashfam.Family
	fmt.Printf("%016x\n", uint64(public.Sum([]byte("apple"))))
	fmt.Printf("%016x\n", uint64(public.Sum(nil)))
	// Output:
	// 09abe293414599fb
	// 1e924b9d737700d7
}

func ExampleFamily_SumString() {
	var public hashfam.Family
	fmt.Println(public.SumString("apple") == public.Sum([]byte("apple")))
	// Output: true
}

func ExampleFamily_SumUint64() {
	var public hashfam.Family
	fmt.Println(public.SumUint64(258) == public.Sum([]byte{2, 1, 0, 0, 0, 0, 0, 0}))
	// Output: true
}

func ExampleFamily_SumAll() {
	var public hashfam.Family
	digests := make([]hashfam.Digest, 0, 2) // room for both: no allocation
	digests = public.SumAll(digests, [][]byte{[]byte("apple"), []byte("pear")})
	fmt.Println(len(digests), digests[1] == public.SumString("pear"))
	// Output: 2 true
}

func ExampleFamily_Derive() {
	secret := hashfam.New(hashfam.RandomKey())
	users, orders := secret.Derive("users"), secret.Derive("orders")
	fmt.Println(users == orders)
	fmt.Println(users == secret.Derive("users"))
	// Output:
	// false
	// true
}

func ExampleFamily_CheckValue() {
	var public hashfam.Family
	fmt.Printf("%016x\n", public.CheckValue())

	key := hashfam.RandomKey()
	here, there := hashfam.New(key), hashfam.New(key)
	fmt.Println(here.CheckValue() == there.CheckValue())
	fmt.Println(here.CheckValue() == public.CheckValue())
	// Output:
	// 925fb7cf74fec682
	// true
	// false
}

func ExampleDigest_Probe() {
	d := hashfam.Family{}.SumString("apple")
	fmt.Println(uint64(d.Probe()) == uint64(d))
	// Output: false
}

// Five positions in a filter of 1000 bits.
func ExampleProbe_Next() {
	p := hashfam.Family{}.SumString("apple").Probe()
	for range 5 {
		fmt.Println(hashfam.Reduce(uint64(p), 1000))
		p = p.Next()
	}
	// Output:
	// 192
	// 543
	// 930
	// 433
	// 917
}

func ExampleFamily_Public() {
	fmt.Println(hashfam.Family{}.Public(), hashfam.Random().Public())
	// Output: true false
}

func ExampleReduce() {
	const x = 3 << 62 // three quarters of the way to 2^64
	fmt.Println(hashfam.Reduce(x, 100), hashfam.Reduce(x, 50), hashfam.Reduce(x, 1))
	// Output: 75 37 0
}

// A random identifier is hashed well enough by itself.
func ExampleDigest() {
	f, err := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []uint64{0x9e3779b97f4a7c15, 0xd1342543de82ef95} {
		f.AddDigest(hashfam.Digest(id))
	}
	fmt.Println(f.ContainsDigest(0x9e3779b97f4a7c15), f.ContainsDigest(0xbf58476d1ce4e5b9))
	// Output: true false
}
