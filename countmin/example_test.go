package countmin_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// printAll prints keys and the upper bounds of their counts.
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

// Each key is hashed only once for a filter, a sketch and the heavy hitters.
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

// Remove undoes counts, but only of keys that were counted.
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

// The sketches of several machines can be merged. The inner product of two
// sketches estimates the size of a join by key.
func ExampleSketch_Merge() {
	p, err := countmin.Config{Epsilon: 0.01, Delta: 0.01}.Params()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p, "uses", p.SizeBytes(), "bytes")
	monday, _ := countmin.NewFromParams(p)
	tuesday, _ := countmin.NewFromParams(p)
	monday.AddN([]byte("anna"), 2)
	tuesday.AddN([]byte("anna"), 3)
	join, err := monday.InnerProduct(tuesday)
	fmt.Println(join, err)
	err = monday.Merge(tuesday)
	fmt.Println(monday.CountString("anna"), monday.Total(), err)
	// Output:
	// plain, 5 x 272 counters of 32 bits, family public uses 5440 bytes
	// 6 <nil>
	// 5 5 <nil>
}

// Before a sketch is built, Params shows what its shape guarantees: a count is
// too high by more than this part of the total with at most this probability.
func ExampleConfig_Params() {
	p, err := countmin.Config{Width: 1 << 14, Depth: 4}.Params()
	fmt.Printf("%d KiB, %.3f%% of the total, probability %.3f %v\n", p.SizeBytes()>>10, 100*p.Epsilon(), p.Delta(), err)
	// Output: 256 KiB, 0.017% of the total, probability 0.018 <nil>
}

// A sketch with a secret family can only be decoded by a receiver with the same
// family.
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
	fmt.Println(p.SizeBytes(), "bytes when it is decoded", err)

	err = new(countmin.Sketch).UnmarshalBinary(file.Bytes())
	fmt.Println(errors.Is(err, hashfam.ErrFamily))
	g := countmin.NewReceiver(secret)
	_, err = g.ReadFrom(&file)
	fmt.Println(g.CountString("a"), err)
	// Output:
	// 5440 bytes when it is decoded <nil>
	// true
	// 1 <nil>
}

// This example finds the words that make up a fiftieth of a novel or more. They
// are tracked so early that their counts are exact.
func ExampleNewHeavyHitters() {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 1.0 / 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, word := range data.Tokens(data.MobyDick()) {
		h.AddString(word)
	}
	printAll(h.All())
	fmt.Println("complete:", h.Complete())
	// Output:
	// the 14534, of 6624, and 6447, a 4747, to 4627
	// complete: true
}

// The memory for counters, index and keys can be limited. If a path's Low
// reaches the threshold, the path is certain to be a heavy hitter.
func ExampleNewHeavyHitters_budget() {
	h, _ := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 1.0 / 50, MemoryBytes: 16 << 10})
	for _, path := range data.WeblogPaths() {
		h.AddString(path)
	}
	for path, e := range h.All() {
		fmt.Println(e.Low, e.High, path, e.Low >= h.Threshold())
	}
	fmt.Println("fewer than", h.Threshold(), "are not reported: / has", h.EstimateString("/").High)
	// Output:
	// 807 807 /favicon.ico true
	// 546 546 /style2.css true
	// 538 538 /reset.css true
	// 533 533 /images/jordan-80.png true
	// 516 516 /images/web/2009/banner.png true
	// 488 488 /blog/tags/puppet?flav=rss20 true
	// 224 224 /projects/xdotool/ true
	// 217 217 /?flav=rss20 true
	// fewer than 200 are not reported: / has 197
}

// Each of four workers counts the keys of its shard. The joined result is as
// accurate as a single structure that counted all keys.
func ExampleJoinHeavyHitters() {
	shards := make([]*countmin.HeavyHitters, 4)
	for i := range shards {
		shards[i], _ = countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 1.0 / 50})
	}
	for _, word := range data.Tokens(data.MobyDick()) {
		d := shards[0].Family().SumString(word)
		shards[d.Shard(len(shards))].AddDigest(d, []byte(word))
	}
	whole, err := countmin.JoinHeavyHitters(shards)
	if err != nil {
		fmt.Println(err)
		return
	}
	printAll(whole.All())
	fmt.Println(whole.Total(), "words; complete:", whole.Complete())
	// Output:
	// the 14534, of 6624, and 6447, a 4747, to 4627
	// 219047 words; complete: true
}

// The error of most words is far below the bound that holds for any keys.
func ExampleSketch_ErrorQuantile() {
	s := hashfam.Must(countmin.New(countmin.Config{Width: 819, Depth: 5}))
	for _, word := range data.Tokens(data.MobyDick()) {
		s.AddString(word)
	}
	fmt.Println("whale:", s.CountString("whale"))
	fmt.Println("too high by more than", s.ErrorQuantile(0.01), "for 1% of the words; bound", s.ErrorBound())
	// Output:
	// whale: 1291
	// too high by more than 141 for 1% of the words; bound 727
}

// Half of the words have counts that are too high by more than the median of
// the error. Subtracting it from each count of a plain sketch gives closer
// numbers, but some of them are too low. The novel contains these words 1240, 76
// and 28 times.
func ExampleSketch_ErrorQuantile_middle() {
	s := hashfam.Must(countmin.New(countmin.Config{Width: 819, Depth: 5}))
	for _, word := range data.Tokens(data.MobyDick()) {
		s.AddString(word)
	}
	median := s.ErrorQuantile(0.5) // reads all counters, so only once for all words
	for _, word := range []string{"whale", "harpoon", "whiteness"} {
		count := s.CountString(word)
		fmt.Println(word, "at most", count, "about", max(count, median+1)-median)
	}
	// Output:
	// whale at most 1291 about 1234
	// harpoon at most 176 about 119
	// whiteness at most 113 about 56
}

// This example finds the ten most frequent words of a novel.
func ExampleNewHeavyHitters_k() {
	k, err := countmin.NewHeavyHitters(countmin.HeavyConfig{K: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, word := range data.Tokens(data.MobyDick()) {
		k.AddString(word)
	}
	printAll(k.All())
	fmt.Println("certain to be the most frequent:", k.Complete())
	// Output:
	// the 14534, of 6624, and 6447, a 4747, to 4627, in 4184, that 3085, his 2532, it 2521, i 2127
	// certain to be the most frequent: true
}

// Days are counted separately and then merged. After a merge without
// MemoryBytes, Low is closer to the truth than High.
func ExampleHeavyHitters_Merge() {
	week, _ := countmin.NewHeavyHitters(countmin.HeavyConfig{K: 3})
	pages := data.RequestsWeb12()
	var days []*countmin.HeavyHitters
	for i := range 7 {
		day, _ := countmin.NewHeavyHitters(week.Config())
		for _, page := range pages[i*len(pages)/7 : (i+1)*len(pages)/7] {
			day.AddString(page)
		}
		days = append(days, day)
	}
	err := week.Merge(days...)
	for page, e := range week.All() {
		fmt.Println(page, e.Low, e.High)
	}
	fmt.Println(week.Total(), err)
	// Output:
	// 282 914 918
	// 55 909 911
	// 131 722 730
	// 95607 <nil>
}

// This example prints a shop's top pages among the last 10,000 requests, after
// every 30,000 requests.
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
	fmt.Println("of the last", w.Total(), "requests; complete:", w.Complete())
	// Output:
	// 30000: 131 121, 241 111, 153 95, 68 91, 4 84
	// 60000: 55 124, 34 101, 282 94
	// 90000: 282 152, 55 138, 153 116, 367 108, 131 94, 34 83, 68 83
	// of the last 10607 requests; complete: true
}

// This example finds the paths that make up a 25th of the requests in the last
// minute. It uses the times in the log, not the clock.
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

// Plan the memory before the first key.
func ExampleHeavyConfig_EstimatedBytes() {
	heavy := hashfam.Must(countmin.HeavyConfig{Phi: 0.001}.EstimatedBytes())
	window := hashfam.Must(countmin.WindowConfig{Phi: 0.001, Keys: 1_000_000}.EstimatedBytes())
	fmt.Println(heavy/1000, "KB, and", window/1000, "KB for a window")
	// Output: 350 KB, and 3544 KB for a window
}
