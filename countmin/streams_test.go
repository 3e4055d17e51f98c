package countmin

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"sync"

	"github.com/filterfam/filterfam/internal/data"
)

// A stream is a sequence of keys. Counts contains their true counts.
type stream struct {
	Name   string
	Keys   []string
	Counts map[string]uint64
}

func newStream(name string, keys []string) *stream {
	s := &stream{name, keys, map[string]uint64{}}
	for _, key := range keys {
		s.Counts[key]++
	}
	return s
}

var (
	// mobyDick returns the words of a novel.
	mobyDick = sync.OnceValue(func() *stream { return newStream("moby-dick", data.Tokens(data.MobyDick())) })
	// web12 returns the requests of a web server.
	web12 = sync.OnceValue(func() *stream { return newStream("requests-web12", data.RequestsWeb12()) })
	// weblog returns the paths in another server's log.
	weblog = sync.OnceValue(func() *stream { return newStream("weblog-paths", data.WeblogPaths()) })
)

// zipf draws length keys out of n. The probability of the i-th key, starting
// with 1, is proportional to i^-exponent.
func zipf(exponent float64, n, length int, seed uint64) *stream {
	sums, sum := make([]float64, n), 0.0 // of numbers in proportion to the probabilities
	for i := range sums {
		sum += math.Pow(float64(i+1), -exponent)
		sums[i] = sum
	}
	r, keys := rand.New(rand.NewPCG(seed, 1)), make([]string, length)
	for i := range keys {
		keys[i] = strconv.Itoa(sort.SearchFloat64s(sums, sum*r.Float64()))
	}
	return newStream(fmt.Sprintf("zipf %.1f", exponent), keys)
}

// ascending returns the same keys, grouped and sorted by ascending count.
func (s *stream) ascending() *stream {
	byCount := func(a, b string) int { return cmp.Or(cmp.Compare(s.Counts[a], s.Counts[b]), cmp.Compare(a, b)) }
	var keys []string
	for _, key := range slices.SortedFunc(maps.Keys(s.Counts), byCount) {
		keys = append(keys, slices.Repeat([]string{key}, int(s.Counts[key]))...)
	}
	return &stream{s.Name + ", ascending", keys, s.Counts}
}

// feed adds part i of n of a stream to h. Part 0 of 1 is the whole stream.
func feed(h tracking, s *stream, i, n int) {
	for _, key := range s.Keys[i*len(s.Keys)/n : (i+1)*len(s.Keys)/n] {
		h.AddString(key)
	}
}
