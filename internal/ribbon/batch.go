package ribbon

import "github.com/filterfam/filterfam/hashfam"

// containsEach is ContainsAll one digest after the other.
func (r *Ribbon) containsEach(dst []bool, digests []hashfam.Digest) []bool {
	r.fetch(digests)
	for _, d := range digests {
		dst = append(dst, r.Contains(d))
	}
	return dst
}

// fetch loads the words of every digest in the first layer into the cache. The
// result is meaningless. fetch must not be inlined, or the compiler could
// remove the loads.
//
//go:noinline
func (r *Ribbon) fetch(digests []hashfam.Digest) (sink uint64) {
	if len(r.layers) == 0 {
		return 0
	}
	l := &r.layers[0]
	for _, d := range digests {
		s := segment(d.Probe().In(l.starts))
		sink ^= l.words[l.at(s)] ^ l.words[l.at(s+1)]
	}
	return sink
}
