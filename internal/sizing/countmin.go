package sizing

import "math"

// CountMinWidth returns ceil(e/epsilon), the number of counters per row with
// which a row overestimates a key's count by more than epsilon*N with
// probability 1/e or less, where N is the sum of all counts (Cormode and
// Muthukrishnan 2005, section 3 and theorem 1). CountMinWidth returns 0 unless
// epsilon is positive, and math.MaxUint64 if the width would be larger.
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
// rows overestimate a key's count by more than epsilon*N with probability delta
// or less (the same theorem as in [CountMinWidth]). The depth is at least 1 if
// delta is positive, and 0 otherwise.
func CountMinDepth(delta float64) int {
	if !(delta > 0) {
		return 0
	}
	return max(1, int(math.Ceil(-math.Log(delta))))
}
