package sizing

import "math"

// A search finds the smallest filter of n keys that meets a rate. Sizes are
// numbers of any unit.
type search struct {
	rate func(size uint64, k int) float64
	k    int // the best for the last size
}

// best returns the lowest rate of a size.
func (s *search) best(size uint64) (rate float64) {
	s.k, rate = bestHashes(s.k, func(k int) float64 { return s.rate(size, k) })
	return rate
}

// smallest returns the smallest size up to limit at which the rate is at most
// eps for some k, and the k with the lowest rate at that size.
func (s *search) smallest(guess, limit uint64, eps float64) (uint64, int, bool) {
	s.k = clampHashes(LowerBound(eps))
	size, ok := smallest(s.approach(guess, limit, eps), limit, func(size uint64) bool {
		return s.rate(size, s.k) <= eps || s.best(size) <= eps
	})
	if !ok {
		return 0, 0, false
	}
	s.best(size)
	return size, s.k, true
}

// approach returns a size near the one that [search.smallest] returns. It is
// the secant method on the logarithm of the rate, which is nearly proportional
// to the size.
func (s *search) approach(size, limit uint64, eps float64) uint64 {
	r, slope := s.best(size), math.Log(eps)/float64(size)
	for i := 0; i < 5 && r > 0 && r < 1 && slope < 0; i++ {
		y := math.Log(r / eps)
		next := ceilWithin(float64(size)-y/slope, limit)
		if next == size {
			break
		}
		r = s.rate(next, s.k)
		if rise := math.Log(r/eps) - y; math.Abs(rise) > 1e-10 { // else rounding decides
			slope = rise / (float64(next) - float64(size))
		}
		size = next
	}
	return size
}

// bestHashes goes from k to the k with the lowest rate; the rate decreases and
// then increases with k. It compares rates, because rounding m/n*ln 2 up or
// down may not give the best k. Of equal rates the smaller k wins.
func bestHashes(k int, rate func(k int) float64) (int, float64) {
	best := rate(k)
	for k < MaxHashes {
		p := rate(k + 1)
		if !(p < best) {
			break
		}
		k, best = k+1, p
	}
	for k > 1 {
		p := rate(k - 1)
		if best < p {
			break
		}
		k, best = k-1, p
	}
	return k, best
}

// usefulHashes is about the largest number of hash functions that lowers a
// rate: 64-bit digests have a chance of 2^-64 to be equal.
const usefulHashes = 64

// HashesWithin returns the number of hash functions with the lowest rate, as
// the inverse of a plan: for n keys, at least one, and about the given number
// of bits.
func HashesWithin(bits, n uint64, rate func(k int) float64) int {
	k := min(usefulHashes, clampHashes(float64(bits)/float64(n)*math.Ln2))
	k, _ = bestHashes(k, rate)
	return k
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
