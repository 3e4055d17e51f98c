package perfect

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	// A level has 22 keys for 5 buckets: 4.4 for each byte of seeds. With more,
	// fewer bits go to the seeds and more to the keys that are bumped.
	bucketsPer = 5
	bucketKeys = 22

	minSlice = 4       // the least and the largest number of places that a key
	maxSlice = 1024    // may have
	seeds    = 256     // 0 is not a seed: it marks a bucket that is bumped
	maxKeys  = 1 << 40 // all sizes in bits then fit in 64 bits
)

// A level places most of n keys on n places, each key on its own.
//
// A key belongs to one of the buckets, and may be placed in a slice of the
// places. Both are in the order of its first value x, so the keys of a bucket
// have almost the same slice. The second value y and the seed of the bucket,
// one byte, choose the place in the slice. The keys of a bucket with seed 0 are
// bumped: they go to the next level.
type level struct {
	base    uint64 // number of the first place
	starts  uint64 // number of places where a slice may begin
	shift   uint   // 64 less the binary logarithm of the length of a slice
	factors bool   // a seed is a factor, not a shift
	seeds   []byte // one for each bucket
}

// newLevel returns the level of n keys, more than maxLast. The seeds are those
// of all of its buckets.
func newLevel(n, base uint64, compact bool, seeds []byte) level {
	slice := sliceOf(n)
	return level{
		base:    base,
		starts:  n - slice + 1,
		shift:   uint(bits.LeadingZeros64(slice)) + 1,
		factors: compact || slice < maxSlice, // short slices have few different shifts
		seeds:   seeds,
	}
}

// bucketsOf returns the number of buckets of a level of n keys.
func bucketsOf(n uint64) uint64 { return n*bucketsPer/bucketKeys + 1 }

// sliceOf returns the length of a slice among n places: a power of two, and
// about a 12th or less of the places. If it were more, the places at both ends
// would be in too few slices.
func sliceOf(n uint64) uint64 {
	return min(maxSlice, uint64(1)<<(bits.Len64(max(minSlice, n/12))-1))
}

// bucket returns the bucket of a key.
func (l *level) bucket(p hashfam.Probe) uint64 { return p.In(uint64(len(l.seeds))) }

// seed returns the seed of the bucket of a key.
func (l *level) seed(p hashfam.Probe) uint64 { return uint64(l.seeds[l.bucket(p)]) }

// place returns the place of a key under a seed, counted from l.base.
func (l *level) place(p hashfam.Probe, seed uint64) uint64 {
	return l.candidate(p).place(l, seed)
}

// A candidate is a key whose place depends on the seed only.
type candidate struct{ start, y uint64 }

func (l *level) candidate(p hashfam.Probe) candidate {
	return candidate{p.In(l.starts), uint64(p.Next())}
}

// spread is odd, and its multiples by small numbers are far from each other
// modulo 2^64: it is 2^64 divided by the golden ratio.
const spread = 0x9E3779B97F4A7C15

// place returns the place of a candidate under a seed. A shift moves the place
// within the slice, around its end (PHast+): the places of many seeds can be
// tested together. The places under different factors are independent (PHast),
// so that fewer keys are bumped.
func (c candidate) place(l *level, seed uint64) uint64 {
	if l.factors {
		return c.start + c.y*(seed*spread)>>(l.shift&63)
	}
	return c.start + (c.y+seed<<(l.shift&63))>>(l.shift&63)
}

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
