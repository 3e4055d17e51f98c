package sizing

import "math"

// The narrowest and the widest fingerprint of a cuckoo filter.
const (
	MinFingerprintBits = 4
	MaxFingerprintBits = 32
)

// CuckooRate is 1-(1-1/(2^f-1))^{8*load}, the rate of a cuckoo filter with
// fingerprints of f bits and buckets of four (Fan et al. 2014, section 5.1,
// there with 2^f and all slots occupied). A query compares with the occupied
// slots among eight; zero marks an empty slot and is no fingerprint.
func CuckooRate(f int, load float64) float64 {
	return fill(1/(math.Exp2(float64(f))-1), 8*load)
}

// CuckooFingerprintBits is the smallest f from 4 to 32 whose [CuckooRate] at
// that load is at most eps; false if there is none.
func CuckooFingerprintBits(eps, load float64) (int, bool) {
	for f := MinFingerprintBits; f <= MaxFingerprintBits; f++ {
		if CuckooRate(f, load) <= eps {
			return f, true
		}
	}
	return 0, false
}
