package static_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// A filter is built from the digests of its keys. They can come in any order
// and with copies, and are the same set afterwards: append to them to build a
// larger filter.
func Example() {
	c := static.Config{FPRate: 0.01}
	var digests []hashfam.Digest
	for i := range 100_000 {
		digests = append(digests, c.Family.SumString(fmt.Sprint("user ", i)))
	}
	f, err := static.New(context.Background(), c, digests)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ContainsString("user 7"), f.Contains([]byte("user 99999")))
	fmt.Printf("%d keys, %.2f bits per key, rate %.2f %%\n",
		f.Len(), float64(8*f.SizeBytes())/float64(f.Len()), 100*f.FalsePositiveRate())

	digests = append(digests, c.Family.SumString("root"))
	f, err = static.New(context.Background(), c, digests)
	fmt.Println(f.Len(), f.ContainsString("root"), err)
	// Output:
	// true true
	// 100000 keys, 6.77 bits per key, rate 1.00 %
	// 100001 true <nil>
}

// A long build reports its progress, and ends early if its context does.
func ExampleNew() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := static.Config{FPRate: 0.01, Workers: 2, Progress: func(done, total uint64) {
		if done > total/2 {
			cancel()
		}
	}}
	numbers := make([]uint64, 200_000)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	_, err := static.New(ctx, c, c.Family.SumAllUint64(nil, numbers))
	fmt.Println(err)
	// Output: static: building: context canceled
}

// Digests that an external sort has put in order need not be in memory
// together.
func ExampleNewFromSorted() {
	c := static.Config{FPRate: 0.01}
	digests := c.Family.SumAllUint64(nil, []uint64{1, 2, 3, 4, 5})
	slices.SortFunc(digests, func(a, b hashfam.Digest) int { return cmp.Compare(a.Probe(), b.Probe()) })

	f, err := static.NewFromSorted(context.Background(), c, 5, slices.Values(digests))
	fmt.Println(f.ContainsAll(nil, digests), err)
	_, err = static.NewFromSorted(context.Background(), c, 6, slices.Values(digests))
	fmt.Println(err)
	// Output:
	// [true true true true true] <nil>
	// static: invalid parameters: n = 6, want the number of distinct digests
}

// Config.SizeBytes tells the memory for a hundred million keys in advance.
func ExampleConfig_SizeBytes() {
	for _, rate := range []float64{0.01, 0.001, 1e-12} {
		bytes, err := static.Config{FPRate: rate}.SizeBytes(100_000_000)
		fmt.Printf("%.1f MiB, %v\n", float64(bytes)/(1<<20), err)
	}
	// Output:
	// 80.7 MiB, <nil>
	// 119.7 MiB, <nil>
	// 0.0 MiB, static: invalid parameters: Config.FPRate = 1e-12, want at least 2.33e-10: a fingerprint has 32 bits, and equal digests have a chance of n/2^64
}

// filter returns a filter of the keys under a family.
func filter(fam hashfam.Family, keys ...string) *static.Filter {
	c := static.Config{FPRate: 0.001, Family: fam}
	f, err := static.New(context.Background(), c, fam.SumAllStrings(nil, keys))
	if err != nil {
		panic(err)
	}
	return f
}

// A system rejects passwords that are in common use or one edit away from one
// (Manber and Wu, Information Processing Letters 50, 1994). Two words that
// differ by one inserted, deleted or changed letter become equal if at most one
// letter is deleted from each. So the filter holds every password and what is
// left of it without one letter, and the same words are made of a password that
// someone chooses. The filter has no false negatives, so each such password is
// rejected.
func Example_unsuitablePasswords() {
	c := static.Config{FPRate: 0.0001}
	var digests []hashfam.Digest
	for _, password := range data.Passwords() {
		digests = c.Family.SumAllStrings(digests, shortened(password))
	}
	unsuitable, err := static.New(context.Background(), c, digests)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d words in %d bytes\n", unsuitable.Len(), unsuitable.SizeBytes())
	for _, password := range []string{"password", "passw0rd", "pasword", "dragon7", "monkye", "uncommonly", "7 gray whales"} {
		rejected := slices.ContainsFunc(shortened(password), unsuitable.ContainsString)
		fmt.Printf("%-13s rejected: %v\n", password, rejected)
	}
	// Output:
	// 73907 words in 124280 bytes
	// password      rejected: true
	// passw0rd      rejected: true
	// pasword       rejected: true
	// dragon7       rejected: true
	// monkye        rejected: true
	// uncommonly    rejected: false
	// 7 gray whales rejected: false
}

// shortened returns word, and what is left of it without one of its bytes.
func shortened(word string) []string {
	words := []string{word}
	for i := range len(word) {
		words = append(words, word[:i]+word[i+1:])
	}
	return words
}
