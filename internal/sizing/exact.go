package sizing

import "math"

// fewKeys is the size of the rarer class up to which [ExactBound] multiplies
// and above which it uses a series, whose error is below 1e-15 there.
const fewKeys = 32

// ExactBound returns log2 C(r+s, r), the bits that any structure needs that
// tells the r keys of one class from the s keys of another without an error:
// the universe of r+s keys can be divided in that many ways. Divided by r it is
// close to log2(e (r+s)/r) if r is much less than s (Carter et al., STOC 1978).
// O(1) time.
//
// A difference of three logarithms of factorials would cancel all digits if one
// class is small. All terms here are positive, except those of a short series.
func ExactBound(r, s uint64) float64 {
	r, s = min(r, s), max(r, s)
	a, b := float64(r), float64(s)
	if r <= fewKeys {
		sum := 0.0
		for i := 1.0; i <= a; i++ {
			sum += math.Log2((b + i) / i)
		}
		return sum
	}
	n := a + b
	bits := a*math.Log2(n/a) + b*math.Log1p(a/b)*math.Log2E
	root := math.Log2(n/a/b/(2*math.Pi)) / 2
	return bits + root + (stirling(n)-stirling(a)-stirling(b))*math.Log2E
}

// stirling returns ln(x!) less Stirling's approximation, ln(sqrt(2 pi x)) + x
// ln(x/e).
func stirling(x float64) float64 {
	return (1.0/12 - (1.0/360-1/(1260*x*x))/(x*x)) / x
}
