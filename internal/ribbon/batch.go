package ribbon

import "github.com/filterfam/filterfam/hashfam"

// ContainsAll appends the answer of [Ribbon.Contains] for each digest to dst,
// which has room for them. It fetches the words of all digests first, so
// digests should be no more than fit into the cache.
func (r *Ribbon) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
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
