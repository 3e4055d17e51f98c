// Package streams holds sequences of keys with known counts, for tests.
package streams

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

// A Stream is a sequence of keys, as indices into Keys, with how often each
// occurs.
type Stream struct {
	Name  string
	Keys  [][]byte
	IDs   []int32
	Truth []uint64
	index map[string]uint64 // truth by key, made when first asked for
}

// Counts returns the truth by key.
func (s *Stream) Counts() map[string]uint64 {
	if s.index == nil {
		s.index = make(map[string]uint64, len(s.Keys))
		for i, k := range s.Keys {
			s.index[string(k)] = s.Truth[i]
		}
	}
	return s.index
}

func newStream(name string, words []string) *Stream {
	s := &Stream{Name: name}
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

// MobyDick returns the words of a novel.
func MobyDick() *Stream { return newStream("moby-dick", data.Tokens(data.MobyDick())) }

// Web12 returns the requests of a web server.
func Web12() *Stream { return newStream("requests-web12", data.RequestsWeb12()) }

// Weblog returns the paths that were asked of another.
func Weblog() *Stream { return newStream("weblog-paths", data.WeblogPaths()) }

// Ascending returns the same keys, the rarest first and each in one run.
func (s *Stream) Ascending() *Stream {
	ids := slices.Clone(s.IDs)
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Truth[a], s.Truth[b]), cmp.Compare(a, b))
	})
	return &Stream{s.Name + ", ascending", s.Keys, ids, s.Truth, s.Counts()}
}

// Digests returns the digest of every key.
func (s *Stream) Digests(fam hashfam.Family) []hashfam.Digest { return fam.SumAll(nil, s.Keys) }

// Zipf draws length keys out of n, the i-th (from 1) with a probability in
// proportion to i^-exponent.
func Zipf(exponent float64, n, length int, seed uint64) *Stream {
	sums, sum := make([]float64, n), 0.0 // of numbers in proportion to the probabilities
	for i := range sums {
		sum += math.Pow(float64(i+1), -exponent)
		sums[i] = sum
	}
	r := rand.New(rand.NewPCG(seed, 1))
	s := &Stream{
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
