package sizing

import "math"

// A rateFunc is one of the rates of a filter of m bits.
type rateFunc func(m uint64, k int, n uint64) float64

// classicHashes returns the k with the lowest rate at m bits, and that rate,
// including [ClassicDigestRate]. The search starts at the real optimum m/n*ln
// 2.
func classicHashes(m, n uint64, rate rateFunc) (int, float64) {
	return bestHashes(clampHashes(float64(m)/float64(n)*math.Ln2), func(k int) float64 {
		return WithClassicDigest(rate(m, k, n), m, k, n)
	})
}

// bestHashes goes from k to the k with the lowest rate; the rate decreases and
// then increases with k. It compares rates, because rounding m/n*ln 2 up or
// down may not give the best k. Of equal rates the smaller k wins.
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

// clampHashes rounds k to an integer from 1 to MaxHashes.
func clampHashes(k float64) int {
	return int(math.Round(min(max(k, 1), MaxHashes)))
}

// LargestWithin returns the largest n at which rate is at most limit, or 0 if
// there is none. rate does not decrease with n. The search begins at guess.
func LargestWithin(limit float64, guess uint64, rate func(n uint64) float64) uint64 {
	beyond, ok := smallest(max(1, guess), math.MaxUint64, func(n uint64) bool { return !(rate(n) <= limit) })
	if !ok {
		return math.MaxUint64
	}
	return beyond - 1
}

// ceilWithin rounds a size up to an integer from 1 to limit.
func ceilWithin(size float64, limit uint64) uint64 {
	if size >= float64(limit) {
		return limit
	}
	return uint64(max(1, math.Ceil(size)))
}

// smallest returns the smallest size from 1 to limit for which ok is true,
// given that ok is true for all larger sizes, too. It goes from guess in steps
// that double, and bisects the last step: O(log e) calls of ok if guess is off
// by e. It has called ok for the result.
func smallest(guess, limit uint64, ok func(uint64) bool) (uint64, bool) {
	low, high := guess, guess // ok is false for low, or low is 0; it is true for high
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
