package perfect

import "github.com/filterfam/filterfam/hashfam"

// A Function is a minimal perfect hash function. Use [New] or [NewView] to
// create one. Only decoding changes a Function.
type Function struct{ stored }

// Index returns the index of key, which is below Len. Each key of the set has a
// different index, but a key that is not in the set has the same index as a key
// that is. To detect such keys, use a [Filter] and call [Filter.Contains], or
// store the keys and compare them. If Len is 0, Index returns 0.
//
// If the function is larger than the cache, Index causes one cache miss for at
// least 24 of 25 keys, and a few for the others.
func (s *stored) Index(key []byte) uint64 { return s.index(s.hash.Sum(key)) }

// IndexString is like [Function.Index] for a string key.
func (s *stored) IndexString(key string) uint64 { return s.index(s.hash.SumString(key)) }

// IndexDigest is like [Function.Index] for a digest computed by the structure's
// family.
func (s *stored) IndexDigest(d hashfam.Digest) uint64 { return s.index(d) }

// A mapping maps digests to places, and places to indexes. The places of the
// first level are below n, and each is itself the index. The places of later
// levels are n or more, so each is mapped to a place that the first level left
// free.
//
// Level i, counted from 0, uses the values 3i and 3i+1 of the digest's probe
// sequence. The value 3i+2 is the digest for the next level; for level 0, it is
// also the key's fingerprint.
type mapping struct {
	n      uint64 // number of keys
	levels []level
	last   lastLevel
	list   eliasFano // the places that the first level left free, one for each place in later levels
	built  bool      // false in a zero mapping, whose other fields are those of a mapping without keys
}

var zero = errs.Zero("Function or Filter", "New, NewFilter or a view, or decode into it")

// made returns m. It panics if m is zero.
func (m *mapping) made() *mapping {
	if !m.built {
		panic(zero)
	}
	return m
}

// index returns the index of the key with digest d. It is below m.n unless m.n
// is 0.
func (m *mapping) index(d hashfam.Digest) uint64 { return m.indexIn(m.levels, d.Probe()) }

// indexIn is like index for a key that was bumped by all levels before the
// given ones. p is the value of the key's probe sequence with which these
// levels begin.
func (m *mapping) indexIn(levels []level, p hashfam.Probe) uint64 {
	for i := range levels {
		l := &levels[i]
		if seed := l.seeds[l.bucket(p)]; seed != 0 {
			return m.result(l.base + l.candidate(p).place(l, uint64(seed)))
		}
		p = p.Next().Next().Next()
	}
	return m.made().result(m.last.base + m.last.place(p))
}

// result returns the index for a place.
func (m *mapping) result(place uint64) uint64 {
	if place < m.n {
		return place
	}
	return m.list.at(place - m.n)
}

// rehash returns the digest for the next level.
func rehash(d hashfam.Digest) hashfam.Digest { return hashfam.Digest(d.Probe().Next().Next()) }

// fingerprint returns the key's fingerprint. Slots contain its highest bits.
func fingerprint(d hashfam.Digest) uint64 { return uint64(rehash(d)) }
