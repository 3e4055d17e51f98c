package perfect

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	// There are 22 keys for 5 buckets, which is 4.4 keys per seed byte. With
	// more keys per byte, the seeds would need less memory, but the bumped keys
	// would need more.
	bucketsPer = 5
	bucketKeys = 22

	minSlice = 4       // the minimum slice length
	maxSlice = 1024    // the maximum slice length
	seeds    = 256     // the number of seeds, including 0, which marks a bumped bucket
	maxKeys  = 1 << 40 // with this limit all sizes in bits fit into 64 bits
)

// A level maps most of n keys to n places, each key to a different place.
//
// A key has two values in a level; see [mapping]. The first value x selects a
// bucket, and a slice of the places. Buckets and slices are in the order of x,
// so the keys in a bucket have almost the same slice. The second value y and
// the bucket's seed, which is one byte, select a place in the slice. The keys
// in a bucket with seed 0 are bumped: they go to the next level.
type level struct {
	base    uint64 // the first place
	starts  uint64 // number of places where a slice can start
	shift   uint   // 64 minus the binary logarithm of the slice length
	factors bool   // whether seeds are factors instead of shifts
	seeds   []byte // one for each bucket
}

// newLevel returns the level for n keys, which must be more than maxLast. seeds
// has one seed for each bucket.
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

// bucketsOf returns the number of buckets in a level for n keys.
func bucketsOf(n uint64) uint64 { return n*bucketsPer/bucketKeys + 1 }

// sliceOf returns the slice length for n places: the largest power of two up to
// n/12, but at least minSlice and at most maxSlice. With longer slices, too few
// of them would contain the first and the last places.
func sliceOf(n uint64) uint64 {
	return min(maxSlice, uint64(1)<<(bits.Len64(max(minSlice, n/12))-1))
}

// bumpedOf estimates how many of n keys a level bumps. A fraction of all keys
// is bumped, which is smaller if slices are longer or if seeds are factors.
// More keys are bumped at both ends of the level, where fewer slices overlap.
// All numbers were measured.
func bumpedOf(n uint64, compact bool) uint64 {
	slice := sliceOf(n)
	parts := [...]float64{0.329, 0.21, 0.150, 0.115, 0.0913, 0.0745, 0.0570, 0.0322, 0.0397}
	part := parts[bits.TrailingZeros64(slice/minSlice)]
	ends := 0.46 * float64(slice)
	if slice == minSlice {
		ends = 0
	}
	if slice == maxSlice {
		ends = 540
		if compact {
			part = 0.0111
			ends = 650
		}
	}
	return min(n-1, uint64(part*float64(n)+ends))
}

func (l *level) bucket(p hashfam.Probe) uint64 { return p.In(uint64(len(l.seeds))) }

// A candidate is a key whose place depends only on the seed.
type candidate struct{ start, y uint64 }

func (l *level) candidate(p hashfam.Probe) candidate {
	return candidate{p.In(l.starts), uint64(p.Next())}
}

// spread is 2^64 divided by the golden ratio. It is odd, and its multiples by
// small numbers are far from each other modulo 2^64.
const spread = 0x9E3779B97F4A7C15

// place returns the candidate's place for a seed, relative to l.base. If seeds
// are shifts (PHast+), a seed moves the place within the slice, which wraps
// around, so that the places of many seeds can be tested at once. If seeds are
// factors (PHast), the places for different seeds are independent, so that
// fewer keys are bumped.
func (c candidate) place(l *level, seed uint64) uint64 {
	if l.factors {
		return c.start + c.y*(seed*spread)>>(l.shift&63)
	}
	return c.start + (c.y+seed<<(l.shift&63))>>(l.shift&63)
}

const (
	maxLast      = 8       // the maximum number of keys in the last level
	maxLastSeeds = 1 << 20 // on average, 8 keys need 400 attempts
)

// A lastLevel maps the last few keys to the same number of places, using one
// seed, which search finds by trying. With buckets, many more levels would be
// needed.
type lastLevel struct {
	base uint64 // the first place
	n    uint64 // number of keys
	seed uint32
}

// place returns the key's place relative to l.base. It mixes the digest and the
// seed using the final step of MurmurHash3.
func (l *lastLevel) place(p hashfam.Probe) uint64 {
	x := uint64(p) + uint64(l.seed)*spread
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return hashfam.Reduce(x^x>>33, l.n)
}

// search sets the seed to the first one for which all keys have different
// places, and reports whether it found one. The l.n keys must be different;
// there are no more than maxLast.
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
