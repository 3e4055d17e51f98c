package sizing

import "math"

// maxCover is the largest k for which a cover is worth its error.
const maxCover = 40

// A cover gives the rate of a query of k positions by inclusion and exclusion:
//
//	sum_i (-1)^i ways(i) P(i given bits are all unset)
//
// where ways(i) is the mean number of ways to choose i of the distinct
// positions of the query. The terms are up to 3^k times as large as the sum, so
// it comes with a bound of its error. But it takes O(k) time once there is a
// cover, where [Rate] and [BlockedRates], which subtract nothing, sum over the
// throws that hit a bit or over the keys in a block.
type cover struct {
	k    int
	ways [maxCover + 1]float64
	miss [maxCover + 1]float64 // P(k throws miss i given bits)
}

// set makes c the cover of k positions, at most maxCover, among m bits. A throw
// finds a new position with chance 1-D/m if D are found already:
//
//	ways(i) <- ways(i) (1-i/m) + ways(i-1) (1-(i-1)/m)
func (c *cover) set(m uint64, k int) {
	c.k = k
	var outside [maxCover + 1]float64
	for i := range k + 1 {
		outside[i], c.miss[i], c.ways[i] = max(0, 1-float64(i)/float64(m)), 1, 0
	}
	c.ways[0] = 1
	for range k {
		for i := k; i > 0; i-- {
			c.ways[i] = c.ways[i]*outside[i] + c.ways[i-1]*outside[i-1]
			c.miss[i] *= outside[i]
		}
	}
}

// sum returns the rate, and a bound of its error. unset(i) is the logarithm of
// the chance that i given bits are all unset, within slack ulps of 1.
func (c *cover) sum(slack float64, unset func(i int) float64) (p, err float64) {
	sign := 1.0
	for i, ways := range c.ways[:c.k+1] {
		x := 0.0
		if i > 0 {
			x = unset(i)
		}
		term := ways * math.Exp(x)
		p += sign * term
		sign = -sign
		if term > 0 { // else x may be infinite
			err += term * (8 + 4*float64(c.k) + slack - 2*x) * 0x1p-52
		}
	}
	return p, err
}

// nearClassic is [Rate], within err, for k up to maxCover.
func nearClassic(c *cover, m uint64, k int, n uint64) (p, err float64) {
	c.set(m, k)
	throws := float64(k) * float64(n)
	return c.sum(0, func(i int) float64 { return throws * math.Log1p(max(-1, -float64(i)/float64(m))) })
}

// nearBlocked is the rate of [BlockedRates], within err, for k up to maxCover.
// Each key misses i given bits of a block in another block, or in this one:
//
//	(1 - 1/blocks + miss(i)/blocks)^n
func nearBlocked(c *cover, blocks uint64, k int, n uint64) (p, err float64) {
	c.set(LineBits, k)
	load := float64(n) / float64(blocks)
	return c.sum(4*load, func(i int) float64 {
		return float64(n) * math.Log1p((c.miss[i]-1)/float64(blocks))
	})
}
