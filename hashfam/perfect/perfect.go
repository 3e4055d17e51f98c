package perfect

import "github.com/filterfam/filterfam/hashfam"

// A mapping maps digests to places. The places of the keys of the first level
// are the results; the later levels have places from n up, and each of those
// that a key has stands for a place that the first level left free.
//
// Level i uses the values 3i and 3i+1 of a digest's probe sequence.
type mapping struct {
	n      uint64 // number of keys, and of places below which a place is a result
	levels []level
	last   lastLevel
	free   eliasFano
	valid  bool // false in a zero mapping
}

// index returns the index of a key with digest d: below m.n unless that is 0.
func (m *mapping) index(d hashfam.Digest) uint64 {
	p := d.Probe()
	for i := range m.levels {
		l := &m.levels[i]
		if seed := l.seed(p); seed != 0 {
			return m.result(l.base + l.place(p, seed))
		}
		p = p.Next().Next().Next()
	}
	if !m.valid {
		errs.Zero("Function or View", "New or NewView, or decode into it")
	}
	return m.result(m.last.base + m.last.place(p))
}

// result returns the result that a place stands for.
func (m *mapping) result(place uint64) uint64 {
	if place < m.n {
		return place
	}
	return m.free.at(place - m.n)
}

// blockSize is the largest number of digests in a block. The memory that they
// need fits into the cache.
const blockSize = 128

// indexBlock appends the index of each digest of a block to dst, which has room
// for them. It loads the seeds of all digests first: the loads follow each
// other closely, so that the processor overlaps many cache misses.
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
