package countmin

import "github.com/filterfam/filterfam/hashfam"

// batchKeys is how many keys are hashed before memory is touched. Hashing a
// whole batch first lets the processor wait for many cache misses at once; the
// instructions of a hash between two updates would leave room for few.
const batchKeys = 128

// A batch hashes keys some at a time. It allocates nothing.
type batch struct {
	family hashfam.Family
	rest   [][]byte
	buf    [batchKeys]hashfam.Digest
}

// next returns the next keys and their digests, or none after the last.
func (b *batch) next() (keys [][]byte, digests []hashfam.Digest) {
	keys = b.rest[:min(len(b.rest), batchKeys)]
	b.rest = b.rest[len(keys):]
	return keys, b.family.SumAll(b.buf[:0], keys)
}

// AddAll counts every key once. It does the same as [Sketch.Add] on each, in
// about half the time (amd64 with AVX2). O(depth) time a key, no allocation; no
// key is kept.
func (s *Sketch) AddAll(keys [][]byte) {
	b := batch{family: s.params.Family, rest: keys}
	for len(b.rest) > 0 {
		_, digests := b.next()
		switch w := s.params.Width; {
		case s.params.Conservative:
			for _, d := range digests {
				s.AddNDigest(d, 1)
			}
			continue
		case s.wide == nil:
			for _, d := range digests {
				add(s.narrow, w, d, 1)
			}
		default:
			for _, d := range digests {
				add(s.wide, w, d, 1)
			}
		}
		s.total = addSat(s.total, uint64(len(digests)))
	}
}

// CountAll appends the answer of [Sketch.Count] for each key to dst and
// returns the extended slice. O(depth) time a key; it allocates only if dst has
// to grow.
func (s *Sketch) CountAll(dst []uint64, keys [][]byte) []uint64 {
	b := batch{family: s.params.Family, rest: keys}
	for len(b.rest) > 0 {
		_, digests := b.next()
		for _, d := range digests {
			dst = append(dst, s.CountDigest(d))
		}
	}
	return dst
}
