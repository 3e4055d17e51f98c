package static_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// A filter is built from digests, in any order and with any copies. The slice
// will contain the same digests in another order, so it can be used to build a
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
	fmt.Printf("%d keys, %.2f bits per key, rate %.2f%%\n",
		f.Len(), float64(8*f.SizeBytes())/float64(f.Len()), 100*f.FalsePositiveRate())

	digests = append(digests, c.Family.SumString("root"))
	f, err = static.New(context.Background(), c, digests)
	fmt.Println(f.Len(), f.ContainsString("root"), err)
	// Output:
	// true true
	// 100000 keys, 6.77 bits per key, rate 1.00%
	// 100001 true <nil>
}

// If digests are sorted externally, they do not all need to be in memory.
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
	// static: invalid parameters: n = 6, want the number of distinct digests, which is 5
}

// This system rejects common passwords, and passwords that differ from these by
// a single letter (Manber and Wu, Information Processing Letters 50, 1994). If
// two words differ by an inserted, deleted or changed letter, they can be made
// equal by deleting up to one letter from each. The filter therefore contains
// each common password, and the same password without any one of its letters.
// When a user chooses a password, the same words are looked up. Since there are
// no false negatives, all such passwords will be rejected.
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

// shortened returns word, and all words that lack one of its bytes.
func shortened(word string) []string {
	words := []string{word}
	for i := range len(word) {
		words = append(words, word[:i]+word[i+1:])
	}
	return words
}

// withFilter appends a filter of the keys to a table, and then a footer of
// eight bytes, which contains the filter's offset.
func withFilter(table []byte, digests []hashfam.Digest) ([]byte, error) {
	start := uint64(len(table))
	table, err := static.AppendFrame(context.Background(), table, static.Config{FPRate: 0.01}, digests)
	return binary.LittleEndian.AppendUint64(table, start), err
}

// mayContain reports whether a table in memory should be searched. It returns
// true after an error.
func mayContain(reader static.FrameReader, table []byte, d hashfam.Digest) (bool, error) {
	footer := len(table) - 8
	return reader.ContainsDigest(table[binary.LittleEndian.Uint64(table[footer:]):footer], d)
}

// This file of sorted keys contains their filter, and a footer with the
// filter's offset. The filter is queried in place before the file is searched.
func ExampleFrameReader() {
	var fam hashfam.Family
	table, err := withFilter([]byte("ada=1 alan=2 grace=3"), fam.SumAllStrings(nil, []string{"ada", "alan", "grace"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := static.NewFrameReader(fam) // should be used for all files
	fmt.Println(mayContain(reader, table, fam.SumString("grace")))
	fmt.Println(mayContain(reader, table, fam.SumString("edsger")))
	// Output:
	// true <nil>
	// false <nil>
}

// A block list must never block the hosts that are on another list. If a host
// is on both, NewExact returns an error.
func ExampleNewExact() {
	var fam hashfam.Family
	blocked := fam.SumAllStrings(nil, []string{"ads.example", "track.example"})
	never := fam.SumAllStrings(nil, []string{"example.org", "example.com", "example.net"})
	c := static.Config{FPRate: 0.01}
	f, err := static.NewExact(context.Background(), c, blocked, never)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Contains([]byte("ads.example")), f.ContainsString("example.org"))
	fmt.Println(f.ContainsAll(nil, never))
	fmt.Println(f)
	_, err = static.NewExact(context.Background(), c, blocked, append(never, fam.SumString("ads.example")))
	fmt.Println(err)
	// Output:
	// true false
	// [false false false]
	// static.Filter(2 keys, 3 absent keys, 5.72 columns, 1 layers, 128 bytes, family public)
	// static: invalid parameters: absent = 1 digest that is also in members, want digests that are not in members
}

// For 18,147 malicious domains, a filter at 1% needs 6.9 bits per domain if it
// must find none of 19,717 benign ones. If only these domains can be looked up,
// 2.1 bits are enough. A Bloom filter of 9.6 bits has 186 false positives.
func Example_exactDomains() {
	var fam hashfam.Family
	bad := fam.SumAllStrings(nil, data.MaliciousDomains())
	good := fam.SumAllStrings(nil, data.BenignDomains())
	filter := hashfam.Must(bloom.New(bloom.Config{Capacity: uint64(len(bad)), FPRate: 0.01}))
	for _, d := range bad {
		filter.AddDigest(d)
	}
	guard, err := static.NewExact(context.Background(), static.Config{FPRate: 0.01}, bad, good)
	if err != nil {
		fmt.Println(err)
		return
	}
	smallest, err := static.NewExact(context.Background(), static.Config{FPRate: 1}, bad, good)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []struct {
		name string
		size uint64
		f    interface{ ContainsDigest(hashfam.Digest) bool }
	}{{"static", guard.SizeBytes(), guard}, {"smallest", smallest.SizeBytes(), smallest}, {"bloom", filter.SizeBytes(), filter}} {
		fmt.Printf("%-8s %5d bytes, %d of %d malicious domains found, %3d benign ones\n",
			c.name, c.size, found(bad, c.f.ContainsDigest), len(bad), found(good, c.f.ContainsDigest))
	}
	// Output:
	// static   15496 bytes, 18147 of 18147 malicious domains found,   0 benign ones
	// smallest  4848 bytes, 18147 of 18147 malicious domains found,   0 benign ones
	// bloom    21768 bytes, 18147 of 18147 malicious domains found, 186 benign ones
}

// found counts the keys for which contains returns true.
func found[K any](keys []K, contains func(K) bool) (n int) {
	for _, key := range keys {
		if contains(key) {
			n++
		}
	}
	return n
}
