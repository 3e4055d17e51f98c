package oracle

import "math"

// CuckooRate returns 1-(1-1/(2^f-1))^{8*load}, the rate of a cuckoo filter with
// fingerprints of f bits and buckets of four (Fan et al. 2014, section 5.1,
// there with 2^f and all slots occupied). A query compares with the occupied
// slots among eight; zero marks an empty slot and is not a fingerprint. O(1)
// time.
func CuckooRate(f int, load float64) float64 {
	return -math.Expm1(8 * load * math.Log1p(-1/(math.Exp2(float64(f))-1)))
}

// CuckooFingerprintBits returns the smallest f from 4 to 32 whose [CuckooRate]
// at that load is at most eps, and false if there is none. O(1) time.
func CuckooFingerprintBits(eps, load float64) (int, bool) {
	for f := 4; f <= 32; f++ {
		if CuckooRate(f, load) <= eps {
			return f, true
		}
	}
	return 0, false
}
