package sizing

import (
	"math"
	"math/bits"
)

// The narrowest and the widest fingerprint of a cuckoo filter.
const (
	MinFingerprintBits = 4
	MaxFingerprintBits = 32
)

// A cuckoo filter's table has m buckets of four slots and fingerprints of f
// bits. A key may lie in one even and one odd bucket that its fingerprint ties
// together. Two things keep keys from fitting in:
//
// A lack of slots. Buckets that few keys can go to stay empty in part, and a
// random graph's share of those is 0.02. Searching for room among 8,000 buckets
// finds 0.977 of the slots on average. The share varies by 0.2 to 0.3 over the
// root of the number of slots, and small tables have a heavy tail: few buckets
// are easily tied together by more keys than they have room for. [cuckooLoad]
// stays clear of both.
//
// More than eight keys with the same two buckets. Wide fingerprints tie random
// pairs of buckets. Narrow ones tie few pairs, the same for many keys; that is
// why a number of buckets needs a least width, f = Omega(log n / b) in Fan et
// al. 2014, section 4. And unless m is a power of two, near buckets are tied
// more often than distant ones. [CrowdedPairs] bounds the chance.
//
// The tests of package cuckoo have the simulation behind the constants.
const (
	slotsPerBucket = 4
	pairSlots      = 2 * slotsPerBucket

	// maxCuckooLoad is how many keys a slot a large table is planned for.
	maxCuckooLoad = 0.97

	// crowdedRisk is the most that [CrowdedPairs] may be. It leaves most of the
	// 1e-6 to sets of more buckets than two.
	crowdedRisk = 1e-7
)

// CuckooTableRate is 1-(1-2/(m(2^f-1)))^n, the rate of a table of m buckets
// with n distinct keys: each of them has the fingerprint of a query with
// probability 1/(2^f-1), and then its pair of buckets for 2 of m.
func CuckooTableRate(m uint64, f int, n uint64) float64 {
	return fill(2/(float64(m)*(math.Exp2(float64(f))-1)), float64(n))
}

// cuckooLoad is how many keys the slots of m buckets are planned for, if
// fingerprints are wide.
func cuckooLoad(m uint64) uint64 {
	s := slotsPerBucket * float64(m)
	n := 0.977*s - math.Sqrt(s) - min(18, 0.4*s)
	return uint64(max(pairSlots, min(n, maxCuckooLoad*s)))
}

// CrowdedPairs is the expected number of ways to choose nine of n keys that
// have the same two buckets, hence a bound on the chance that there are nine.
func CrowdedPairs(m uint64, f int, n uint64) float64 {
	return nines(n) * crowdedChance(m, f)
}

// nines is the number of ways to choose nine of n keys.
func nines(n uint64) float64 {
	ways := 1.0
	for k := range pairSlots + 1 {
		ways *= float64(n-min(n, uint64(k))) / float64(k+1)
	}
	return ways
}

// groupings are the numbers of ways in which nine keys form 1 to 9 groups that
// share a fingerprint (Stirling numbers of the second kind).
var groupings = [pairSlots + 1]float64{1, 255, 3025, 7770, 6951, 2646, 462, 36, 1}

// crowdedChance is the chance that nine keys have the same two buckets. If they
// have k different fingerprints, all k must tie these buckets, and each key
// must have one of them as its first.
func crowdedChance(m uint64, f int) float64 {
	fingerprints := math.Exp2(float64(f)) - 1
	distinct, chance := 1.0, 0.0
	for k, ties := range tieMoments(m) {
		distinct *= max(0, fingerprints-float64(k))
		chance += groupings[k] * distinct * ties
	}
	return chance * math.Pow(2/(float64(m)*fingerprints), pairSlots+1)
}

// tieMoments is the sum of [tieChance] to the k-th power over all pairs of an
// even and an odd bucket, for k from 1 to 9: of m buckets at an odd distance d
// from one another there are m/2 pairs. Between the numbers s of tieChance,
// which are even, the chance is linear in d. There half the integral of its
// power bounds the sum over odd d. It is symmetric: d and m-d are one distance.
func tieMoments(m uint64) (sums [pairSlots + 1]float64) {
	from, first := uint64(0), tieChance(m, 0)
	addUpTo := func(to uint64) {
		last, pairs := tieChance(m, to), float64(m)*float64(to-from)/2
		a, b := first, last
		if to-from == 2 { // one odd d, in the middle
			a = (a + b) / 2
			b = a
		}
		powers, power := 1.0, 1.0 // the sum of a^e b^(k-e) over e, and a^k
		for k := range sums {
			power *= a
			powers = powers*b + power
			sums[k] += pairs * powers / float64(k+2)
		}
		from, first = to, last
	}
	rest := m - largestBlock(m)
	for r := rest; r > 0; r &= r - 1 {
		addUpTo(r & -r)
	}
	addUpTo(rest)
	addUpTo(m / 2)
	return sums
}

// tieChance is the chance that a fingerprint ties two buckets at an odd
// distance d of at most m/2. It has to place both in one of the blocks that its
// XOR permutes, of s buckets for each bit s of m: s-d of m rotations do. The
// largest block also reaches round from the last bucket to the first. Then one
// of s/2 patterns exchanges the two.
func tieChance(m, d uint64) float64 {
	s := largestBlock(m)
	chance := float64(s-min(d, m-s)) / float64(s)
	for r := m - s; r > 0; r &= r - 1 {
		if s = r & -r; s > d {
			chance += float64(s-d) / float64(s)
		}
	}
	return chance * 2 / float64(m)
}

// largestBlock is the largest power of two up to m.
func largestBlock(m uint64) uint64 { return 1 << (bits.Len64(m) - 1) }

// cuckooFits reports whether n keys fit in m buckets with fingerprints of f
// bits, with probability above 1-1e-6.
func cuckooFits(m uint64, f int, n uint64) bool {
	return n <= cuckooLoad(m) && CrowdedPairs(m, f, n) <= crowdedRisk
}

// CuckooCapacity is the number of distinct keys that fit in m buckets with
// fingerprints of f bits, with probability above 1-1e-6.
func CuckooCapacity(m uint64, f int) uint64 {
	least, most := uint64(pairSlots), cuckooLoad(m) // eight keys always fit
	chance := crowdedChance(m, f)
	for least < most {
		if n := most - (most-least)/2; nines(n)*chance <= crowdedRisk {
			least = n
		} else {
			most = n - 1
		}
	}
	return least
}

// LeastFingerprintBits is the least width at which m buckets, rounded down to a
// power of two, have room for a key in every fourth slot.
func LeastFingerprintBits(m uint64) int {
	f := MinFingerprintBits
	m = largestBlock(m)
	for f < MaxFingerprintBits && !cuckooFits(m, f, max(pairSlots, min(m, cuckooLoad(m)))) {
		f++
	}
	return f
}

// A CuckooShape is a plan's result.
type CuckooShape struct {
	Buckets         uint64
	FingerprintBits int
}

// CuckooPlan is the smallest table that n keys fit in at the rate eps: f from
// the least width that meets the rate in a table made for f, up to where more
// width takes more memory than it saves in buckets. A slot takes saved bits
// less than a fingerprint. It is false if no table within MaxBits does.
func CuckooPlan(n uint64, eps float64, saved int) (CuckooShape, bool) {
	best, size := CuckooShape{}, uint64(MaxBits)+1
	for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
		bucket := slotsPerBucket * uint64(f-saved)
		if float64(n)*float64(bucket) >= slotsPerBucket*float64(size) {
			break // a key takes more than a slot
		}
		m, ok := leastBuckets(n, f, (size-1)/bucket)
		if ok && f >= LeastFingerprintBits(m) && WithDigest(CuckooTableRate(m, f, n), n) <= eps {
			best, size = CuckooShape{m, f}, m*bucket
		}
	}
	return best, size <= MaxBits
}

// leastBuckets is the least number of buckets up to limit that n keys fit in
// with fingerprints of f bits, and fill by a quarter; false if there is none.
// Any larger number has enough slots too, so bisection finds the least that
// has. Crowding depends on the bits of m. So from there on it tries even
// numbers in turn and, if they are large, only those of seven significant bits.
func leastBuckets(n uint64, f int, limit uint64) (uint64, bool) {
	most := max(1, limit/2)
	half, ok := smallest(ceilWithin(float64(n)/7.76, most), most, func(half uint64) bool {
		return n <= cuckooLoad(2*half)
	})
	for m := 2 * half; ok && m <= min(limit, max(2, n)); {
		if cuckooFits(m, f, n) {
			return m, true
		}
		step := max(2, largestBlock(m)>>6)
		m = (m/step + 1) * step
	}
	return 0, false
}

// CuckooWithin returns the table with the lowest rate that n keys fit in, of
// those of at most the given number of bits; false if there is none. A slot
// takes saved bits less than a fingerprint.
func CuckooWithin(n, bits uint64, saved int) (best CuckooShape, ok bool) {
	rate := func(m uint64, f int) float64 { return WithDigest(CuckooTableRate(m, f, n), n) }
	for f := MaxFingerprintBits; f >= MinFingerprintBits; f-- {
		most := bits / (slotsPerBucket * uint64(f-saved)) &^ 1
		if ok && rate(most, f) >= rate(best.Buckets, best.FingerprintBits) {
			break // narrower ones have no lower rate
		}
		m, fits := mostBuckets(n, f, most)
		if fits && (!ok || rate(m, f) < rate(best.Buckets, best.FingerprintBits)) {
			best, ok = CuckooShape{m, f}, true
		}
	}
	return best, ok
}

// mostBuckets returns the largest even number of buckets up to most that n keys
// fit in with fingerprints of f bits; false if there is none. As in
// [leastBuckets], crowding depends on the bits of m, so a smaller table can be
// good where a larger one is not. Of 10^6 sizes for up to 4*10^9 keys, none was
// as much as 256 buckets smaller than most.
func mostBuckets(n uint64, f int, most uint64) (uint64, bool) {
	for m := most; m >= 2 && m+256 > most && n <= cuckooLoad(m); m -= 2 {
		if cuckooFits(m, f, n) {
			return m, true
		}
	}
	return 0, false
}
