package countmin

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
)

// long reports whether the tests that take long are to run as well.
func long() bool { return os.Getenv("FILTERFAM_LONG") != "" }

// A stream is a sequence of keys, as indices, with how often each occurs.
type stream struct {
	name  string
	keys  [][]byte
	ids   []int32
	truth []uint64
	index map[string]uint64 // truth by key, made when first asked for
}

// counts returns the truth by key.
func (s *stream) counts() map[string]uint64 {
	if s.index == nil {
		s.index = make(map[string]uint64, len(s.keys))
		for i, k := range s.keys {
			s.index[string(k)] = s.truth[i]
		}
	}
	return s.index
}

func newStream(name string, words []string) *stream {
	s := &stream{name: name}
	seen := map[string]int32{}
	for _, w := range words {
		id, ok := seen[w]
		if !ok {
			id = int32(len(s.keys))
			seen[w] = id
			s.keys = append(s.keys, []byte(w))
			s.truth = append(s.truth, 0)
		}
		s.ids = append(s.ids, id)
		s.truth[id]++
	}
	return s
}

func mobyDick() *stream { return newStream("moby-dick", data.Tokens(data.MobyDick())) }
func web12() *stream    { return newStream("requests-web12", data.RequestsWeb12()) }
func weblog() *stream   { return newStream("weblog-paths", data.WeblogPaths()) }

// ascending returns the same keys, the rarest first and each in one run.
func (s *stream) ascending() *stream {
	ids := slices.Clone(s.ids)
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.truth[a], s.truth[b]), cmp.Compare(a, b))
	})
	return &stream{s.name + ", ascending", s.keys, ids, s.truth, s.counts()}
}

// digests returns the digest of every key.
func (s *stream) digests(fam hashfam.Family) []hashfam.Digest { return fam.SumAll(nil, s.keys) }

// zipf draws length keys out of n, the i-th (from 1) with a probability in
// proportion to i^-exponent, by Walker's alias method.
func zipf(exponent float64, n, length int, seed uint64) *stream {
	share, alias := make([]float64, n), make([]int32, n)
	sum := 0.0
	for i := range share {
		share[i] = math.Pow(float64(i+1), -exponent)
		sum += share[i]
	}
	var small, large []int32
	for i := range share {
		share[i] *= float64(n) / sum
		alias[i] = int32(i)
		if share[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		alias[s] = l
		if share[l] -= 1 - share[s]; share[l] < 1 {
			large, small = large[:len(large)-1], append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		share[i] = 1 // but for rounding
	}
	r := rand.New(rand.NewPCG(seed, 1))
	s := &stream{
		name: "zipf " + strconv.FormatFloat(exponent, 'f', 1, 64),
		keys: make([][]byte, n), ids: make([]int32, length), truth: make([]uint64, n),
	}
	for i := range s.keys {
		s.keys[i] = strconv.AppendInt(nil, int64(i), 10)
	}
	for i := range s.ids {
		id := int32(r.IntN(n))
		if r.Float64() >= share[id] {
			id = alias[id]
		}
		s.ids[i] = id
		s.truth[id]++
	}
	return s
}
