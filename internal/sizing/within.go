package sizing

import "math"

// usefulHashes is about the largest number of hash functions that lowers a
// rate: 64-bit digests have a chance of 2^-64 to be equal.
const usefulHashes = 64

// HashesWithin returns the number of hash functions with the lowest rate, as
// the inverse of a plan: for n keys, at least one, and about the given number
// of bits.
func HashesWithin(bits, n uint64, rate func(k int) float64) int {
	k := min(usefulHashes, clampHashes(float64(bits)/float64(n)*math.Ln2))
	k, _ = bestHashes(k, rate, func(a, b float64) bool { return a < b })
	return k
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
