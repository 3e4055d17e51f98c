package sizing

import "math"

// columnUnits is the number of units in one column of a ribbon.
const columnUnits = 1 << 16

// MaxColumns is the largest number of columns of a ribbon: the bits of a
// fingerprint.
const MaxColumns = 32

// RibbonColumns returns the number of columns of a ribbon with n keys that
// meets eps, in units of 1/65536. The share s of segments with r-1 columns,
// where the others have r, gives the rate 2^-r (1+s). It is 2^r eps - 1,
// rounded down. A rate that exceeds eps by less than one unit of s counts as
// eps. RibbonColumns reports false if 32 columns are too few.
//
// The cost of mixing is log2(1+s) - s bits for each key, at most 0.086.
func RibbonColumns(eps float64, n uint64) (uint32, bool) {
	same := DigestRate(n)
	eps = (eps - same) / (1 - same)
	if !(eps > 0 && eps < 1) {
		return 0, false
	}
	r := math.Ceil(LowerBound(eps))
	units := r*columnUnits - math.Floor((eps*math.Exp2(r)-1)*columnUnits)
	if units > 1 && math.Mod(units, columnUnits) == 1 {
		units-- // a power of two, except for the digests of members
	}
	return uint32(units), 0 < units && units <= MaxColumns*columnUnits
}

// RibbonRate returns the rate of a ribbon with n keys and that many columns, in
// units of 1/65536. It is the inverse of [RibbonColumns].
func RibbonRate(columns uint32, n uint64) float64 {
	r := math.Ceil(float64(columns) / columnUnits)
	return WithDigest(math.Exp2(-r)*(1+r-float64(columns)/columnUnits), n)
}

// RibbonFloor returns the smallest rate of a ribbon with n keys.
func RibbonFloor(n uint64) float64 { return RibbonRate(MaxColumns*columnUnits, n) }

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
