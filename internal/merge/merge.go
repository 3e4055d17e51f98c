// Package merge helps structures to merge others into themselves.
package merge

import "slices"

// Apart returns others, but with a copy of mine in place of mine. The other
// structures therefore do not change while mine does. It copies mine at most
// once, and only if it is one of the others.
func Apart[T comparable](mine T, others []T, clone func(T) T) []T {
	if !slices.Contains(others, mine) {
		return others
	}
	apart := slices.Clone(others)
	before := clone(mine)
	for i, other := range apart {
		if other == mine {
			apart[i] = before
		}
	}
	return apart
}
