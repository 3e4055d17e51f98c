package perfect

import "github.com/filterfam/filterfam/hashfam"

const (
	maxLast      = 8       // the last level has at most that many keys
	maxLastSeeds = 1 << 20 // 400 are tried for 8 keys on average
)

// The last level places its few keys on as many places by one seed, which is
// found by trying. Levels of buckets would need many more levels.
type lastLevel struct {
	base uint64 // number of the first place
	n    uint64 // number of keys
	seed uint32
}

// place returns the place of a key, counted from l.base. A digest is mixed with
// the seed as a key is in MurmurHash3's final step.
func (l *lastLevel) place(p hashfam.Probe) uint64 {
	x := uint64(p) + uint64(l.seed)*spread
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return hashfam.Reduce(x^x>>33, l.n)
}

// search sets the seed to the first that gives all keys different places, and
// reports whether there is one. The keys are l.n different ones, at most
// maxLast.
func (l *lastLevel) search(digests []hashfam.Digest) bool {
	for ; l.seed < maxLastSeeds; l.seed++ {
		used := uint64(0)
		for _, d := range digests {
			used |= 1 << l.place(d.Probe())
		}
		if used == 1<<l.n-1 {
			return true
		}
	}
	return false
}
