package sizing

import "math"

// worst is a rate that is so high that a single hash function is always better.
// Above it, rounding errors would decide between two numbers of functions.
const worst = 1 - 1e-9

// A search finds the smallest filter for n keys at a rate of eps. Sizes can be
// in any unit, but the rate must not increase with the size.
type search struct {
	eps      float64
	rate     func(size uint64, k int) float64
	k        int                   // the best k for the last size
	known    map[[2]uint64]float64 // the rates that have been computed, by size and k
	tooSmall [MaxHashes + 2]uint64 // the largest size known to be too small, for each k
}

// best returns the lowest rate at a size.
func (s *search) best(size uint64) (rate float64) {
	s.k, rate = bestHashes(s.k, func(k int) float64 { return s.at(size, k) })
	return rate
}

// at returns the rate for size and k.
func (s *search) at(size uint64, k int) float64 {
	choice := [2]uint64{size, uint64(k)}
	r, ok := s.known[choice]
	if !ok {
		r = s.rate(size, k)
		if k > 1 && r > worst {
			r = 1
		}
		s.known[choice] = r
	}
	if r > s.eps {
		s.tooSmall[k] = max(s.tooSmall[k], size)
	}
	return r
}

// meets reports whether the rate is eps or less for some k. It computes no rate
// if it is already known that this size is too small for s.k and both neighbors
// of s.k.
func (s *search) meets(size uint64) bool {
	return size > s.tooSmall[s.k] && s.at(size, s.k) <= s.eps ||
		size > min(s.tooSmall[s.k-1], s.tooSmall[s.k], s.tooSmall[s.k+1]) && s.best(size) <= s.eps
}

// smallest returns the smallest size up to limit for which the rate is eps or
// less for some k, and the k with the lowest rate at this size.
func (s *search) smallest(guess, limit uint64) (uint64, int, bool) {
	s.k = clampHashes(LowerBound(s.eps))
	s.tooSmall[0], s.tooSmall[MaxHashes+1] = limit, limit // these k are not allowed
	s.known = map[[2]uint64]float64{}
	size, ok := smallest(s.approach(guess, limit), limit, s.meets)
	if !ok {
		return 0, 0, false
	}
	s.best(size)
	return size, s.k, true
}

// approach returns a size near the result of [search.smallest], using the
// secant method on the logarithm of the rate, which is almost proportional to
// the size.
func (s *search) approach(size, limit uint64) uint64 {
	r := s.at(size, s.k)
	slope := math.Log(s.eps) / float64(size)
	for i := 0; i < 5 && r > 0 && r < 1 && slope < 0; i++ {
		y := math.Log(r / s.eps)
		next := ceilWithin(float64(size)-y/slope, limit)
		if next == size {
			break
		}
		r = s.best(next)
		if rise := math.Log(r/s.eps) - y; math.Abs(rise) > 1e-10 { // otherwise this is a rounding error
			slope = rise / (float64(next) - float64(size))
		}
		size = next
	}
	return size
}

// bestHashes returns the number of hash functions with the lowest rate, or the
// smallest such number, and this rate. The search starts at k and requires that
// the rate first decreases and then increases. The search is needed because
// rounding m/n*ln 2 may not give the best number.
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

// usefulHashes is about the largest number of hash functions that reduces a
// rate, since 64-bit digests are equal with probability 2^-64.
const usefulHashes = 64

// HashesWithin returns the number of hash functions with the lowest rate for n
// keys. n must be positive. The search starts near the best number for a filter
// of this many bits.
func HashesWithin(bits, n uint64, rate func(k int) float64) int {
	k := min(usefulHashes, clampHashes(float64(bits)/float64(n)*math.Ln2))
	k, _ = bestHashes(k, rate)
	return k
}

// clampHashes rounds k to an integer from 1 to MaxHashes.
func clampHashes(k float64) int { return int(math.Round(min(max(k, 1), MaxHashes))) }

// LargestWithin returns the largest n at which the rate does not exceed limit,
// or 0 if there is none. The search starts at guess. It requires that the rate
// does not decrease with n.
func LargestWithin(limit float64, guess uint64, rate func(n uint64) float64) uint64 {
	beyond, ok := smallest(max(1, guess), math.MaxUint64, func(n uint64) bool { return !(rate(n) <= limit) })
	if !ok {
		return math.MaxUint64
	}
	return beyond - 1
}

// MostKeys is like [LargestWithin] for a filter's rate. If limit is below 1,
// the result is below limit*2^64, because with more keys, equal digests alone
// would reach the limit.
func MostKeys(limit float64, guess uint64, rate func(n uint64) float64) uint64 {
	return LargestWithin(limit, guess, func(n uint64) float64 {
		if limit < 1 && math.Ldexp(float64(n), -64) >= limit {
			return 1
		}
		return rate(n)
	})
}

// ceilWithin rounds a size up to an integer from 1 to limit.
func ceilWithin(size float64, limit uint64) uint64 {
	if size >= float64(limit) {
		return limit
	}
	return uint64(max(1, math.Ceil(size)))
}

// smallest returns the smallest size from 1 to limit for which ok returns true.
// ok must also return true for all larger sizes. The search starts at guess,
// doubles its steps, and bisects the last step, so when guess is wrong by e, ok
// is called O(log e) times. The result is always a size for which ok was
// called.
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
