package bloom_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// A filter in front of a slow store saves lookups, since keys that the filter
// does not contain need not be looked up. The store contains 18,147 malicious
// domains. These and 19,717 benign domains are requested.
func Example_maliciousDomains() {
	store := map[string]bool{} // used instead of a database
	bad := data.MaliciousDomains()
	guard := hashfam.Must(bloom.New(bloom.Config{Capacity: uint64(len(bad)), FPRate: 0.01}))
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

// The Jaccard index of two filters measures the similarity of two texts. This
// example uses sparse filters of the word pairs in 30 passages of the Bible.
// The 15 pairs of passages that are known to be parallel have a higher index
// than all other 420 pairs.
func Example_similarPassages() {
	passages := data.Passages()
	filters := map[string]*bloom.Filter{}
	for _, p := range passages {
		f := hashfam.Must(bloom.NewFromParams(bloom.Params{Bits: 65536, Hashes: 4}))
		tokens := data.Tokens(p.Text)
		for i := range len(tokens) - 1 {
			f.AddString(tokens[i] + " " + tokens[i+1])
		}
		filters[p.ID] = f
	}

	parallel := data.ParallelPassages()
	lowest, highest, unrelated := 1.0, 0.0, 0
	for i, p := range passages {
		for _, q := range passages[:i] {
			similarity, err := filters[p.ID].Jaccard(filters[q.ID])
			if err != nil {
				panic(err)
			}
			pair := [2]string{p.ID, q.ID}
			if slices.Contains(parallel, pair) || slices.Contains(parallel, [2]string{q.ID, p.ID}) {
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
	// 15 parallel pairs: at least 0.134
	// 420 unrelated pairs: at most 0.067
}

// This example counts requests for pages that were already requested within the
// last hour. The log has no times, so the requests are spread evenly over the
// month, 28 seconds apart. Without bursts, four parts save memory.
func ExampleRotating() {
	recent := hashfam.Must(bloom.NewRotating(bloom.RotatingConfig{Keys: 200, Span: time.Hour, Parts: 4, FPRate: 0.01}))
	now := time.Date(2013, time.December, 1, 0, 0, 0, 0, time.UTC)
	last, again, found, missed := map[string]time.Time{}, 0, 0, 0
	for _, page := range data.RequestsWeb12() {
		now = now.Add(28 * time.Second)
		exact := now.Sub(last[page]) <= time.Hour
		last[page] = now
		recent.Advance(now)
		filter := recent.ContainsString(page)
		recent.AddString(page)
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
	// 1062 longer ago: up to a quarter of an hour, or false positives
	// 440 bytes
}

// An alert is not sent more than once in ten minutes, but while it continues,
// at least every twenty minutes.
func ExampleRotating_ContainsOrAdd() {
	sent := hashfam.Must(bloom.NewRotating(bloom.RotatingConfig{Keys: 1000, Span: 10 * time.Minute, FPRate: 0.001}))
	noon := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	for minute := range 30 {
		now := noon.Add(time.Duration(minute) * time.Minute)
		sent.Advance(now)
		if !sent.ContainsOrAdd([]byte("disk full")) {
			fmt.Println(now.Format(time.TimeOnly), "disk full")
		}
	}
	// Output:
	// 12:00:00 disk full
	// 12:20:00 disk full
}

// The filter grows from the expected 1,000 keys to 13,756.
func ExampleScalable() {
	s := hashfam.Must(bloom.NewScalable(bloom.ScalableConfig{Expected: 1000, FPRate: 0.01}))
	exact, distinct := map[string]bool{}, 0
	for _, page := range data.RequestsWeb12() {
		exact[page] = true
		if !s.ContainsOrAddString(page) {
			distinct++
		}
	}
	fmt.Printf("%d distinct pages, %d of them found to be new\n", len(exact), distinct)
	fmt.Printf("%.1f bits per key, rate %.2f%%\n",
		float64(8*s.SizeBytes())/float64(len(exact)), 100*s.FalsePositiveRate())
	fmt.Printf("about %.0f keys\n", s.EstimatedLen())
	// Output:
	// 13756 distinct pages, 13667 of them found to be new
	// 15.7 bits per key, rate 0.81%
	// about 13663 keys
}

// A plain filter becomes an additional stage.
func ExampleScalable_Attach() {
	lastYear := filter("anna")
	s := hashfam.Must(bloom.NewScalable(bloom.ScalableConfig{Expected: 1000, FPRate: 0.01}))
	fmt.Println(s.Attach(lastYear), s.ContainsString("anna"))
	s.Reset()
	fmt.Println(s.ContainsString("anna"))
	// Output:
	// <nil> true
	// false
}
