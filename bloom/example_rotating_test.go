package bloom_test

import (
	"fmt"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/data"
)

// Requests for a page that was requested within the hour before. The log has no
// times: they are spread evenly over the month, one in 28 seconds.
func ExampleRotating() {
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
	// 1065 longer ago: up to a quarter of an hour, or false positives
	// 440 bytes
}

// An alert is sent at most once in ten minutes, however often it goes off.
func ExampleRotating_ContainsOrAdd() {
	sent, err := bloom.NewRotating(bloom.RotatingConfig{Capacity: 1000, Span: 10 * time.Minute, FPRate: 0.001})
	if err != nil {
		fmt.Println(err)
		return
	}
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
	// 12:13:00 disk full
	// 12:25:00 disk full
}
