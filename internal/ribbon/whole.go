package ribbon

import "slices"

// Equal reports whether r and other are the same function, built from as many
// digests.
func (r *Ribbon) Equal(other *Ribbon) bool {
	return r.columns == other.columns && r.keys == other.keys &&
		slices.EqualFunc(r.parts(), other.parts(), slices.Equal[[]uint64])
}

// Clone returns a copy that shares no memory with r, in one allocation of the
// words.
func (r *Ribbon) Clone() Ribbon {
	words := slices.Concat(r.parts()...)
	c := *r
	c.layers = slices.Clone(r.layers)
	words = words[max(0, len(r.layers)-1):]
	for i := range c.layers {
		l := &c.layers[i]
		l.thresholds, words = cut(words, uint64(len(l.thresholds)))
		l.words, words = cut(words, uint64(len(l.words)))
	}
	return c
}
