package bloom

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// stages are the filters that a [Scalable] or a [Rotating] consists of. They
// have one family, so that one digest serves all of them.
type stages struct {
	hash hashfam.Hasher // of keys, for the newest stage, the largest one
	list []Filter       // from the oldest to the newest
}

// Family returns the family that hashes the keys of the filter. O(1) time.
func (s *stages) Family() hashfam.Family { return s.hash.Family() }

// newStages returns n empty stages.
func newStages(p Params, n int) (s stages) {
	for range n {
		s.append(newFilter(p, make([]uint64, p.words())))
	}
	return s
}

// use panics if s has no stages, because nothing has made the filter or was
// decoded into it.
func (s *stages) use() {
	if len(s.list) == 0 {
		errs.Zero("Scalable or Rotating", "NewScalable or NewRotating, or decode into it")
	}
}

// append makes f the newest stage.
func (s *stages) append(f *Filter) { s.hash, s.list = f.hash, append(s.list, *f) }

// Contains reports whether key may be in the filter. False is certain: key was
// never added, or, in a Rotating, not within the window. True is wrong with a
// probability of at most FPRate; in a Rotating it may also mean that key was
// added up to a part of the window earlier. O(s k) time for s stages or
// generations, no allocation. It asks the newest one first, and three positions
// of each before the others.
func (s *stages) Contains(key []byte) bool { return s.ContainsDigest(s.hash.Sum(key)) }

// ContainsString is Contains for a string.
func (s *stages) ContainsString(key string) bool { return s.ContainsDigest(s.hash.SumString(key)) }

// ContainsDigest is Contains for a digest under the filter's family.
func (s *stages) ContainsDigest(d hashfam.Digest) bool {
	// Half of the bits of a full stage are set, so three positions exclude
	// seven of eight stages that do not contain d.
	for i := len(s.list) - 1; i >= 0; i-- {
		if f := &s.list[i]; f.hasFirst(d) && f.ContainsDigest(d) {
			return true
		}
	}
	s.use()
	return false
}

// hasFirst tests the first three positions of d, or all if there are fewer.
// AVX-512 tests all positions of a line as fast as three of them.
func (f *reader) hasFirst(d hashfam.Digest) bool {
	switch k := min(3, f.params.Hashes); f.kind {
	case classic:
		return hasClassic(f.words, f.span, k, d)
	case partitioned:
		return hasPartitioned(f.words, f.span, k, d)
	default:
		return useAVX512 || hasBlocked(f.words, f.span, k, d)
	}
}

// ContainsAll appends the answer of ContainsDigest for each digest to dst and
// returns the extended slice. Get the digests from Family().SumAll. It
// allocates only if dst is too small.
func (s *stages) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	s.use()
	dst = slices.Grow(dst, len(digests))
	for _, d := range digests {
		dst = append(dst, s.ContainsDigest(d))
	}
	return dst
}

// FalsePositiveRate returns an upper bound on the chance that the filter in its
// current state finds a key that was not added: the sum of the rates of its
// stages or generations, at most 1. A key has related positions in all of them,
// and ContainsOrAdd adds no key that one of them finds, so their rates are not
// independent. At rates of 10% or less the bound is close to the rate itself.
// O(m) time.
func (s *stages) FalsePositiveRate() float64 {
	sum := 0.0
	for i := range s.list {
		sum += s.list[i].FalsePositiveRate()
	}
	return min(1, sum)
}

// SizeBytes returns the size of all bit arrays in bytes. O(s) time.
func (s *stages) SizeBytes() uint64 {
	size := uint64(0)
	for i := range s.list {
		size += s.list[i].SizeBytes()
	}
	return size
}

// EstimatedLen returns the sum of [Filter.EstimatedLen] over all stages or
// generations. A Scalable does not count keys that were found when they were
// added, at most a share of FPRate. A Rotating counts a key once for each
// generation that it is in, and some keys may be older than the window. O(m)
// time.
func (s *stages) EstimatedLen() float64 {
	sum := 0.0
	for i := range s.list {
		sum += s.list[i].EstimatedLen()
	}
	return sum
}

// newest returns the newest stage.
func (s *stages) newest() *Filter {
	s.use()
	return &s.list[len(s.list)-1]
}

// clone returns a copy that shares no memory with s.
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

// paddedWords returns the number of words of the array in the payload of a
// frame: whole lines, so that every array begins at a multiple of 64 bytes.
func (p Params) paddedWords() uint64 { return (p.words() + lineWords - 1) / lineWords * lineWords }

// yield yields the array of every stage, each with its padding.
func (s *stages) yield(yield func([]byte) bool) {
	for i := range s.list {
		for piece := range frame.Numbers(s.list[i].words) {
			if !yield(piece) {
				return
			}
		}
		p := s.list[i].params
		if n := p.paddedWords() - p.words(); n > 0 && !yield(make([]byte, 8*n)) {
			return
		}
	}
}

// cut returns the stages with the given valid parameters whose arrays are in
// words, one after another. They share its memory. It returns ErrCorrupt if
// words is too short or too long, or if a bit beyond the last one of an array
// is set.
func cut(words []uint64, params []Params) (stages, error) {
	s := stages{list: make([]Filter, 0, len(params))}
	for _, p := range params {
		n := p.paddedWords()
		if uint64(len(words)) < n {
			return s, errs.Field(ErrCorrupt, "payload", "too short", "the arrays of all stages")
		}
		array, padding := words[:p.words():p.words()], words[p.words():n]
		words = words[n:]
		if err := p.checkWords(array, ErrCorrupt); err != nil {
			return s, err
		}
		if ones(padding) != 0 {
			return s, errs.Field(ErrCorrupt, "padding of a stage", "not zero", "zeros")
		}
		s.append(newFilter(p, array))
	}
	if len(words) != 0 {
		return s, errs.Field(ErrCorrupt, "payload", "too long", "the arrays of all stages")
	}
	return s, nil
}
