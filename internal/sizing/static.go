package sizing

import "math"

// columnUnits is the number of units per ribbon column.
const columnUnits = 1 << 16

// MaxColumns is the largest number of ribbon columns, or fingerprint bits.
const MaxColumns = 32

// RibbonColumns returns the number of columns, in units of 1/65536, that a
// ribbon with n keys needs to have the rate eps. A fraction s of the segments
// has r-1 columns and the others have r, which results in the rate 2^-r (1+s),
// so s is 2^r eps - 1, rounded down. Because of equal digests, an eps such as
// 2^-7 needs slightly more than 7 columns. If this is only one unit more,
// RibbonColumns returns the whole number, and the rate slightly exceeds eps. It
// returns false if 32 columns are not enough, or if eps is 1 or more.
//
// Because of the mixture, a key uses log2(1+s) - s more bits than the optimum,
// which is less than 0.0861 bits.
func RibbonColumns(eps float64, n uint64) (uint32, bool) {
	same := DigestRate(n)
	eps = (eps - same) / (1 - same)
	if !(eps > 0 && eps < 1) {
		return 0, false
	}
	r := math.Ceil(LowerBound(eps))
	units := r*columnUnits - math.Floor((eps*math.Exp2(r)-1)*columnUnits)
	if units > 1 && math.Mod(units, columnUnits) == 1 {
		units-- // a power of two, when equal digests are ignored
	}
	return uint32(units), 0 < units && units <= MaxColumns*columnUnits
}

// RibbonRate is the inverse of [RibbonColumns]: it returns the rate for n keys
// and the given columns, in units of 1/65536.
func RibbonRate(columns uint32, n uint64) float64 {
	r := math.Ceil(float64(columns) / columnUnits)
	return WithDigest(math.Exp2(-r)*(1+r-float64(columns)/columnUnits), n)
}

// RibbonFloor returns the lowest rate that a ribbon with n keys can have.
func RibbonFloor(n uint64) float64 { return RibbonRate(MaxColumns*columnUnits, n) }

// fewKeys is the size of the rarer class up to which [ExactBound] uses
// products. For larger classes it uses a series, with a relative error of about
// 1e-15 or less.
const fewKeys = 32

// ExactBound returns log2 C(r+s, r), the bits that any structure needs to
// distinguish r keys in a class from s other keys without errors, because r+s
// keys can be divided in C(r+s, r) ways. When r is much less than s, this is
// about log2(e (r+s)/r) bits per rare key (Carter et al., STOC 1978).
//
// ExactBound does not subtract logarithms of factorials, because the difference
// could lose all digits when one class is much smaller than the other.
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

// ListsBound returns the bits that any structure needs to contain r keys and
// none of s others, if it finds all further keys at the rate eps or less. A
// structure that finds a fraction p of all possible keys is right about r keys
// with the probability p^r, and about s others with (1-p)^s. So at least p^-r
// (1-p)^-s structures are needed for all pairs of lists, and the bits must
// select one of them. The number of structures is smallest for p = r/(r+s), so
// this is the best rate if it is less than eps (the argument of Carter et al.,
// STOC 1978, for two lists).
func ListsBound(r, s uint64, eps float64) float64 {
	a, b := float64(r), float64(s)
	p := min(eps, a/(a+b))
	if a == 0 || p == 1 {
		return 0
	}
	return a*LowerBound(p) - b*math.Log1p(-p)*math.Log2E
}

// stirling returns the error of Stirling's approximation: ln(x!) - ln(sqrt(2 pi
// x)) - x ln(x/e).
func stirling(x float64) float64 {
	return (1.0/12 - (1.0/360-1/(1260*x*x))/(x*x)) / x
}
