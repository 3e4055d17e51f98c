package static_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

func ExampleNewExact() {
	revoked := [][]byte{[]byte("serial 7"), []byte("serial 9")}
	valid := [][]byte{[]byte("serial 1"), []byte("serial 2"), []byte("serial 3"), []byte("serial 4")}
	e, err := static.NewExact(static.ExactConfig{}, revoked, valid)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Contains([]byte("serial 7")), e.ContainsString("serial 9"))
	fmt.Println(e.ContainsAll(nil, valid))
	fmt.Println(e.ContainsAllStrings(nil, []string{"serial 7", "serial 1"}))
	fmt.Println(e)
	// Output:
	// true true
	// [false false false false]
	// [true false]
	// static.Exact(2 members, 4 others, 48 bytes, family public)
}

// A key in both lists has no right answer.
func ExampleNewExact_both() {
	spam := [][]byte{[]byte("a.example"), []byte("b.example")}
	ham := [][]byte{[]byte("c.example"), []byte("b.example")}
	_, err := static.NewExact(static.ExactConfig{}, spam, ham)
	fmt.Println(err)
	// Output: static: invalid parameters: others[1] = members[1], want no key of members
}

func ExampleNewExactFromDigests() {
	fam := hashfam.New(hashfam.Key{1, 2, 3}) // see hashfam.RandomKey
	odd, even := []uint64{1, 3, 5}, []uint64{0, 2, 4, 6}
	e, err := static.NewExactFromDigests(static.ExactConfig{Family: fam}, fam.SumAllUint64(nil, odd), fam.SumAllUint64(nil, even))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.ContainsUint64(5), e.ContainsDigest(fam.SumUint64(6)))
	fmt.Println(e.ContainsAllUint64(nil, odd), e.ContainsAllDigests(nil, fam.SumAllUint64(nil, even)))
	// Output:
	// true false
	// [true true true] [false false false false]
}

func ExampleReadExactParams() {
	var file bytes.Buffer
	if _, err := numbers().WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := static.ReadExactParams(&file, hashfam.Family{})
	fmt.Println(p, err)
	fmt.Println(p.SizeBytes(), "bytes in memory,", numbers().Params() == p)
	// Output:
	// 100 members, 1000 others, 120 bytes, family public <nil>
	// 120 bytes in memory, true
}

func ExampleExact_UnmarshalBinary() {
	e := numbers()
	data, err := e.MarshalBinary() // AppendBinary appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err = e.AppendBinary(data)
	fmt.Println(len(data), err)
	var f static.Exact
	fmt.Println(f.UnmarshalBinary(data[:len(data)/2]), f.Equal(e))
	g := static.NewExactReceiver(hashfam.Family{}) // for another family than the public one
	n, err := g.ReadFrom(bytes.NewReader(data))
	fmt.Println(n, err, g.Equal(e), g.SizeBytes())
	// Output:
	// 384 <nil>
	// <nil> true
	// 192 <nil> true 112
}

func ExampleExact_UnmarshalText() {
	e := numbers()
	text, err := e.MarshalText() // AppendText appends it to a slice
	if err != nil {
		fmt.Println(err)
		return
	}
	var f static.Exact
	fmt.Println(f.UnmarshalText(text), f.Equal(e))
	more, err := e.AppendText([]byte("exact: "))
	fmt.Println(len(more)-len(text), err)
	quoted, err := json.Marshal(e)
	fmt.Println(len(quoted)-len(text), err)
	// Output:
	// <nil> true
	// 7 <nil>
	// 2 <nil>
}

func ExampleExact_LogValue() {
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{} // differs in every run
			}
			return a
		},
	})).Info("loaded", "exact", numbers())
	// Output: level=INFO msg=loaded exact.members=100 exact.others=1000 exact.bytes=112 exact.params="100 members, 1000 others, 120 bytes, family public"
}

// numbers returns an Exact of 100 members, the numbers from 0, and 1,000
// others.
func numbers() *static.Exact {
	keys := make([]uint64, 1100)
	for i := range keys {
		keys[i] = uint64(i)
	}
	var fam hashfam.Family
	e, err := static.NewExactFromDigests(static.ExactConfig{}, fam.SumAllUint64(nil, keys[:100]), fam.SumAllUint64(nil, keys[100:]))
	if err != nil {
		panic(err)
	}
	return e
}
