package perfect

import "github.com/filterfam/filterfam/hashfam"

// A mapping maps digests to places, and places to results. Places below n are
// used as results. All places in the first level are below n. The places in
// later levels are not: each of these must be mapped to a place that the first
// level left free.
//
// Level i uses the values 3i and 3i+1 of the digest's probe sequence.
type mapping struct {
	n      uint64 // number of keys
	levels []level
	last   lastLevel
	free   eliasFano
	valid  bool // false in a zero mapping
}

// index returns the index of the key with digest d. It is below m.n unless m.n
// is 0.
func (m *mapping) index(d hashfam.Digest) uint64 {
	p := d.Probe()
	for i := range m.levels {
		l := &m.levels[i]
		if seed := l.seeds[l.bucket(p)]; seed != 0 {
			return m.result(l.base + l.place(p, uint64(seed)))
		}
		p = p.Next().Next().Next()
	}
	if !m.valid {
		errs.Zero("Function or View", "New or NewView, or decode into it")
	}
	return m.result(m.last.base + m.last.place(p))
}

// result returns the result for a place.
func (m *mapping) result(place uint64) uint64 {
	if place < m.n {
		return place
	}
	return m.free.at(place - m.n)
}

// blockSize is the number of digests that batch methods process at a time. The
// memory for a block fits into the cache.
const blockSize = 128

// indexBlock appends the index of each digest to dst, which has room for them.
// It loads the seeds of all digests first. When these loads follow each other
// closely, the processor overlaps many cache misses.
func (m *mapping) indexBlock(dst []uint64, digests []hashfam.Digest) []uint64 {
	if len(m.levels) == 0 {
		for _, d := range digests {
			dst = append(dst, m.index(d))
		}
		return dst
	}
	l := &m.levels[0]
	var found [blockSize]uint8
	for i, d := range digests {
		found[i] = l.seeds[l.bucket(d.Probe())]
	}
	for i, d := range digests {
		if seed := found[i]; seed != 0 {
			dst = append(dst, l.place(d.Probe(), uint64(seed)))
		} else {
			dst = append(dst, m.index(d))
		}
	}
	return dst
}
