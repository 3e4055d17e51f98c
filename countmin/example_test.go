package countmin_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// printAll prints keys with the most that each may count.
func printAll(all iter.Seq2[string, countmin.Estimate]) {
	var list []string
	for key, e := range all {
		list = append(list, fmt.Sprint(key, " ", e.High))
	}
	fmt.Println(strings.Join(list, ", "))
}

func Example() {
	s, err := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		s.AddString(word)
	}
	fmt.Println(s.CountString("to"), s.CountString("or"), s.CountString("question"))
	fmt.Println(s.SizeBytes(), "bytes, however long the text")
	// Output:
	// 2 1 0
	// 54380 bytes, however long the text
}

// One pass of hashing feeds a filter, a sketch and the heavy hitters.
func Example_oneHashForAll() {
	seen, _ := bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01})
	counts, _ := countmin.New(countmin.Config{Epsilon: 0.001, Delta: 0.01})
	heavy, _ := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.3})

	keys := bytes.Fields([]byte("call me ishmael call me anything call"))
	digests := hashfam.Family{}.SumAll(nil, keys) // the family of all three
	for i, d := range digests {
		seen.AddDigest(d)
		counts.AddDigest(d)
		heavy.AddDigest(d, keys[i])
	}
	fmt.Println(seen.ContainsDigest(digests[0]), counts.CountAll(nil, digests[:3]))
	printAll(heavy.All())
	// Output:
	// true [3 2 1]
	// call 3
}

// Many keys at once take less time than one by one.
func ExampleSketch_AddAll() {
	s, err := countmin.New(countmin.Config{Epsilon: 0.01, Delta: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	digests := s.Family().SumAllStrings(nil, []string{"a", "b", "a"})
	s.AddAll(digests)
	s.AddNDigest(s.Family().SumUint64(17), 40)
	fmt.Println(s.CountAll(nil, digests), s.CountDigest(s.Family().SumUint64(17)))
	low, high := s.Bounds([]byte("a"))
	fmt.Println(s.Total(), "in all; a between", low, "and", high)
	// Output:
	// [2 1 2] 40
	// 43 in all; a between 2 and 2
}

// A count goes down again if the keys that leave have been counted.
func ExampleSketch_Remove() {
	inCart, _ := countmin.New(countmin.Config{Epsilon: 0.01, Delta: 0.01})
	inCart.AddN([]byte("hat"), 2)
	inCart.AddString("shoe")
	fmt.Println(inCart.Remove([]byte("hat"), 1), inCart.CountString("hat"))
	fmt.Println(inCart.Remove([]byte("shoe"), 2))
	// Output:
	// <nil> 1
	// countmin: invalid parameters: n = 2, want at most the key's count, 1
}

// The counts of several machines are one sketch, and the inner product of two
// sketches is the size of a join on the key.
func ExampleSketch_Merge() {
	p, err := countmin.Config{Epsilon: 0.01, Delta: 0.01}.Params()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p, "takes", p.SizeBytes(), "bytes")
	monday, _ := countmin.NewFromParams(p)
	tuesday, _ := countmin.NewFromParams(p)
	monday.AddN([]byte("anna"), 2)
	tuesday.AddN([]byte("anna"), 3)
	join, err := monday.InnerProduct(tuesday)
	fmt.Println(join, err)
	err = monday.Merge(tuesday)
	fmt.Println(monday.CountString("anna"), monday.Total(), err)
	// Output:
	// plain, 5 x 272 counters of 32 bits, family public takes 5440 bytes
	// 6 <nil>
	// 5 5 <nil>
}

// What was counted under a secret key is decoded by a receiver that has the
// key.
func ExampleNewReceiver() {
	secret := hashfam.New(hashfam.RandomKey())
	s, _ := countmin.New(countmin.Config{Epsilon: 0.01, Delta: 0.01, Family: secret})
	s.AddString("a")
	var file bytes.Buffer
	if _, err := s.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := countmin.ReadParams(bytes.NewReader(file.Bytes()), secret)
	fmt.Println(p.SizeBytes(), "bytes if it is decoded", err)

	err = new(countmin.Sketch).UnmarshalBinary(file.Bytes())
	fmt.Println(errors.Is(err, countmin.ErrFamily))
	g := countmin.NewReceiver(secret)
	_, err = g.ReadFrom(&file)
	fmt.Println(g.CountString("a"), err)
	// Output:
	// 5440 bytes if it is decoded <nil>
	// true
	// 1 <nil>
}
