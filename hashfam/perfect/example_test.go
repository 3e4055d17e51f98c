package perfect_test

import (
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/data"
)

func Example() {
	keys := [][]byte{[]byte("example.org"), []byte("example.net"), []byte("example.com")}
	f, err := perfect.New(perfect.Config{}, keys)
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := make([]int, f.Len())
	for range 5 {
		counts[f.IndexString("example.org")]++
	}
	counts[f.IndexString("example.com")]++
	for _, key := range keys {
		fmt.Println(string(key), counts[f.Index(key)])
	}
	// Output:
	// example.org 5
	// example.net 0
	// example.com 1
}

// An index of a word list: from a word to its line, and to the number of times
// that it is in a novel. The function takes 2.2 bits per word and does not keep
// the words. To compare a token with the line it leads to tells whether it is a
// word of the list.
func ExampleFunction_IndexAllStrings() {
	words := data.EnglishWords()
	f, err := perfect.NewFromDigests(perfect.Config{}, hashfam.Family{}.SumAllStrings(nil, words))
	if err != nil {
		fmt.Println(err)
		return
	}
	lines := make([]uint32, f.Len())
	for line, index := range f.IndexAllStrings(nil, words) {
		lines[index] = uint32(line)
	}
	counts := make([]int, f.Len())
	for _, token := range data.Tokens(data.MobyDick()) {
		if i := f.IndexString(token); words[lines[i]] == token {
			counts[i]++
		}
	}
	fmt.Printf("%d words, %.2f bits each\n", f.Len(), f.BitsPerKey())
	for _, word := range []string{"whale", "harpoon", "whiteness", "zygote"} {
		i := f.IndexString(word)
		fmt.Printf("%s: line %d, %d times\n", word, 1+lines[i], counts[i])
	}
	// Output:
	// 104334 words, 2.23 bits each
	// whale: line 102452, 1240 times
	// harpoon: line 54024, 76 times
	// whiteness: line 102699, 28 times
	// zygote: line 104332, 0 times
}

func ExampleNew() {
	f, err := perfect.New(perfect.Config{}, [][]byte{[]byte("a"), []byte("b"), []byte("c")})
	if err != nil {
		fmt.Println(err)
		return
	}
	indexes := f.IndexAllStrings(nil, []string{"a", "b", "c"})
	slices.Sort(indexes)
	fmt.Println(indexes, f.IndexString("not a key") < f.Len())
	_, err = perfect.New(perfect.Config{}, [][]byte{[]byte("a"), []byte("b"), []byte("a")})
	fmt.Println(err)
	// Output:
	// [0 1 2] true
	// perfect: invalid parameters: keys[2] = a copy of keys[0], want distinct keys
}

func ExampleNewFromDigests() {
	fam := hashfam.Random()
	digests := fam.SumAllStrings(nil, []string{"a", "b", "c"})
	f, err := perfect.NewFromDigests(perfect.Config{Family: fam}, slices.Clone(digests))
	if err != nil {
		fmt.Println(err)
		return
	}
	indexes := f.IndexAllDigests(nil, digests)
	fmt.Println(f.Len(), f.IndexDigest(digests[1]) == indexes[1], f.Index([]byte("b")) == indexes[1])
	// Output: 3 true true
}

func ExampleFunction_IndexAll() {
	numbers := []uint64{2, 3, 5, 7, 11}
	f, err := perfect.NewFromDigests(perfect.Config{}, hashfam.Family{}.SumAllUint64(nil, numbers))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, index := range f.IndexAllUint64(nil, numbers) {
		fmt.Print(index == f.IndexUint64(numbers[i]), " ")
	}
	fmt.Println(len(f.IndexAll(nil, [][]byte{[]byte("a"), []byte("b")})))
	// Output: true true true true true 2
}

func ExampleNewFilter() {
	keys := make([][]byte, 0, 18_147)
	for _, domain := range data.MaliciousDomains() {
		keys = append(keys, []byte(domain))
	}
	f, err := perfect.NewFilter(perfect.FilterConfig{FPRate: 0.01, Compact: true}, keys)
	if err != nil {
		fmt.Println(err)
		return
	}
	benign := data.BenignDomains()
	wrong := 0
	for _, found := range f.ContainsAllStrings(nil, benign) {
		if found {
			wrong++
		}
	}
	fmt.Println(!slices.Contains(f.ContainsAll(nil, keys), false), f.Contains(keys[0]), f.ContainsString(string(keys[1])))
	fmt.Printf("%d keys, %.2f bits each, rate %.4f, %d of %d benign domains found\n",
		f.Len(), f.BitsPerKey(), f.FalsePositiveRate(), wrong, len(benign))
	// Output:
	// true true true
	// 18147 keys, 9.00 bits each, rate 0.0100, 199 of 19717 benign domains found
}

// Replies of a server, kept with the hosts they belong to: the values change,
// the hosts do not.
func ExampleFilter_SetValue() {
	hosts := []string{"a.example.org", "b.example.org", "c.example.org"}
	fam := hashfam.Family{}
	f, err := perfect.NewFilterFromDigests(
		perfect.FilterConfig{FPRate: 1e-6, ValueBits: 10, Family: fam}, fam.SumAllStrings(nil, hosts))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, host := range hosts {
		f.SetValueString(host, 200)
	}
	fmt.Println(f.SetValue([]byte("b.example.org"), 503))
	fmt.Println(f.SetValueString("b.example.org", 1024), "// needs 11 bits")
	fmt.Println(f.SetValueString("d.example.org", 200), "// not in the set")
	for _, host := range append(hosts, "d.example.org") {
		fmt.Println(f.ValueString(host))
	}
	// Output:
	// true
	// false // needs 11 bits
	// false // not in the set
	// 200 true
	// 503 true
	// 200 true
	// 0 false
}

func ExampleFilter_Delete() {
	f, err := perfect.NewFilter(perfect.FilterConfig{FPRate: 0.001}, [][]byte{[]byte("a"), []byte("b")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.DeleteString("a"), f.ContainsString("a"), f.ContainsString("b"))
	fmt.Println(f.DeleteString("a"), "// is not in the set now")
	fmt.Println(f.RestoreString("a"), f.ContainsString("a"))
	// Output:
	// true false true
	// false // is not in the set now
	// true true
}

// A filter of integers. Digests serve as keys in every form, too.
func ExampleFilter_ValueUint64() {
	ids := []uint64{10, 20, 30}
	digests := hashfam.Family{}.SumAllUint64(nil, ids)
	f, err := perfect.NewFilterFromDigests(perfect.FilterConfig{FPRate: 1e-6, ValueBits: 8}, slices.Clone(digests))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.SetValueUint64(10, 1), f.SetValueDigest(digests[1], 2))
	fmt.Println(f.ValueUint64(10))
	fmt.Println(f.ValueDigest(digests[1]))
	fmt.Println(f.DeleteUint64(10), f.DeleteDigest(digests[1]), f.Delete([]byte("a key of another kind")))
	fmt.Println(f.RestoreUint64(10), f.RestoreDigest(digests[1]), f.Restore([]byte("a key of another kind")))
	fmt.Println(f.ContainsUint64(10), f.ContainsDigest(digests[1]))
	// Output:
	// true true
	// 1 true
	// 2 true
	// true true false
	// true true false
	// true true
}
