package static_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/internal/data"
)

// If all domains that can be asked for are known, no answer needs to be wrong:
// 18,147 malicious domains and 19,717 benign ones take 2.1 bits per malicious
// domain. A Bloom filter of 9.6 bits takes 186 benign domains for malicious
// ones.
func Example_exactDomains() {
	bad, good := data.MaliciousDomains(), data.BenignDomains()
	guard, err := static.NewExact(static.ExactConfig{}, keysOf(bad), keysOf(good))
	if err != nil {
		fmt.Println(err)
		return
	}
	filter, err := bloom.New(bloom.Config{Capacity: uint64(len(bad)), FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	filter.AddAllStrings(bad)
	fmt.Printf("exact: %5d bytes, %d of %d malicious domains found, %3d benign ones\n", guard.SizeBytes(),
		found(guard.ContainsAllStrings(nil, bad)), len(bad), found(guard.ContainsAllStrings(nil, good)))
	fmt.Printf("bloom: %5d bytes, %d of %d malicious domains found, %3d benign ones\n", filter.SizeBytes(),
		found(filter.ContainsAllStrings(nil, bad)), len(bad), found(filter.ContainsAllStrings(nil, good)))
	// Output:
	// exact:  4832 bytes, 18147 of 18147 malicious domains found,   0 benign ones
	// bloom: 21768 bytes, 18147 of 18147 malicious domains found, 186 benign ones
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

	checker, err := static.NewExact(static.ExactConfig{}, keysOf(dictionary), keysOf(unknown))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d distinct words, %d not in the dictionary, %d flagged\n",
		len(text), len(unknown), len(text)-found(checker.ContainsAllStrings(nil, text)))
	fmt.Printf("%d bytes in memory\n", checker.SizeBytes())
	// Output:
	// 16956 distinct words, 2159 not in the dictionary, 2159 flagged
	// 2128 bytes in memory
}

// keysOf returns the bytes of each string.
func keysOf(list []string) [][]byte {
	keys := make([][]byte, len(list))
	for i, s := range list {
		keys[i] = []byte(s)
	}
	return keys
}

// found returns the number of positive answers.
func found(answers []bool) (n int) {
	for _, a := range answers {
		if a {
			n++
		}
	}
	return n
}
