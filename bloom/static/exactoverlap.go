package static

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// common returns the digests that are in both lists, which [ribbon.Sort] has
// sorted. O(n) time.
func common(a, b []hashfam.Digest) (both []hashfam.Digest) {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0].Probe(), b[0].Probe()
		if x == y {
			both = append(both, a[0])
		}
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return both
}

// overlap returns the error that names the first of the others with a digest in
// both, and the member with that digest. It does not show the key, which may be
// secret.
func overlap(members, others [][]byte, both []hashfam.Digest, sum func([]byte) hashfam.Digest) error {
	i := slices.IndexFunc(others, func(key []byte) bool {
		_, found := slices.BinarySearchFunc(both, sum(key), func(a, b hashfam.Digest) int {
			return cmp.Compare(a.Probe(), b.Probe())
		})
		return found
	})
	field, d := fmt.Sprintf("others[%d]", i), sum(others[i])
	if j := slices.IndexFunc(members, func(key []byte) bool { return bytes.Equal(key, others[i]) }); j >= 0 {
		return paramError(field, fmt.Sprintf("members[%d]", j), "no key of members")
	}
	j := slices.IndexFunc(members, func(key []byte) bool { return sum(key) == d })
	return paramError(field, fmt.Sprintf("a different key with the digest of members[%d]", j), "another ExactConfig.Family")
}
