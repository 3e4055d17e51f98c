package static_test

import (
	"bytes"
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

// If a key is in both lists, NewExact returns an error.
func ExampleNewExact() {
	var fam hashfam.Family
	revoked := fam.SumAllStrings(nil, []string{"serial 7", "serial 9"})
	valid := fam.SumAllStrings(nil, []string{"serial 1", "serial 2", "serial 3", "serial 4"})
	e, err := static.NewExact(context.Background(), static.ExactConfig{}, revoked, valid)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Contains([]byte("serial 7")), e.ContainsString("serial 1"))
	fmt.Println(e.ContainsAll(nil, valid))
	fmt.Println(e)
	data, err := e.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := static.ReadExactParams(bytes.NewReader(data), fam) // before a large file is decoded
	fmt.Println(p.SizeBytes(), "bytes", err)
	_, err = static.NewExact(context.Background(), static.ExactConfig{}, revoked, append(valid, fam.SumString("serial 7")))
	fmt.Println(err)
	// Output:
	// true false
	// [false false false false]
	// static.Exact(2 members, 4 others, 48 bytes, family public)
	// 48 bytes <nil>
	// static: invalid parameters: others = 1 digests of members, want digests that are not in members
}

// If all domains that can be looked up are known, no result needs to be wrong.
// For 18,147 malicious domains and 19,717 benign ones, an Exact needs 2.1 bits
// per malicious domain. A Bloom filter of 9.6 bits has 186 false positives.
func Example_exactDomains() {
	var fam hashfam.Family
	bad, good := fam.SumAllStrings(nil, data.MaliciousDomains()), fam.SumAllStrings(nil, data.BenignDomains())
	filter, err := bloom.New(bloom.Config{Capacity: uint64(len(bad)), FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range bad {
		filter.AddDigest(d)
	}
	guard, err := static.NewExact(context.Background(), static.ExactConfig{}, bad, good)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []struct {
		name     string
		size     uint64
		contains func(hashfam.Digest) bool
	}{{"exact", guard.SizeBytes(), guard.ContainsDigest}, {"bloom", filter.SizeBytes(), filter.ContainsDigest}} {
		fmt.Printf("%s: %5d bytes, %d of %d malicious domains found, %3d benign ones\n",
			c.name, c.size, found(bad, c.contains), len(bad), found(good, c.contains))
	}
	// Output:
	// exact:  4832 bytes, 18147 of 18147 malicious domains found,   0 benign ones
	// bloom: 21768 bytes, 18147 of 18147 malicious domains found, 186 benign ones
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
