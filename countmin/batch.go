package countmin

import "github.com/filterfam/filterfam/hashfam"

// batch is how many keys are hashed before memory is touched. Hashing and
// touching apart lets the processor wait for many cache misses at once, where
// the instructions of a hash between two updates would leave room for few.
const batch = 128

// AddAll counts every key once. It does the same as [Sketch.Add] on each, in
// about half the time (amd64 with AVX2). No allocation; no key is kept.
func (s *Sketch) AddAll(keys [][]byte) {
	var buf [batch]hashfam.Digest
	for len(keys) > 0 {
		n := min(len(keys), batch)
		digests := s.params.Family.SumAll(buf[:0], keys[:n])
		keys = keys[n:]
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
		s.total = addSat(s.total, uint64(n))
	}
}

// CountAll appends the answer of [Sketch.Count] for each key to dst and
// returns the extended slice. It allocates only where dst has to grow.
func (s *Sketch) CountAll(dst []uint64, keys [][]byte) []uint64 {
	var buf [batch]hashfam.Digest
	for len(keys) > 0 {
		n := min(len(keys), batch)
		digests := s.params.Family.SumAll(buf[:0], keys[:n])
		keys = keys[n:]
		for _, d := range digests {
			dst = append(dst, s.CountDigest(d))
		}
	}
	return dst
}
