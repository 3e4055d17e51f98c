package bloom_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/data"
)

// A filter in front of a slow store saves lookups: only keys that the filter
// may contain are looked up. The store holds 18,147 malicious domains; the
// requests ask for these and for 19,717 benign ones.
func Example_maliciousDomains() {
	store := map[string]bool{} // stands for a database
	bad := data.MaliciousDomains()
	guard, err := bloom.New(bloom.Config{Capacity: uint64(len(bad)), FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, domain := range bad {
		store[domain] = true
		guard.AddString(domain)
	}

	requests := append(data.BenignDomains(), bad...)
	lookups, blocked := 0, 0
	for _, domain := range requests {
		if !guard.ContainsString(domain) {
			continue // certainly not malicious
		}
		lookups++
		if store[domain] {
			blocked++
		}
	}
	fmt.Printf("%d requests, %d blocked\n", len(requests), blocked)
	fmt.Printf("%d lookups saved, %d wasted\n", len(requests)-lookups, lookups-blocked)
	fmt.Printf("%d bytes in memory\n", guard.SizeBytes())
	// Output:
	// 37864 requests, 18147 blocked
	// 19531 lookups saved, 186 wasted
	// 21768 bytes in memory
}

// A spell checker flags every word that the filter does not contain, since such
// a word is certainly not in the dictionary. It misses about one wrong word in
// a thousand.
func Example_spellChecker() {
	words := data.EnglishWords()
	dictionary, err := bloom.New(bloom.Config{Capacity: uint64(len(words)), FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
	exact := map[string]bool{}
	for _, word := range words {
		dictionary.AddString(strings.ToLower(word))
		exact[strings.ToLower(word)] = true
	}

	text := slices.Compact(slices.Sorted(slices.Values(data.Tokens(data.MobyDick()))))
	flagged, wrong := 0, 0
	for _, word := range text {
		if !exact[word] {
			wrong++
		}
		if !dictionary.ContainsString(word) {
			flagged++
		}
	}
	fmt.Printf("%d distinct words, %d not in the dictionary, %d flagged\n", len(text), wrong, flagged)
	fmt.Printf("%d bytes in memory\n", dictionary.SizeBytes())
	// Output:
	// 16956 distinct words, 2159 not in the dictionary, 2157 flagged
	// 187512 bytes in memory
}

// The cosine of two filters measures the similarity of two texts. There is one
// sparse filter of word pairs for each of 30 passages of the Bible. The 15
// pairs of passages that are known to be parallel all have a higher cosine than
// the other 420.
func Example_similarPassages() {
	passages := data.Passages()
	filters := map[string]*bloom.Filter{}
	for _, p := range passages {
		f, err := bloom.NewFromParams(bloom.Params{Bits: 65536, Hashes: 4})
		if err != nil {
			fmt.Println(err)
			return
		}
		tokens := data.Tokens(p.Text)
		for i := range len(tokens) - 1 {
			f.AddString(tokens[i] + " " + tokens[i+1])
		}
		filters[p.ID] = f
	}

	parallel := map[[2]string]bool{}
	for _, pair := range data.ParallelPassages() {
		parallel[pair] = true
	}
	lowest, highest, unrelated := 1.0, 0.0, 0
	for i, p := range passages {
		for _, q := range passages[:i] {
			similarity, err := filters[p.ID].Cosine(filters[q.ID])
			if err != nil {
				fmt.Println(err)
				return
			}
			if parallel[[2]string{p.ID, q.ID}] || parallel[[2]string{q.ID, p.ID}] {
				lowest = min(lowest, similarity)
			} else {
				highest = max(highest, similarity)
				unrelated++
			}
		}
	}
	fmt.Printf("%d parallel pairs: at least %.3f\n", len(parallel), lowest)
	fmt.Printf("%d unrelated pairs: at most %.3f\n", unrelated, highest)
	// Output:
	// 15 parallel pairs: at least 0.258
	// 420 unrelated pairs: at most 0.178
}
