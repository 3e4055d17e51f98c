package table

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A history is a sequence of keys that are added to an empty filter of a random
// family, and what came of it.
type history struct {
	keys   []hashfam.Digest
	hashes []Hash // of the fingerprints, if they are at most maxHashed bits wide
	fails  int    // the number of the key that Add refuses, or never
}

const never = math.MaxInt

// from makes h a copy of the first n keys of another history.
func (h *history) from(other *history, n int) {
	h.keys = append(h.keys[:0], other.keys[:n]...)
	h.hashes = append(h.hashes[:0], other.hashes...)
	h.fails = other.fails
}

// A splitting estimates the chance of a rare event: that Add refuses one of the
// first n keys of a random history, while no nine of them have the same two
// buckets. It is multilevel splitting (Kahn and Harris 1951; subset simulation
// in Au and Beck, Probabilistic Engineering Mechanics 16, 2001):
//
// Of a population of random histories, take the fifth that fail first, all by
// key a. They are a sample of the histories that fail by a. Copy them until
// there are as many as before, and change each at random, with steps that leave
// the distribution of random histories as it is; take back a step after which
// the history does not fail by a. Of the result, take the fifth that fail
// first, by key b, and so on down to n. The chance is the product of the
// shares. The filter is the real one, so a search that ends too early counts.
//
// Nine keys with the same two buckets are left out, as few histories in which
// larger sets fail lead to them. Package sizing has a bound for these.
type splitting struct {
	f       *filter
	r       *rand.Rand
	size    int     // of the population
	steps   int     // of each history on each level
	floor   float64 // stop if the chance is below
	attempt history // the step in the making
	pairs   []uint64
}

// chance estimates the chance that Add refuses one of n keys. If it is below
// s.floor, the result may be larger than the chance.
func (s *splitting) chance(n int) float64 {
	population := make([]history, s.size)
	for i := range population {
		population[i] = s.random()
	}
	chance, most := 1.0, len(population[0].keys)
	for most > n && chance > s.floor {
		slices.SortFunc(population, func(a, b history) int { return a.fails - b.fails })
		most = max(n, min(most-1, population[s.size/5].fails))
		left, _ := slices.BinarySearchFunc(population, most+1, func(h history, n int) int { return h.fails - n })
		chance *= float64(left) / float64(s.size)
		if left == 0 {
			return 0
		}
		for i := left; i < s.size; i++ {
			population[i].from(&population[s.r.IntN(left)], most)
		}
		for i := range population {
			for range s.steps {
				s.step(&population[i], most)
			}
		}
	}
	return chance
}

// random returns a history of one key more than there are slots.
func (s *splitting) random() history {
	h := history{keys: make([]hashfam.Digest, s.f.slots()+1)}
	for i := range h.keys {
		h.keys[i] = hashfam.Digest(s.r.Uint64())
	}
	if f := s.f.Bits; f <= maxHashed {
		h.hashes = make([]Hash, 1<<f)
		for fp := range h.hashes {
			h.hashes[fp] = s.hash()
		}
	}
	s.replay(&h, len(h.keys))
	return h
}

// hash returns what the hash of a fingerprint in a random family is.
func (s *splitting) hash() Hash {
	return Hash{s.r.Uint64() | 1, hashfam.Reduce(s.r.Uint64(), s.f.partners.offsets)}
}

// step changes a history that fails within n keys: it draws some keys again, or
// the hash of a fingerprint, and shuffles the keys. A history that does not
// fail within n keys after that stays as it was.
func (s *splitting) step(h *history, n int) {
	a := &s.attempt
	a.from(h, n)
	if len(a.hashes) > 0 && s.r.IntN(2) == 0 {
		a.hashes[1+s.r.IntN(len(a.hashes)-1)] = s.hash()
	} else {
		for range int(math.Pow(float64(n), s.r.Float64())) {
			a.keys[s.r.IntN(n)] = hashfam.Digest(s.r.Uint64())
		}
	}
	s.r.Shuffle(n, func(i, j int) { a.keys[i], a.keys[j] = a.keys[j], a.keys[i] })
	if s.replay(a, n); a.fails <= n {
		*h, *a = *a, *h
	}
}

// replay adds the first n keys of a history to an empty filter, and notes which
// one fails.
func (s *splitting) replay(h *history, n int) {
	clear(s.f.table.bytes)
	s.f.partners.hashes = h.hashes
	h.fails = never
	for i, d := range h.keys[:n] {
		if s.f.add(d) {
			continue
		}
		if !s.crowded(h.keys[:i+1]) {
			h.fails = i + 1
		}
		return
	}
}

// crowded reports whether nine keys have the same two buckets.
func (s *splitting) crowded(keys []hashfam.Digest) bool {
	s.pairs = s.pairs[:0]
	for _, d := range keys {
		i, j, _ := s.f.locate(d)
		s.pairs = append(s.pairs, min(i, j)<<32|max(i, j))
	}
	slices.Sort(s.pairs)
	for k := 2 * Slots; k < len(s.pairs); k++ {
		if s.pairs[k] == s.pairs[k-2*Slots] {
			return true
		}
	}
	return false
}
