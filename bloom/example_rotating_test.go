package bloom_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/data"
)

// Requests for a page that was requested within the hour before. The log has no
// times: they are spread evenly over the month, one in 28 seconds.
func ExampleNewRotating() {
	recent, err := bloom.NewRotating(bloom.RotatingConfig{Capacity: 200, Span: time.Hour, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2013, time.December, 1, 0, 0, 0, 0, time.UTC)
	last, again, found, missed := map[string]time.Time{}, 0, 0, 0
	for _, page := range data.RequestsWeb12() {
		now = now.Add(28 * time.Second)
		exact := now.Sub(last[page]) <= time.Hour
		last[page] = now
		filter := recent.ContainsOrAddStringAt(page, now)
		switch {
		case exact && filter:
			again++
		case exact:
			missed++
		case filter:
			found++
		}
	}
	fmt.Printf("%d within an hour, %d missed\n", again, missed)
	fmt.Printf("%d longer ago: up to a quarter of an hour, or false positives\n", found)
	fmt.Printf("%d bytes\n", recent.SizeBytes())
	// Output:
	// 33875 within an hour, 0 missed
	// 1065 longer ago: up to a quarter of an hour, or false positives
	// 440 bytes
}

// Requests come with the number of a user and a time.
func ExampleRotating_ContainsOrAddUint64At() {
	recent, err := bloom.NewRotating(bloom.RotatingConfig{Capacity: 200, Span: time.Hour, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	noon := time.Date(2013, time.December, 1, 12, 0, 0, 0, time.UTC)
	recent.AddUint64At(17, noon)
	fmt.Println(recent.ContainsOrAddUint64At(17, noon.Add(59*time.Minute)))
	fmt.Println(recent.ContainsOrAddUint64At(17, noon.Add(3*time.Hour)))
	// Output:
	// true
	// false
}

// The last 1,000 keys. All forms of keys, and batches.
func ExampleRotating() {
	r, err := bloom.NewRotating(bloom.RotatingConfig{Capacity: 1000, FPRate: 0.01, Generations: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.AddString("a")
	r.Add([]byte("b"))
	r.AddDigest(r.Config().Family.SumString("c"))
	r.AddSeq(bytes.SplitSeq([]byte("d e"), []byte(" ")))
	fmt.Println(r.ContainsAllStrings(nil, []string{"a", "e", "f"}))
	for i := range uint64(1125) { // an eighth more than the window
		r.AddUint64(i)
	}
	fmt.Println(r.ContainsString("a"), r.ContainsUint64(125), r.ContainsUint64(1124))
	fmt.Println(r)
	// Output:
	// [true true false]
	// false true true
	// bloom.Rotating(classic, the last 1000 keys, 8 generations, rate 0.01, family public)
}

// Time passes if the caller says so.
func ExampleRotating_Advance() {
	r, err := bloom.NewRotating(bloom.RotatingConfig{Capacity: 1000, Span: time.Hour, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	noon := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	r.AddStringAt("a", noon)
	r.AddAt([]byte("b"), noon)
	r.AddDigestAt(r.Config().Family.SumString("c"), noon.Add(50*time.Minute))
	r.Advance(noon.Add(time.Hour))
	fmt.Println(r.ContainsString("a"), r.ContainsString("b"), r.ContainsString("c"))
	r.Advance(noon.Add(75 * time.Minute))
	fmt.Println(r.ContainsString("a"), r.ContainsString("b"), r.ContainsString("c"))
	fmt.Println(r.ContainsOrAddAt([]byte("a"), noon.Add(80*time.Minute)))
	fmt.Println(r.ContainsOrAddDigestAt(r.Config().Family.SumString("a"), noon.Add(81*time.Minute)))
	// Output:
	// true true true
	// false false true
	// false
	// true
}

func ExampleNewRotatingReceiver() {
	r, err := bloom.NewRotating(bloom.RotatingConfig{Capacity: 100, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.AddUint64(1)
	encoded, err := r.MarshalBinary()
	fmt.Println(len(encoded), err)
	s := bloom.NewRotatingReceiver(r.Config().Family)
	fmt.Println(s.UnmarshalBinary(encoded), s.Equal(r))
	// Output:
	// 456 <nil>
	// <nil> true
}
