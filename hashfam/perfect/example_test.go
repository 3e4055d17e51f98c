package perfect_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/data"
)

func Example() {
	keys := []string{"example.org", "example.net", "example.com"}
	c := perfect.Config{}
	f, err := perfect.New(context.Background(), c, c.Family.SumAllStrings(nil, keys))
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
		fmt.Println(key, counts[f.IndexString(key)])
	}
	// Output:
	// example.org 5
	// example.net 0
	// example.com 1
}

// This index of a word list maps each word to its line, and to the number of
// its occurrences in a novel. The function uses 2.2 bits per word and does not
// store the words. If a token is not in the list, the line at its index
// contains a different word.
func ExampleFunction_IndexAll() {
	words := data.EnglishWords()
	digests := hashfam.Family{}.SumAllStrings(nil, words)
	f, err := perfect.New(context.Background(), perfect.Config{}, slices.Clone(digests))
	if err != nil {
		fmt.Println(err)
		return
	}
	lines := make([]uint32, f.Len())
	for line, index := range f.IndexAll(nil, digests) {
		lines[index] = uint32(line)
	}
	counts := make([]int, f.Len())
	for _, token := range data.Tokens(data.MobyDick()) {
		if i := f.IndexString(token); words[lines[i]] == token {
			counts[i]++
		}
	}
	fmt.Printf("%d words, %.2f bits each\n", f.Len(), 8*float64(f.SizeBytes())/float64(f.Len()))
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

// The digests are read from a file, in which an external sort has stored the
// first values of their probe sequences. Since a sequence cannot report an
// error, the program keeps it in a variable and looks at it first.
func ExampleNewFromSorted() {
	words := data.EnglishWords()
	var probes []uint64
	for _, d := range (hashfam.Family{}).SumAllStrings(nil, words) {
		probes = append(probes, uint64(d.Probe()))
	}
	slices.Sort(probes) // or in parts, which are then merged
	var file bytes.Buffer
	if err := binary.Write(&file, binary.LittleEndian, probes); err != nil {
		fmt.Println(err)
		return
	}
	whole := file.Bytes()
	for _, content := range [][]byte{whole, whole[:len(whole)-1]} {
		var failure error
		digests := func(yield func(hashfam.Digest) bool) {
			r := bytes.NewReader(content)
			var b [8]byte
			for {
				_, err := io.ReadFull(r, b[:])
				if err != nil {
					if err != io.EOF {
						failure = err
					}
					return
				}
				if !yield(hashfam.Probe(binary.LittleEndian.Uint64(b[:])).Digest()) {
					return
				}
			}
		}
		f, err := perfect.NewFromSorted(context.Background(), perfect.Config{}, uint64(len(words)), digests)
		if failure != nil {
			fmt.Println("reading:", failure)
			continue
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(f.Len(), "words")
	}
	// Output:
	// 104334 words
	// reading: unexpected EOF
}

// The keys are sorted by their digests' probe sequences. If the program has an
// error, the message says which key is wrong.
func ExampleNewFilterFromSorted() {
	type score struct {
		digest hashfam.Digest
		value  uint64
	}
	var scores []score
	c := perfect.FilterConfig{FPRate: 1e-9, ValueBits: 8}
	for i, player := range []string{"ada", "bob", "cleo"} {
		scores = append(scores, score{c.Family.SumString(player), uint64(100 * i)})
	}
	slices.SortFunc(scores, func(a, b score) int { return cmp.Compare(a.digest.Probe(), b.digest.Probe()) })
	for _, n := range []uint64{3, 4} {
		f, err := perfect.NewFilterFromSorted(context.Background(), c, n, func(yield func(hashfam.Digest, uint64) bool) {
			for _, s := range scores {
				if !yield(s.digest, s.value) {
					return
				}
			}
		})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(f.ValueString("cleo"))
	}
	// Output:
	// 200 true
	// perfect: invalid parameters: n = 4, want the number of distinct digests, which is 3
}

// The size is known before there are any keys.
func ExampleConfig_EstimatedBytes() {
	for _, compact := range []bool{false, true} {
		bytes, err := perfect.Config{Compact: compact}.EstimatedBytes(1e9)
		fmt.Printf("%.0f MB, %v\n", float64(bytes)/1e6, err)
	}
	c := perfect.FilterConfig{FPRate: 0.01, ValueBits: 16}
	bytes, err := c.EstimatedBytes(1e9)
	fmt.Printf("%.1f GB with 16-bit values, %v\n", float64(bytes)/1e9, err)
	// Output:
	// 272 MB, <nil>
	// 242 MB, <nil>
	// 3.1 GB with 16-bit values, <nil>
}

// Equal keys cannot have different indexes.
func ExampleNew() {
	digests := hashfam.Family{}.SumAllStrings(nil, []string{"a", "b", "a"})
	_, err := perfect.New(context.Background(), perfect.Config{}, digests)
	fmt.Println(err)
	fmt.Printf("the digest of a is %#x\n", uint64(hashfam.Family{}.SumString("a")))
	// Output:
	// perfect: invalid parameters: digests = 1 equal to others, for example 0x96c20860cd93a249, want distinct digests; if no key is repeated, use another family
	// the digest of a is 0x96c20860cd93a249
}

// letters returns the digests of the letters a to m, computed by fam.
func letters(fam hashfam.Family) []hashfam.Digest {
	return fam.SumAll(nil, bytes.Fields([]byte("a b c d e f g h i j k l m")))
}

// The header contains the size of the function. A receiver with the same family
// decodes it.
func ExampleFunction_ReadFrom() {
	fam := hashfam.New(hashfam.Key{1, 2, 3}) // see hashfam.RandomKey
	f, err := perfect.New(context.Background(), perfect.Config{Compact: true, Family: fam}, letters(fam))
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := perfect.ReadParams(bytes.NewReader(file.Bytes()), fam)
	fmt.Println(p.SizeBytes(), err)
	g := perfect.NewReceiver(fam)
	_, err = g.ReadFrom(&file)
	fmt.Println(g.Equal(f), err)
	// Output:
	// 24 <nil>
	// true <nil>
}

func ExampleNewView() {
	f, err := perfect.New(context.Background(), perfect.Config{}, letters(hashfam.Family{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	encoded, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := perfect.NewView(encoded, f.Family())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.IndexString("a") == f.IndexString("a"), v.Verify())
	fmt.Println(v)
	// Output:
	// true <nil>
	// perfect.Function(13 keys, 24 bytes, family public)
}

func ExampleNewFilter() {
	c := perfect.FilterConfig{FPRate: 0.01, Compact: true}
	domains := data.MaliciousDomains()
	f, err := perfect.NewFilter(context.Background(), c, c.Family.SumAllStrings(nil, domains), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	benign := data.BenignDomains()
	wrong := 0
	for _, found := range f.ContainsAll(nil, f.Family().SumAllStrings(nil, benign)) {
		if found {
			wrong++
		}
	}
	fmt.Printf("%d keys, %.2f bits each, rate %.4f, %d of %d benign domains found\n",
		f.Len(), 8*float64(f.SizeBytes())/float64(f.Len()), f.FalsePositiveRate(), wrong, len(benign))
	text, err := json.Marshal(f) // a string
	fmt.Println(len(text), err)
	// Output:
	// 18147 keys, 9.00 bits each, rate 0.0100, 199 of 19717 benign domains found
	// 27354 <nil>
}

// A server uses values in a mapped file, if they have the expected width.
func ExampleNewFilterView() {
	c := perfect.FilterConfig{FPRate: 0.001, ValueBits: 4}
	f, err := perfect.NewFilter(context.Background(), c, c.Family.SumAllStrings(nil, []string{"read", "write"}), []uint64{4, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	encoded, err := f.MarshalBinary() // or the bytes of a mapped file
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := perfect.NewFilterView(encoded, c.Family)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := v.Params()
	fmt.Printf("%d bits of value, rate %.4f\n", p.ValueBits, p.FPRate)
	fmt.Println(v.ValueString("write"))
	fmt.Println(v.ValueString("erase"))
	// Output:
	// 4 bits of value, rate 0.0010
	// 2 true
	// 0 false
}

// The filter maps each country to its calling code, and detects other keys.
func ExampleFilter_ValueString() {
	countries := []string{"Denmark", "Finland", "Iceland", "Norway", "Sweden"}
	codes := []uint64{45, 358, 354, 47, 46}
	c := perfect.FilterConfig{FPRate: 1e-6, ValueBits: 10}
	f, err := perfect.NewFilter(context.Background(), c, c.Family.SumAllStrings(nil, countries), codes)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, country := range append(countries, "Atlantis") {
		fmt.Println(f.ValueString(country))
	}
	fmt.Println(f.ValueAll(nil, nil, c.Family.SumAllStrings(nil, []string{"Norway", "Atlantis"})))
	codes[0] = 1024 // needs 11 bits
	_, err = perfect.NewFilter(context.Background(), c, c.Family.SumAllStrings(nil, countries), codes)
	fmt.Println(err)
	// Output:
	// 45 true
	// 358 true
	// 354 true
	// 47 true
	// 46 true
	// 0 false
	// [47 0] [true false]
	// perfect: invalid parameters: value 0 = 1024, want at most 1023
}

// The filter maps each airport to a number of runways, which does not change,
// and to a record in a slice, which does.
func ExampleFilter_Index() {
	airports := []string{"KEF", "OSL", "ARN", "HEL", "CPH"}
	runways := []uint64{2, 2, 3, 3, 3}
	c := perfect.FilterConfig{FPRate: 1e-6, ValueBits: 3}
	f, err := perfect.NewFilter(context.Background(), c, c.Family.SumAllStrings(nil, airports), runways)
	if err != nil {
		fmt.Println(err)
		return
	}
	type record struct{ landings, delayed int }
	records := make([]record, f.Len())
	for _, code := range []string{"OSL", "HEL", "OSL", "XXX"} {
		d := f.Family().SumString(code)
		if f.ContainsDigest(d) { // otherwise, the record would belong to another airport
			records[f.IndexDigest(d)].landings++
		}
	}
	records[f.Index([]byte("HEL"))].delayed++
	for _, code := range airports {
		value, _ := f.ValueString(code)
		fmt.Println(code, value, "runways", records[f.IndexString(code)])
	}
	// Output:
	// KEF 2 runways {0 0}
	// OSL 2 runways {2 0}
	// ARN 3 runways {0 0}
	// HEL 3 runways {1 1}
	// CPH 3 runways {0 0}
}
