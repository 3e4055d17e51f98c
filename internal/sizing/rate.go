package sizing

import (
	"math"
	"slices"
)

// LowerBound returns log2(1/eps), the bits per key that any structure with
// false-positive rate eps and no false negatives needs (Carter et al. 1978;
// Broder and Mitzenmacher 2004, section 2).
func LowerBound(eps float64) float64 { return -math.Log2(eps) }

// DynamicBound returns log2(1/eps) + log2(e), the bits per key that a filter
// needs for small eps if keys can be added and deleted, however long these
// operations take (Kuszmaul, Liang and Zhou, "Fingerprint Filters Are Optimal",
// arXiv 2510.18129, 2025).
func DynamicBound(eps float64) float64 { return LowerBound(eps) + math.Log2E }

// BloomBitsPerKey returns log2(e)*log2(1/eps) = 1.4427*log2(1/eps), the bits
// per key in large Bloom filters with the best real k (Broder and Mitzenmacher
// 2004, section 2). No integer k needs less.
func BloomBitsPerKey(eps float64) float64 { return math.Log2E * LowerBound(eps) }

// PartitionedRate returns (1-(1-k/m)^n)^k, the rate of k slices of m/k bits,
// with a hash function for each slice. This is exact, since slices are
// independent and a bit is set with a probability equal to the expected fill
// ratio.
func PartitionedRate(m uint64, k int, n uint64) float64 {
	return math.Pow(hit(min(1, float64(k)/float64(m)), float64(n)), float64(k))
}

// hit returns 1-(1-p)^throws, the probability that a cell is hit when each
// throw hits it with probability p.
func hit(p, throws float64) float64 {
	if throws == 0 {
		return 0
	}
	return -math.Expm1(throws * math.Log1p(-p))
}

// Rate returns E[(X/m)^k], where X is the number of distinct bits among kn
// uniform ones. This is the exact rate of a classic filter for all m and n.
// When the fill ratio is about one half, it requires O(k^2) time and O(k)
// space.
//
// Instead of X, Rate uses the distribution of the query. The k functions of the
// query select D distinct bits, and the query is a false positive if the kn
// throws of the keys hit all of these bits. If D = j, then T ~ Binomial(kn,
// j/m) throws hit one such bit. The probability that T throws onto j cells
// leave no cell empty depends on neither m nor n:
//
//	Rate = sum_j P(D=j) * E[onto_j(T)]
//
// Since there is no subtraction, the relative error is near double precision.
// For large filters, a sum over X would be too long and would need to be
// approximated.
func Rate(m uint64, k int, n uint64) float64 {
	var s surjection
	return classicRate(m, k, n, func(j, length int) surjection {
		if j == 1 {
			s = newSurjection(length)
		}
		s.advance(j)
		return s
	})
}

// classicRate is [Rate] for a function that returns the surjection for j cells,
// which must have at least the given length. It is called for j = 1, 2, ...
func classicRate(m uint64, k int, n uint64, onto func(j, length int) surjection) float64 {
	throws := float64(k) * float64(n)
	perCell := throws / float64(m)
	if n == 0 {
		return 0
	}
	if k == 1 { // the only k near a rate of 1, where the sum's rounding would matter
		return hit(1/float64(m), throws)
	}
	if perCell > saturation {
		return 1
	}
	// Cells that are known to be hit receive perCell/(1-e^-perCell) throws on
	// average. The table will end twelve standard deviations above this mean.
	mean := float64(k) * perCell / -math.Expm1(-perCell)
	length := int(mean+12*math.Sqrt(mean)) + 40
	var rate float64
	for j, p := range occupancy(m, uint64(k)) {
		if j > 0 {
			rate += p * binomialMean(throws, float64(j)/float64(m), onto(j, length).at)
		}
	}
	return min(1, rate) // the sum can be rounded up
}

// A surjection contains the probabilities that 0, 1, 2, ... uniform throws hit
// all cells.
type surjection []float64

// newSurjection returns the surjection for zero cells.
func newSurjection(length int) surjection {
	s := make(surjection, length)
	s[0] = 1
	return s
}

// advance adds the j-th cell. Either the first t-1 throws hit all j cells, or
// they hit all cells but one, and the last throw hits this one:
//
//	onto_j(t) = onto_j(t-1) + ((j-1)/j)^{t-1} * onto_{j-1}(t-1)
//
// This is the recurrence of the Stirling numbers of the second kind.
func (s surjection) advance(j int) {
	outside := float64(j-1) / float64(j)
	power, before, sum := 1.0, s[0], 0.0
	s[0] = 0
	for t := 1; t < len(s); t++ {
		sum += power * before
		before, s[t] = s[t], sum
		power *= outside
	}
}

// at returns the probability for t throws. If t is beyond the table, it returns
// the last one.
func (s surjection) at(t int) float64 { return s[min(t, len(s)-1)] }

// surjections caches the surjections for 0, 1, 2, ... cells.
type surjections []surjection

func (c *surjections) get(j, length int) surjection {
	if len(*c) == 0 || len((*c)[0]) < length {
		*c = surjections{newSurjection(length + length/4)}
	}
	for i := len(*c); i <= j; i++ {
		next := slices.Clone((*c)[i-1])
		next.advance(i)
		*c = append(*c, next)
	}
	return (*c)[j]
}

// DigestRate returns 1-e^{-n/2^64}, the probability that an absent key has the
// same 64-bit digest as one of n keys. No filter can distinguish such keys.
func DigestRate(n uint64) float64 { return -math.Expm1(-float64(n) / (1 << 64)) }

// ClassicDigestRate returns the probability that a classic filter finds an
// absent key because its digest is equal to a member's digest, or near it in
// the probe sequence. For a nonzero integer s between -k and k, a digest that
// is multiplier^s times a member's digest shares k-|s| positions with it, so it
// is found if the other |s| bits are set, with probability fill^|s|. The total
// is DigestRate(n) times
//
//	1 + 2 (fill + fill^2 + ... + fill^(k-1))
//
// For example, this is nearly three times DigestRate(n) when half of the bits
// are set.
func ClassicDigestRate(m uint64, k int, n uint64) float64 {
	x := hit(1/float64(m), float64(k)*float64(n))
	shifted := 0.0
	for range k - 1 {
		shifted = x + x*shifted
	}
	return min(1, DigestRate(n)*(1+2*shifted))
}

// WithDigest returns the rate of a filter with n keys if p is the rate of
// independent positions. It adds [DigestRate], since an equal digest is also a
// false positive and the two events are independent.
func WithDigest(p float64, n uint64) float64 { return p + (1-p)*DigestRate(n) }

// WithClassicDigest is like [WithDigest] for a classic filter, using
// [ClassicDigestRate].
func WithClassicDigest(p float64, m uint64, k int, n uint64) float64 {
	return p + (1-p)*ClassicDigestRate(m, k, n)
}

// occupancy returns the distribution of the number of occupied cells after
// uniform throws into m cells. Element x is the probability of exactly x cells.
// When x cells are occupied, the next throw hits an occupied cell with
// probability x/m:
//
//	P(x) <- P(x) * x/m + P(x-1) * (m-x+1)/m
//
// All terms are positive, so the error is only a few ulps per throw.
func occupancy(m, throws uint64) []float64 {
	cells := float64(m)
	most := min(m, throws)
	p := make([]float64, most+1)
	p[0] = 1
	for t := range throws {
		for x := int(min(most, t+1)); x > 0; x-- {
			occupied := float64(x)
			p[x] = (p[x]*occupied + p[x-1]*(cells-occupied+1)) / cells
		}
		p[0] = 0
	}
	return p
}

// negligible is the weight, relative to the largest one, at which a sum stops.
const negligible = 1e-20

// binomialMean returns E[f(T)] for T ~ Binomial(n, p). f must be a probability
// that does not decrease with T. Starting at the mode, binomialMean uses the
// ratio of neighboring terms in both directions, and divides by the total
// weight, so it does not need a logarithm. n can be arbitrarily large, but n*p
// must fit in an int.
//
// Below the mode, the sum stops when the weight is negligible, because f does
// not increase there. Above the mode, f may increase faster than the weight
// decreases, so the sum stops when the products are also negligible.
func binomialMean(n, p float64, f func(int) float64) float64 {
	if p >= 1 {
		return f(int(n))
	}
	odds := p / (1 - p)
	mode := math.Floor(min(n, (n+1)*p))
	weight, sum := 1.0, f(int(mode))
	for t, w := mode, 1.0; t > 0 && w > negligible; t-- {
		w *= t / ((n - t + 1) * odds)
		weight += w
		sum += w * f(int(t-1))
	}
	for t, w, term := mode, 1.0, sum; t < n && (w > negligible || w > 0 && term >= negligible*sum); t++ {
		w *= (n - t) / (t + 1) * odds
		term = w * f(int(t+1))
		weight += w
		sum += term
	}
	return sum / weight
}
