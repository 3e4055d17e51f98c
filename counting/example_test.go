package counting_test

import (
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

func Example() {
	f := hashfam.Must(counting.New(counting.Config{Capacity: 1_000_000, FPRate: 0.01}))
	f.AddString("session 17")
	fmt.Println(f.ContainsString("session 17"))
	fmt.Println(f.DeleteString("session 17"))
	fmt.Println(f.ContainsString("session 17"))
	fmt.Printf("%.2f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	// Output:
	// true
	// true
	// false
	// 38.37 bits per key
}

// Batches use digests, which the family can compute for keys of any type.
func ExampleFilter_AddAll() {
	f := hashfam.Must(counting.New(counting.Config{Capacity: 1000, FPRate: 0.001}))
	digests := f.Family().SumAllStrings(nil, []string{"to", "be", "or", "not", "to", "be"})
	f.AddAll(digests)
	fmt.Println(f.CountAll(nil, digests))
	fmt.Println(f.DeleteAll(digests[:4]), f.ContainsAll(nil, digests[:4]))
	// Output:
	// [2 2 1 1 2 2]
	// 4 [true true false false]
}

// Ten workers use their own filters, which are merged at the end.
func ExampleFilter_Merge() {
	parts := make([]*counting.Filter, 10)
	for i := range parts {
		f := hashfam.Must(counting.New(counting.Config{Capacity: 1000, FPRate: 0.01}))
		f.AddString("everywhere")
		f.AddString(fmt.Sprint("only in ", i))
		parts[i] = f
	}
	err := parts[0].Merge(parts[1:]...)
	fmt.Println(err, parts[0].CountString("everywhere"), parts[0].CountString("only in 7"))
	// Output: <nil> 10 1
}

// Two caches take turns in serving a shop's requests (Summary Cache, Fan et
// al., 2000). The first cache uses a counting filter for its current pages, and
// sends it to the second one as a plain Bloom filter. The second cache queries
// the first one only for pages that this filter contains.
func Example_cacheDigest() {
	const room = 2000
	held, oldest := [2]map[string]bool{{}, {}}, [2][]string{}
	summary := hashfam.Must(counting.New(counting.Config{Capacity: room, FPRate: 0.01}))
	var digest bloom.Filter // the second cache's copy of the summary
	messages, misses, asked, found, overlooked := 0, 0, 0, 0, 0
	for i, page := range data.RequestsWeb12() {
		if i%1000 == 0 {
			wire, err := summary.Bloom().MarshalBinary()
			if err == nil {
				err = digest.UnmarshalBinary(wire)
			}
			if err != nil {
				fmt.Println(err)
				return
			}
			messages++
		}
		c := i % 2
		if held[c][page] {
			continue
		}
		if c == 1 {
			misses++
			if digest.ContainsString(page) {
				asked++
				if held[0][page] {
					found++
				}
			} else if held[0][page] { // added since the last digest was sent
				overlooked++
			}
		}
		if len(oldest[c]) == room {
			out := oldest[c][0]
			delete(held[c], out)
			oldest[c] = oldest[c][1:]
			if c == 0 {
				summary.DeleteString(out)
			}
		}
		held[c][page], oldest[c] = true, append(oldest[c], page)
		if c == 0 {
			summary.AddString(page)
		}
	}
	fmt.Printf("%d pages missed in the second cache, %d looked up in the first, %d found there\n", misses, asked, found)
	fmt.Printf("%d more were there but missing from the older digest\n", overlooked)
	fmt.Printf("%d digests of %d bytes, from counters of %d bytes\n", messages, digest.SizeBytes(), summary.SizeBytes())
	fmt.Printf("%d counters stuck\n", summary.Stuck())
	// Output:
	// 17336 pages missed in the second cache, 4116 looked up in the first, 3817 found there
	// 1660 more were there but missing from the older digest
	// 96 digests of 2400 bytes, from counters of 9600 bytes
	// 0 counters stuck
}
