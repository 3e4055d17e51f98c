package sizing

import "math"

// LowerBound returns log2(1/eps), the bits per key that any structure with
// false-positive rate eps and no false negatives needs (Carter et al. 1978;
// Broder and Mitzenmacher 2004, section 2).
func LowerBound(eps float64) float64 {
	return -math.Log2(eps)
}

// BloomBitsPerKey returns log2(e)*log2(1/eps) = 1.4427*log2(1/eps), the bits
// per key of a large Bloom filter with the best real k (Broder and Mitzenmacher
// 2004, section 2). No integer k needs less.
func BloomBitsPerKey(eps float64) float64 {
	return math.Log2E * LowerBound(eps)
}

// PartitionedRate returns (1-(1-k/m)^n)^k, the rate of k slices of m/k bits
// with one function each. It is exact: the slices are independent, and the
// chance that a bit of a slice is set is the expected fill ratio of the slice.
func PartitionedRate(m uint64, k int, n uint64) float64 {
	return math.Pow(fill(min(1, float64(k)/float64(m)), float64(n)), float64(k))
}

// fill returns 1-(1-p)^throws, the chance that a cell has been hit if each
// throw hits it with probability p.
func fill(p, throws float64) float64 {
	if throws == 0 {
		return 0
	}
	return -math.Expm1(throws * math.Log1p(-p))
}

// Rate returns E[(X/m)^k], where X is the number of distinct bits among kn
// uniform ones: the exact rate of a classic filter, for every m and n. It takes
// microseconds: O(k^2) time for a fill ratio around one half, O(k) space.
//
// Rate does not sum over X but over the query. The query's k functions name D
// distinct bits, and the query is a false positive if the kn throws of the keys
// hit each of these. Of the throws, T ~ Binomial(kn, j/m) hit one of D = j
// bits. The probability that T throws onto j cells leave none empty depends on
// neither m nor n:
//
//	Rate = sum_j P(D=j) * E[onto_j(T)]
//
// Nothing is subtracted, so the relative error stays near double precision. The
// sum over X would be too long for large filters and need an approximation.
func Rate(m uint64, k int, n uint64) float64 {
	throws := float64(k) * float64(n)
	perCell := throws / float64(m)
	if n == 0 {
		return 0
	}
	if perCell > saturation {
		return 1
	}
	var rate float64
	onto := newSurjection(k, perCell)
	for j, p := range occupancy(m, uint64(k)) {
		if j > 0 {
			onto.advance()
			rate += p * binomialMean(throws, float64(j)/float64(m), onto.at)
		}
	}
	return min(1, rate) // a sum can round up
}

// A surjection is a table of the probabilities that t = 0, 1, 2... uniform
// throws leave none of a number of cells empty.
type surjection struct {
	cells int
	onto  []float64
}

// newSurjection returns the table for zero cells. Its length is sufficient for
// up to maxCells cells at perCell throws per cell: cells that are known to be
// hit receive perCell/(1-e^-perCell) throws on average, and the table ends
// twelve standard deviations above the mean.
func newSurjection(maxCells int, perCell float64) *surjection {
	mean := float64(maxCells) * perCell / -math.Expm1(-perCell)
	s := &surjection{onto: make([]float64, int(mean+12*math.Sqrt(mean))+40)}
	s.onto[0] = 1
	return s
}

// advance adds a cell. Either the first t-1 throws hit all j cells, or they hit
// all cells but one and the last throw hits that one:
//
//	onto_j(t) = onto_j(t-1) + ((j-1)/j)^{t-1} * onto_{j-1}(t-1)
//
// This is the recurrence of the Stirling numbers of the second kind.
func (s *surjection) advance() {
	s.cells++
	outside := float64(s.cells-1) / float64(s.cells)
	power, before := 1.0, s.onto[0]
	s.onto[0] = 0
	for t := 1; t < len(s.onto); t++ {
		next := s.onto[t-1] + power*before
		before, s.onto[t] = s.onto[t], next
		power *= outside
	}
}

// at returns the probability for t throws, or the last one of the table if t is
// beyond it.
func (s *surjection) at(t int) float64 {
	return s.onto[min(t, len(s.onto)-1)]
}

// DigestRate returns 1-e^{-n/2^64}, the chance that a new key has the 64-bit
// digest of one of n keys. A filter of any size cannot distinguish such a key
// from a member.
func DigestRate(n uint64) float64 {
	return -math.Expm1(-float64(n) / (1 << 64))
}

// ClassicDigestRate returns the chance that a new key is found in a classic
// filter because its digest is that of one of n keys or close to it in the
// probe sequence. A digest that is a member's times multiplier^s, for a small
// positive or negative s, has k-|s| of the member's positions. It is found if
// the other |s| bits are set, which has the chance fill^|s|. So the sum is
// DigestRate(n) times
//
//	1 + 2 (fill + fill^2 + ... + fill^(k-1))
//
// or three times DigestRate(n) in a half-full filter.
func ClassicDigestRate(m uint64, k int, n uint64) float64 {
	x, shifted := fill(1/float64(m), float64(k)*float64(n)), 0.0
	for range k - 1 {
		shifted = x + x*shifted
	}
	return min(1, DigestRate(n)*(1+2*shifted))
}

// union returns p1+p2-p1*p2, the chance of either of two independent events.
func union(p1, p2 float64) float64 { return p1 + (1-p1)*p2 }

// WithDigest returns the rate of a filter with n keys if p is the rate of
// independent positions. An equal digest, of chance [DigestRate], is the other
// cause of a false positive.
func WithDigest(p float64, n uint64) float64 {
	return union(p, DigestRate(n))
}

// WithClassicDigest is [WithDigest] for a classic filter, with
// [ClassicDigestRate] in place of DigestRate.
func WithClassicDigest(p float64, m uint64, k int, n uint64) float64 {
	return union(p, ClassicDigestRate(m, k, n))
}

// occupancy returns the distribution of the number of occupied cells after a
// number of uniform throws into m cells: element x is the chance of exactly x.
// If x cells are occupied, the next throw hits one of them with probability
// x/m:
//
//	P(x) <- P(x) * x/m + P(x-1) * (m-x+1)/m
//
// All terms are positive, so the error is a few ulps per throw.
func occupancy(m, throws uint64) []float64 {
	cells, most := float64(m), min(m, throws)
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

// negligible is the weight, relative to the largest one, at which a sum ends.
const negligible = 1e-20

// binomialMean returns E[f(T)] for T ~ Binomial(n, p), where f is a probability
// that does not decrease with T. It goes from the mode in both directions by
// the ratio of neighboring terms and divides by the sum of the weights. So it
// needs no logarithm, and n may be any size; n*p must fit in an int.
//
// Below the mode, the sum ends when the weight is negligible, because f only
// decreases there. Above it, f may increase faster than the weight decreases,
// so the sum goes on until the products are negligible, too.
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
