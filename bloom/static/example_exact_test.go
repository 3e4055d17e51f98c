package static_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// exact returns an Exact of the public family.
func exact(members, others []string) (*static.Exact, error) {
	var fam hashfam.Family
	return static.NewExact(context.Background(), static.ExactConfig{},
		fam.SumAllStrings(nil, members), fam.SumAllStrings(nil, others))
}

// A key in both lists has no right answer.
func ExampleNewExact() {
	revoked := []string{"serial 7", "serial 9"}
	valid := []string{"serial 1", "serial 2", "serial 3", "serial 4"}
	e, err := exact(revoked, valid)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Contains([]byte("serial 7")), e.ContainsString("serial 1"))
	fmt.Println(e.ContainsAll(nil, e.Family().SumAllStrings(nil, valid)))
	fmt.Println(e)
	_, err = exact(revoked, append(valid, "serial 7"))
	fmt.Println(err)
	// Output:
	// true false
	// [false false false false]
	// static.Exact(2 members, 4 others, 48 bytes, family public)
	// static: invalid parameters: others = 1 digests of members, want digests that are not in members
}

// If all domains that can be asked for are known, no answer needs to be wrong:
// 18,147 malicious domains and 19,717 benign ones take 2.1 bits per malicious
// domain. A Bloom filter of 9.6 bits takes 186 benign domains for malicious
// ones.
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

// found returns the number of keys that contains returns true for.
func found[K any](keys []K, contains func(K) bool) (n int) {
	for _, key := range keys {
		if contains(key) {
			n++
		}
	}
	return n
}

// A spell checker for one novel: the members are the words of a dictionary, the
// others are the words of Moby-Dick that are not in it. It finds all unknown
// words of the novel, in fewer bytes than a filter of the dictionary, which
// misses some. A new unknown word, in another text, would most likely pass: it
// is taken for one of the rarer class with chance 1/64 only.
func Example_exactSpellChecker() {
	dictionary := data.EnglishWords()
	for i, word := range dictionary {
		dictionary[i] = strings.ToLower(word)
	}
	slices.Sort(dictionary)
	text := slices.Compact(slices.Sorted(slices.Values(data.Tokens(data.MobyDick()))))
	var unknown []string
	for _, word := range text {
		if _, ok := slices.BinarySearch(dictionary, word); !ok {
			unknown = append(unknown, word)
		}
	}

	checker, err := exact(dictionary, unknown)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d distinct words, %d not in the dictionary, %d flagged\n",
		len(text), len(unknown), len(text)-found(text, checker.ContainsString))
	fmt.Printf("%d bytes in memory\n", checker.SizeBytes())
	// Output:
	// 16956 distinct words, 2159 not in the dictionary, 2159 flagged
	// 2128 bytes in memory
}
