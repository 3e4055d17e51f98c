package countmin_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// The top pages of a shop among the last 10,000 requests, after every 30,000.
func ExampleNewWindow() {
	w, err := countmin.NewWindow(countmin.WindowConfig{Phi: 0.008, Keys: 10_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, page := range data.RequestsWeb12() {
		w.AddString(page)
		if (i+1)%30_000 == 0 {
			fmt.Print(i+1, ": ")
			printAll(w.All())
		}
	}
	fmt.Println("of the last", w.Total(), "requests; none is missing:", w.Complete())
	// Output:
	// 30000: 131 121, 241 111, 153 95, 68 91, 4 84
	// 60000: 55 124, 34 101, 282 94
	// 90000: 282 152, 55 138, 153 116, 367 108, 131 94, 34 83, 68 83
	// of the last 10607 requests; none is missing: true
}

// Heavy hitters per minute: the paths that make up a 25th of the requests of
// the last minute. The time is that of the log, not that of the clock.
func ExampleWindow_Advance() {
	w, _ := countmin.NewWindow(countmin.WindowConfig{Phi: 0.04, Span: time.Minute})
	start := time.Date(2015, time.May, 17, 10, 5, 0, 0, time.UTC)
	for i, path := range data.WeblogPaths()[:2000] {
		at := start.Add(time.Duration(i) * 200 * time.Millisecond) // five a second
		w.Advance(at)
		w.AddString(path)
		if (i+1)%600 == 0 {
			fmt.Print(at.Format("15:04:05 "))
			printAll(w.All())
		}
	}
	// Output:
	// 10:06:59 /favicon.ico 13, /blog/tags/puppet?flav=rss20 12
	// 10:08:59 /favicon.ico 29, /images/jordan-80.png 21, /images/web/2009/banner.png 21, /reset.css 21, /style2.css 21, /blog/tags/puppet?flav=rss20 18, / 13
	// 10:10:59 /favicon.ico 29, /images/web/2009/banner.png 20, /images/jordan-80.png 19, /reset.css 19, /style2.css 19, /blog/tags/puppet?flav=rss20 16
}

// A window goes on after a restart.
func ExampleWindow_WriteTo() {
	fam := hashfam.New(hashfam.Key{1, 2, 3}) // a secret key in earnest
	w, _ := countmin.NewWindow(countmin.WindowConfig{Phi: 0.3, Keys: 100, MemoryBytes: 12_000, Family: fam})
	w.AddN([]byte("a"), 4)
	var file bytes.Buffer
	if _, err := w.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	back := countmin.NewWindowReceiver(fam)
	_, err := back.ReadFrom(&file)
	fmt.Println(back.EstimateString("a"), back.Config().Panes, err)
	// Output: {4 4} 8 <nil>
}
