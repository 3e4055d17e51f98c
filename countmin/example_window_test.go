package countmin_test

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// The top pages of the last 5,000 requests of a log of 10,000. Those of the
// whole log are others.
func ExampleNewWindow() {
	w, err := countmin.NewWindow(countmin.WindowConfig{Phi: 0.02, Keys: 5_000, Panes: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range data.WeblogPaths() {
		w.AddString(path)
	}
	for path, e := range w.All() {
		fmt.Println(e.Count, path)
	}
	fmt.Println("of the last", w.Total(), "requests; none is missing:", w.Complete())
	// Output:
	// 480 /favicon.ico
	// 313 /style2.css
	// 310 /images/jordan-80.png
	// 308 /reset.css
	// 299 /images/web/2009/banner.png
	// 232 /blog/tags/puppet?flav=rss20
	// 125 /projects/xdotool/
	// 102 /?flav=rss20
	// of the last 5500 requests; none is missing: true
}

// The top pages of a shop among the last 10,000 requests, after every 30,000.
func ExampleNewWindow_keys() {
	w, _ := countmin.NewWindow(countmin.WindowConfig{Phi: 0.008, Keys: 10_000})
	for i, page := range data.RequestsWeb12() {
		w.AddString(page)
		if (i+1)%30_000 == 0 {
			fmt.Print(i+1, ": ")
			printAll(w.All())
		}
	}
	// Output:
	// 30000: 131 121, 241 111, 153 95, 68 91, 4 84
	// 60000: 55 124, 34 101, 282 94
	// 90000: 282 152, 55 138, 153 116, 367 108, 131 94, 34 83, 68 83
}

// Heavy hitters per minute: the paths that make up a 25th of the requests of
// the last minute. The time is that of the log, not that of the clock.
func ExampleNewWindow_span() {
	w, _ := countmin.NewWindow(countmin.WindowConfig{Phi: 0.04, Span: time.Minute})
	start := time.Date(2015, time.May, 17, 10, 5, 0, 0, time.UTC)
	for i, path := range data.WeblogPaths()[:2000] {
		at := start.Add(time.Duration(i) * 200 * time.Millisecond) // five a second
		w.AddStringAt(path, at)
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

func window(keys ...string) *countmin.Window {
	w, err := countmin.NewWindow(countmin.WindowConfig{Phi: 0.3, Span: time.Minute, Panes: 6})
	if err != nil {
		panic(err)
	}
	w.AddAllStrings(keys)
	return w
}

// A window forgets a pane at a time: what is older than a minute is forgotten
// within ten seconds more.
func ExampleWindow_Advance() {
	w := window()
	start := time.Unix(1_000_000_000, 0)
	w.AddAt([]byte("a"), start)
	w.AddStringAt("b", start.Add(30*time.Second))
	key := []byte("b")
	w.AddDigestAt(w.Params().Family.Sum(key), key, start.Add(35*time.Second)) // hashed already
	for _, seconds := range []int{59, 75, 99} {
		w.Advance(start.Add(time.Duration(seconds) * time.Second))
		fmt.Print(w.Total(), " ")
		printAll(w.All())
	}
	// Output:
	// 3 b 2, a 1
	// 2 b 2
	// 2 b 2
}

func ExampleWindow_Estimate() {
	w := window("a", "b", "a")
	w.AddN([]byte("a"), 2)
	fmt.Println(w.Estimate([]byte("a")), w.EstimateAllStrings(nil, []string{"b", "c"}))
	// Output: {4 4 4} [{1 1 1} {0 0 0}]
}

// A key whose Low is at least Phi of Total is certain to be a heavy hitter of
// what the window covers.
func ExampleWindow_Threshold() {
	w := window("a", "a", "b")
	fmt.Println(w.Threshold(), w.MissBound(), w.Complete(), w.Params())
	// Output: 1 0 true phi 0.3 of the last 1m0s, 6 panes, memory as needed, family public
}

func ExampleWindow_AppendBinary() {
	fam := hashfam.New(hashfam.Key{1, 2, 3})
	w, _ := countmin.NewWindow(countmin.WindowConfig{Phi: 0.3, Keys: 100, MemoryBytes: 12_000, Family: fam})
	w.AddString("a")
	encoded, _ := w.AppendBinary(nil)
	params, err := countmin.ReadWindowParams(bytes.NewReader(encoded), fam)
	fmt.Println(params.Keys, params.Panes, err)

	back := countmin.NewWindowReceiver(fam)
	fmt.Println(back.UnmarshalBinary(encoded), back.Equal(w))
	fmt.Println(errors.Is(new(countmin.Window).UnmarshalBinary(encoded), countmin.ErrFamily))
	// Output:
	// 100 8 <nil>
	// <nil> true
	// true
}

func ExampleWindow_MarshalJSON() {
	w := window("a")
	text, _ := w.MarshalText()
	encoded, _ := w.MarshalJSON()
	var back countmin.Window
	fmt.Println(string(encoded) == `"`+string(text)+`"`, back.UnmarshalText(text), back.Equal(w))
	// Output: true <nil> true
}

func ExampleWindow_WriteTo() {
	var file bytes.Buffer
	w := window("a")
	_, err := w.WriteTo(&file)
	var back countmin.Window
	_, errBack := back.ReadFrom(&file)
	fmt.Println(err, errBack, back.Equal(w))
	// Output: <nil> <nil> true
}

func ExampleWindow_Clone() {
	w := window("a")
	c := w.Clone()
	w.Reset()
	fmt.Println(w.Total(), c.Total(), w.Equal(c))
	// Output: 0 1 false
}
