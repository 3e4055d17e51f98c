package sizing

import "math"

// CountMinWidth returns ceil(e/epsilon), the number of counters in a row of a
// count-min sketch with which each row overestimates by more than epsilon*N
// with probability at most 1/e (Cormode and Muthukrishnan 2005, section 3 and
// theorem 1). It returns 0 unless epsilon is positive, and math.MaxUint64 if
// the width exceeds that.
func CountMinWidth(epsilon float64) uint64 {
	if !(epsilon > 0) {
		return 0
	}
	if width := math.Ceil(math.E / epsilon); width < 1<<64 {
		return uint64(width)
	}
	return math.MaxUint64
}

// CountMinDepth returns ceil(ln(1/delta)), the number of rows with which all
// rows overestimate by more than epsilon*N with probability at most delta (same
// theorem). It returns at least 1 if delta is positive, and 0 otherwise.
func CountMinDepth(delta float64) int {
	if !(delta > 0) {
		return 0
	}
	return max(1, int(math.Ceil(-math.Log(delta))))
}

// AddSat returns a+b, or the largest uint64 if the sum does not fit.
func AddSat(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}
