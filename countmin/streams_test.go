package countmin

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// A stream is a sequence of keys, given as indexes into Keys. Truth contains
// their true counts.
type stream struct {
	Name  string
	Keys  [][]byte
	IDs   []int32
	Truth []uint64
	index map[string]uint64 // true counts by key, computed when first needed
}

// counts returns the true counts by key.
func (s *stream) counts() map[string]uint64 {
	if s.index == nil {
		s.index = make(map[string]uint64, len(s.Keys))
		for i, k := range s.Keys {
			s.index[string(k)] = s.Truth[i]
		}
	}
	return s.index
}

func newStream(name string, words []string) *stream {
	s := &stream{Name: name}
	seen := map[string]int32{}
	for _, w := range words {
		id, ok := seen[w]
		if !ok {
			id = int32(len(s.Keys))
			seen[w] = id
			s.Keys = append(s.Keys, []byte(w))
			s.Truth = append(s.Truth, 0)
		}
		s.IDs = append(s.IDs, id)
		s.Truth[id]++
	}
	return s
}

// mobyDick returns the words of a novel.
func mobyDick() *stream { return newStream("moby-dick", data.Tokens(data.MobyDick())) }

// web12 returns the requests of a web server.
func web12() *stream { return newStream("requests-web12", data.RequestsWeb12()) }

// weblog returns the paths in another server's log.
func weblog() *stream { return newStream("weblog-paths", data.WeblogPaths()) }

// ascending returns the same keys, grouped and sorted by ascending count.
func (s *stream) ascending() *stream {
	ids := slices.Clone(s.IDs)
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Truth[a], s.Truth[b]), cmp.Compare(a, b))
	})
	return &stream{s.Name + ", ascending", s.Keys, ids, s.Truth, s.counts()}
}

// digests returns the digest of every key.
func (s *stream) digests(fam hashfam.Family) []hashfam.Digest { return fam.SumAll(nil, s.Keys) }

// feed adds part i of n of a stream to h. Part 0 of 1 is the whole stream.
func feed(h tracking, s *stream, i, n int) {
	digests := s.digests(h.self().family)
	for _, id := range s.IDs[i*len(s.IDs)/n : (i+1)*len(s.IDs)/n] {
		h.self().AddDigest(digests[id], s.Keys[id])
	}
}

// zipf draws length keys out of n. The probability of the i-th key, starting
// with 1, is proportional to i^-exponent.
func zipf(exponent float64, n, length int, seed uint64) *stream {
	sums, sum := make([]float64, n), 0.0 // of numbers in proportion to the probabilities
	for i := range sums {
		sum += math.Pow(float64(i+1), -exponent)
		sums[i] = sum
	}
	r := rand.New(rand.NewPCG(seed, 1))
	s := &stream{
		Name: "zipf " + strconv.FormatFloat(exponent, 'f', 1, 64),
		Keys: make([][]byte, n), IDs: make([]int32, length), Truth: make([]uint64, n),
	}
	for i := range s.Keys {
		s.Keys[i] = strconv.AppendInt(nil, int64(i), 10)
	}
	for i := range s.IDs {
		id := sort.SearchFloat64s(sums, sum*r.Float64())
		s.IDs[i] = int32(id)
		s.Truth[id]++
	}
	return s
}
