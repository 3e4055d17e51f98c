package sizing

import "math"

// A rateFunc is one of the rates of a filter of m bits.
type rateFunc func(m uint64, k int, n uint64) float64

// classicHashes is the k with the lowest rate at m bits, and that rate with
// the share of [ClassicDigestRate]. The search starts at the real-valued optimum m/n*ln 2.
func classicHashes(m, n uint64, rate rateFunc) (int, float64) {
	return bestHashes(clampHashes(float64(m)/float64(n)*math.Ln2), func(k int) float64 {
		return WithClassicDigest(rate(m, k, n), m, k, n)
	})
}

// bestHashes walks from k to the lowest rate, which falls and then rises with
// k. Comparing both neighbours is what rounding m/n*ln 2 up or down gets
// wrong. Of equal rates the smaller k wins.
func bestHashes(k int, rate func(k int) float64) (int, float64) {
	best := rate(k)
	for k < MaxHashes {
		p := rate(k + 1)
		if p >= best {
			break
		}
		k, best = k+1, p
	}
	for k > 1 {
		p := rate(k - 1)
		if p > best {
			break
		}
		k, best = k-1, p
	}
	return k, best
}

// clampHashes rounds k into 1..MaxHashes.
func clampHashes(k float64) int {
	return int(math.Round(min(max(k, 1), MaxHashes)))
}

// LargestWithin is the largest n at which rate, which does not fall with n, is
// at most most; 0 if there is none. guess is where the search begins.
func LargestWithin(most float64, guess uint64, rate func(n uint64) float64) uint64 {
	beyond, ok := smallest(max(1, guess), math.MaxUint64, func(n uint64) bool { return !(rate(n) <= most) })
	if !ok {
		return math.MaxUint64
	}
	return beyond - 1
}

// ceilWithin rounds a size up into 1..limit.
func ceilWithin(size float64, limit uint64) uint64 {
	if size >= float64(limit) {
		return limit
	}
	return uint64(max(1, math.Ceil(size)))
}

// smallest is the least size in 1..limit that is ok, given that every larger
// one is too. It moves away from the guess in doubling steps and bisects the
// last one: O(log of the guess's error) calls, and the result has passed ok.
func smallest(guess, limit uint64, ok func(uint64) bool) (uint64, bool) {
	low, high := guess, guess // low fails or is 0, high passes
	if ok(guess) {
		for step := uint64(1); low > 0 && (low == high || ok(low)); step *= 2 {
			high = low
			low -= min(step, low)
		}
	} else {
		for step := uint64(1); low == high || !ok(high); step *= 2 {
			if high == limit {
				return 0, false
			}
			low = high
			high += min(step, limit-high)
		}
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; ok(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, true
}
