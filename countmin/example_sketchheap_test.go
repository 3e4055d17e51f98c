package countmin_test

import (
	"fmt"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/internal/data"
)

// A sketch with a heap of candidates beside HeavyHitters in the same memory, in
// a quarter of it, and in as much as they take by themselves. The sketch has
// epsilon = Phi/2 and delta = 0.01, as lecture notes propose. Errors are means
// over the keys that were found, in percent of their counts.
func ExampleHeavyHitters_sketchWithHeap() {
	fmt.Println("stream         share  structure      bytes  recall  precision  error %")
	moby, web, weblog := data.Tokens(data.MobyDick()), data.RequestsWeb12(), data.WeblogPaths()
	printCompared("moby-dick", moby, 50)
	printCompared("weblog-paths", weblog, 50)
	printCompared("moby-dick", moby, 1000)
	printCompared("requests-web12", web, 1000)
	// Output:
	// stream         share  structure      bytes  recall  precision  error %
	// moby-dick      1/50   sketch, heap    8076   1.000      1.000    3.828
	// moby-dick      1/50   HeavyHitters    8000   1.000      1.000    0.000
	// moby-dick      1/50   HeavyHitters    1984   1.000      1.000    0.000
	// moby-dick      1/50   HeavyHitters   26904   1.000      1.000    0.000
	// weblog-paths   1/50   sketch, heap   10012   1.000      0.889    1.179
	// weblog-paths   1/50   HeavyHitters    9920   1.000      1.000    0.000
	// weblog-paths   1/50   HeavyHitters    2432   1.000      1.000    0.000
	// weblog-paths   1/50   HeavyHitters   39192   1.000      1.000    0.000
	// moby-dick      1/1000 sketch, heap  145465   1.000      0.992    0.488
	// moby-dick      1/1000 HeavyHitters  141056   1.000      1.000    0.000
	// moby-dick      1/1000 HeavyHitters   35328   1.000      1.000    0.003
	// moby-dick      1/1000 HeavyHitters  303864   1.000      1.000    0.000
	// requests-web12 1/1000 sketch, heap  145667   1.000      0.960    0.983
	// requests-web12 1/1000 HeavyHitters  141056   1.000      1.000    0.005
	// requests-web12 1/1000 HeavyHitters   35328   1.000      1.000    0.016
	// requests-web12 1/1000 HeavyHitters  156152   1.000      1.000    0.027
}

// printCompared prints the rows of a stream in which a share of 1/k is heavy.
func printCompared(name string, keys []string, k uint64) {
	truth := occurrences(keys)
	row := func(structure string, bytes int, found map[string]uint64) {
		recall, precision, err := compared(truth, found, uint64(len(keys)), k)
		fmt.Printf("%-14s 1/%-4d %-12s %7d  %6.3f  %9.3f  %7.3f\n", name, k, structure, bytes, recall, precision, 100*err)
	}
	h := heapOf(keys, k)
	row("sketch, heap", h.sizeBytes(), h.counts())
	for _, memory := range []int{h.sizeBytes(), h.sizeBytes() / 4, 0} {
		heavy := heavyOf(keys, k, memory)
		row("HeavyHitters", int(heavy.SizeBytes()), countsOf(heavy))
	}
}

// heapOf returns a sketch with a heap of a stream.
func heapOf(keys []string, k uint64) *sketchHeap {
	p, err := countmin.Config{Epsilon: 0.5 / float64(k), Delta: 0.01}.Params()
	if err != nil {
		panic(err)
	}
	h := newSketchHeap(p, k)
	for _, key := range keys {
		h.add(key)
	}
	return h
}

// heavyOf returns the heavy hitters of a stream.
func heavyOf(keys []string, k uint64, memory int) *countmin.HeavyHitters {
	h, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 1 / float64(k), MemoryBytes: memory})
	if err != nil {
		panic(err)
	}
	h.AddAllStrings(keys)
	return h
}

// countsOf returns the reported counts.
func countsOf(h *countmin.HeavyHitters) map[string]uint64 {
	counts := map[string]uint64{}
	for key, e := range h.All() {
		counts[key] = e.Count
	}
	return counts
}

// occurrences returns how often each key occurs.
func occurrences(keys []string) map[string]uint64 {
	counts := map[string]uint64{}
	for _, key := range keys {
		counts[key]++
	}
	return counts
}

// compared compares reported counts with the truth for n keys: the share of
// keys above n/k that were found, the share of such keys among those reported,
// and the mean relative error of their counts.
func compared(truth, reported map[string]uint64, n, k uint64) (recall, precision, err float64) {
	heavy, found := 0, 0
	for key, count := range truth {
		if count*k < n {
			continue
		}
		heavy++
		if got, ok := reported[key]; ok {
			found++
			err += float64(got-count) / float64(count)
		}
	}
	return float64(found) / float64(heavy), float64(found) / float64(len(reported)), err / float64(found)
}
