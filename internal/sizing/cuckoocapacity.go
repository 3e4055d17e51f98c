package sizing

import "math"

// A cuckoo filter's table has m buckets of four slots and fingerprints of f
// bits. A key may lie in one even and one odd bucket that its fingerprint ties
// together. Two things keep keys from fitting in:
//
// A lack of slots. Buckets that few keys can go to stay empty in part, and a
// random graph's share of those is 0.02. Searching for room among 8,000
// buckets finds 0.977 of the slots on average. The share varies by 0.2 to 0.3
// over the root of the number of slots, and small tables have a heavy tail:
// few buckets are easily tied together by more keys than they have room for.
// [cuckooLoad] stays clear of both.
//
// More than eight keys with the same two buckets. Wide fingerprints tie random
// pairs of buckets. Narrow ones tie few pairs, the same for many keys. That
// [crowdedPairs] are unlikely is what a least width for a number of buckets
// comes from, f = Omega(log n / b) in Fan et al. 2014, section 4.
//
// The tests of package cuckoo have the simulation behind the constants.
const (
	slotsPerBucket = 4
	pairSlots      = 2 * slotsPerBucket

	// maxCuckooLoad is how many keys a slot a large table is planned for.
	maxCuckooLoad = 0.97

	// crowdedRisk is what [crowdedPairs] may expect. It leaves most of the
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

// crowdedPairs is the expected number of pairs of buckets that more than eight
// of n keys are tied to, hence a bound on the chance that there is one.
//
// A key has a random even or odd bucket and a random fingerprint, and a
// fingerprint ties a bucket to one of m/2. So of the m^2/4 pairs each is tied
// by T of the 2^f-1 fingerprints, T binomial, and a key has it with
// probability 2T/(m(2^f-1)).
func crowdedPairs(m uint64, f int, n uint64) float64 {
	if n <= pairSlots {
		return 0
	}
	buckets, fingerprints := float64(m), math.Exp2(float64(f))-1
	crowded := func(ties float64) float64 {
		return binomialTail(float64(n), 2*ties/(buckets*fingerprints), pairSlots)
	}
	p := 0.0
	if mean := 2 * fingerprints / buckets; mean > 1000 {
		p = crowded(mean) // T hardly differs from its mean
	} else {
		p = binomialMean(fingerprints, 2/buckets, func(t int) float64 { return crowded(float64(t)) })
	}
	return buckets / 2 * buckets / 2 * p
}

// binomialTail is P(T > k) for T ~ Binomial(n, p) with a mean below k: the sum
// of the terms above k, each had from the one before.
func binomialTail(n, p float64, k int) float64 {
	if p <= 0 {
		return 0
	}
	if p >= 1 || n*p >= float64(k) {
		return 1 // not needed closer: a bound
	}
	term, sum := math.Exp(n*math.Log1p(-p)), 0.0
	for t := 0.0; t < n; t++ {
		term *= (n - t) / (t + 1) * p / (1 - p)
		if t+1 > float64(k) {
			sum += term
			if term < negligible*sum {
				break
			}
		}
	}
	return sum
}

// cuckooFits reports whether n keys fit in m buckets with fingerprints of f
// bits, with probability above 1-1e-6.
func cuckooFits(m uint64, f int, n uint64) bool {
	return n <= cuckooLoad(m) && crowdedPairs(m, f, n) <= crowdedRisk
}

// CuckooCapacity is the number of distinct keys that fit in m buckets with
// fingerprints of f bits, with probability above 1-1e-6.
func CuckooCapacity(m uint64, f int) uint64 {
	least, most := uint64(pairSlots), cuckooLoad(m) // eight keys always fit
	for least < most {
		if n := most - (most-least)/2; crowdedPairs(m, f, n) <= crowdedRisk {
			least = n
		} else {
			most = n - 1
		}
	}
	return least
}

// LeastFingerprintBits is the least width at which m buckets have room for a
// key in every fourth slot.
func LeastFingerprintBits(m uint64) int {
	f := MinFingerprintBits
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
// less than a fingerprint. It is false where no table within MaxBits does.
func CuckooPlan(n uint64, eps float64, saved int) (CuckooShape, bool) {
	best, size := CuckooShape{}, uint64(MaxBits)+1
	for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
		bucket := slotsPerBucket * uint64(f-saved)
		if float64(n)*float64(bucket) >= slotsPerBucket*float64(size) {
			break // a key takes more than a slot
		}
		half, ok := smallest(ceilWithin(float64(n)/7.76, 1<<62), MaxBits/2/bucket, func(half uint64) bool {
			return cuckooFits(2*half, f, n)
		})
		m := 2 * half
		if ok && m*bucket < size && f >= LeastFingerprintBits(m) && WithDigest(CuckooTableRate(m, f, n), n) <= eps {
			best, size = CuckooShape{m, f}, m*bucket
		}
	}
	return best, size <= MaxBits
}
