package sizing

import "math"

// CountMinWidth is ceil(e/epsilon), the counters in a row of a count-min
// sketch that overestimates by more than epsilon*N with probability at most 1/e
// in each row (Cormode and Muthukrishnan 2005, section 3 and theorem 1). It is
// 0 unless epsilon is positive, and MaxUint64 if the width would not fit.
func CountMinWidth(epsilon float64) uint64 {
	if !(epsilon > 0) {
		return 0
	}
	if width := math.Ceil(math.E / epsilon); width < 1<<64 {
		return uint64(width)
	}
	return math.MaxUint64
}

// CountMinDepth is ceil(ln(1/delta)), the rows after which all of them
// overestimate by more than epsilon*N with probability at most delta (same
// theorem). At least 1; 0 unless delta is positive.
func CountMinDepth(delta float64) int {
	if !(delta > 0) {
		return 0
	}
	return max(1, int(math.Ceil(-math.Log(delta))))
}
