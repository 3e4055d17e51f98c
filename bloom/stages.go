package bloom

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// stages are the filters in a [Scalable] or a [Rotating]. They all have the
// same family, so a key is hashed only once.
type stages struct {
	hash hashfam.Hasher // for the size of the newest stage
	list []Filter       // oldest first
}

// Family returns the family that hashes the keys.
func (s *stages) Family() hashfam.Family { return s.hash.Family() }

func newStages(p Params, n int) (s stages) {
	for range n {
		s.append(newFilter(p, make([]uint64, p.words())))
	}
	return s
}

var zeroStages = errs.Zero("Scalable or Rotating", "NewScalable or NewRotating, or decode into it")

// made returns s. It panics if s is zero: it has no stages.
func (s *stages) made() *stages {
	if len(s.list) == 0 {
		panic(zeroStages)
	}
	return s
}

// append makes f the newest stage.
func (s *stages) append(f *Filter) {
	s.hash = f.hash
	s.list = append(s.list, *f)
}

// Contains reports whether key may be in the filter. If it returns false, key
// is not in the filter; true may be a false positive. The newest underlying
// filter is queried first.
func (s *stages) Contains(key []byte) bool { return s.ContainsDigest(s.hash.Sum(key)) }

// ContainsString is like Contains for a string key.
func (s *stages) ContainsString(key string) bool { return s.ContainsDigest(s.hash.SumString(key)) }

// ContainsDigest is like Contains for a digest computed by the filter's family.
func (s *stages) ContainsDigest(d hashfam.Digest) bool {
	// When a stage is full, half of its bits are set, so three positions
	// exclude seven of eight stages that do not contain d.
	for i := len(s.list) - 1; i >= 0; i-- {
		if f := &s.list[i]; f.hasFirst(d) && f.ContainsDigest(d) {
			return true
		}
	}
	s.made()
	return false
}

// hasFirst tests the first three positions of d, or all if there are fewer. For
// a Blocked filter with AVX-512, it returns true without a test, because
// ContainsDigest tests all positions just as fast.
func (f *readable) hasFirst(d hashfam.Digest) bool {
	switch k := min(3, f.params.Hashes); f.params.Layout {
	case Blocked:
		return useAVX512 || hasBlocked(f.words, f.span, k, d)
	case Partitioned:
		return hasPartitioned(f.words, f.span, k, d)
	default:
		return hasClassic(f.words, f.span, k, d)
	}
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. Use Family().SumAll to compute the digests.
func (s *stages) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	s.made()
	dst = slices.Grow(dst, len(digests))
	for _, d := range digests {
		dst = append(dst, s.ContainsDigest(d))
	}
	return dst
}

// FalsePositiveRate returns an upper bound on the probability that the filter
// in its current state finds a key that was not added. The bound is the sum of
// the rates of all underlying filters, but no more than 1. The exact rate
// cannot be computed from these rates, because the filters are not independent:
// a key has related positions in all of them, and ContainsOrAdd adds no key
// that is already found. If the bound is 10% or less, it is close to the exact
// rate. FalsePositiveRate runs in O(m) time.
func (s *stages) FalsePositiveRate() float64 {
	return min(1, total(s, (*Filter).FalsePositiveRate))
}

// SizeBytes returns the size of all bit arrays in bytes.
func (s *stages) SizeBytes() uint64 { return total(s, (*Filter).SizeBytes) }

// EstimatedLen returns the sum of [Filter.EstimatedLen] over all underlying
// filters, so a key that is in several filters is counted several times. It
// runs in O(m) time.
func (s *stages) EstimatedLen() float64 { return total(s, (*Filter).EstimatedLen) }

// total adds up the results of calling a method for all stages.
func total[T uint64 | float64](s *stages, of func(*Filter) T) (sum T) {
	for i := range s.list {
		sum += of(&s.list[i])
	}
	return sum
}

// newest returns the newest stage. It panics if there is none.
func (s *stages) newest() *Filter {
	s.made()
	return &s.list[len(s.list)-1]
}

// clone returns a deep copy of s.
func (s *stages) clone() stages {
	c := stages{s.hash, make([]Filter, len(s.list))}
	for i := range s.list {
		c.list[i] = *s.list[i].Clone()
	}
	return c
}

func (s *stages) equal(other *stages) bool {
	return slices.EqualFunc(s.list, other.list, func(f, g Filter) bool { return f.Equal(&g) })
}
