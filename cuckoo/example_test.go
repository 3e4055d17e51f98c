package cuckoo_test

import (
	"fmt"
	"strings"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// This example removes repeated requests from a stream: it passes on each
// request for a shop page that was not among the last 5,000 different ones.
// When a request leaves the window, it is deleted, so the filter never contains
// more than the window. ContainsOrAdd adds only keys that are not found,
// because otherwise a second copy would need to be deleted, too. A false
// positive means that a request is not passed on.
func Example() {
	const window = 5000
	recent := hashfam.Must(cuckoo.New(cuckoo.Config{Capacity: window, FPRate: 0.001}))
	var queue []string // the requests in the filter, the oldest first
	requests, passed := data.RequestsWeb12(), 0
	for _, page := range requests {
		found, err := recent.ContainsOrAddString(page)
		if err != nil {
			fmt.Println(err)
			return
		}
		if found {
			continue
		}
		passed++
		if queue = append(queue, page); len(queue) == window {
			recent.DeleteString(queue[0])
			queue = queue[1:]
		}
	}
	fmt.Printf("%d requests, %d passed on\n", len(requests), passed)
	fmt.Printf("%d in the window, %d bytes in memory\n", recent.Len(), recent.SizeBytes())
	// Output:
	// 95607 requests, 21060 passed on
	// 4999 in the window, 8488 bytes in memory
}

// This example refuses disposable mail addresses. When a domain is removed from
// the list, it can be deleted from the filter. A Bloom filter cannot do this.
func Example_disposableMail() {
	domains := data.DisposableEmailDomains()
	disposable := hashfam.Must(cuckoo.New(cuckoo.Config{Capacity: uint64(len(domains)), FPRate: 0.001, Compact: true}))
	digests := disposable.Family().SumAllStrings(nil, domains)
	if n, err := disposable.AddAll(digests); err != nil {
		fmt.Println("no room for", domains[n:], err)
		return
	}
	refused := func(address string) bool {
		_, domain, _ := strings.Cut(address, "@")
		return disposable.ContainsString(strings.ToLower(domain))
	}
	fmt.Println(refused("someone@mailinator.com"), refused("someone@example.org"))

	disposable.DeleteString("mailinator.com") // it is no longer disposable
	fmt.Println(refused("someone@mailinator.com"), refused("someone@"+domains[0]))
	fmt.Printf("%d domains in %d bytes\n", disposable.Len(), disposable.SizeBytes())
	// Output:
	// true false
	// false true
	// 8334 domains in 12984 bytes
}

func ExampleNew() {
	for _, compact := range []bool{false, true} {
		f := hashfam.Must(cuckoo.New(cuckoo.Config{Capacity: 1_000_000, FPRate: 0.001, Compact: compact}))
		fmt.Printf("%.2f bits per key\n", float64(f.SizeBytes())*8/1_000_000)
	}
	_, err := cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 1e-10})
	fmt.Println(err)
	// Output:
	// 13.40 bits per key
	// 12.37 bits per key
	// cuckoo: invalid parameters: Config.FPRate = 1e-10, want at least about 2.3e-10 (fingerprints have at most 32 bits)
}

func filter(keys ...string) *cuckoo.Filter {
	f := hashfam.Must(cuckoo.New(cuckoo.Config{Capacity: 1000, FPRate: 0.001}))
	if _, err := f.AddAll(f.Family().SumAllStrings(nil, keys)); err != nil {
		panic(err)
	}
	return f
}

func ExampleFilter_Delete() {
	f := filter("a", "a", "b")
	fmt.Println(f.Delete([]byte("a")), f.ContainsString("a"), "one copy is left")
	fmt.Println(f.DeleteString("a"), f.ContainsString("a"))
	fmt.Println(f.DeleteString("a"), f.Len())
	// Output:
	// true true one copy is left
	// true false
	// false 1
}

// A view can be used to query an encoded filter in place, for example in a
// mapped file.
func ExampleNewView() {
	data, err := filter("a").MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	v := hashfam.Must(cuckoo.NewView(data, hashfam.Family{}))
	fmt.Println(v.ContainsString("a"), v.ContainsString("b"), v.Verify())
	// Output: true false <nil>
}

// This filter has room for a thousand keys, but grows to a hundred thousand.
// Its rate remains below the configured rate.
func ExampleNewScalable() {
	s := hashfam.Must(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 1000, FPRate: 0.01}))
	for id := range uint64(100_000) {
		if err := s.AddDigest(s.Family().SumUint64(id)); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(s.Len(), s.SizeBytes(), s.FalsePositiveRate() < 0.01)
	fmt.Println(s.DeleteDigest(s.Family().SumUint64(99_999)), s.Len())
	// Output:
	// 100000 386208 true
	// true 99999
}
