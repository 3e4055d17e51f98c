package countmin_test

import (
	"fmt"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/internal/data"
)

// The words that make up a fiftieth of a novel or more. They are tracked from
// so early on that their counts are exact.
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
	fmt.Println("none is missing:", h.Complete())
	// Output:
	// the 14534, of 6624, and 6447, a 4747, to 4627
	// none is missing: true
}

// Memory can be bounded: what is given holds counters, index and keys. A path
// is certain to be a heavy hitter if it counts enough at the least.
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

// Each of four workers counts the keys of its shard. Joined they are as good as
// one structure that has counted all.
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
	fmt.Println(whole.Total(), "words; none is missing:", whole.Complete())
	// Output:
	// the 14534, of 6624, and 6447, a 4747, to 4627
	// 219047 words; none is missing: true
}

// The ten most frequent words of a novel.
func ExampleNewTopK() {
	k, err := countmin.NewTopK(countmin.TopKConfig{K: 10})
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

// Days are counted apart and merged. After a merge Low is the closer bound, if
// memory is not bounded.
func ExampleTopK_Merge() {
	week, _ := countmin.NewTopK(countmin.TopKConfig{K: 3})
	pages := data.RequestsWeb12()
	var days []*countmin.TopK
	for i := range 7 {
		day, _ := countmin.NewTopK(week.Config())
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
	// 282 913 919
	// 55 908 911
	// 131 719 729
	// 95607 <nil>
}
