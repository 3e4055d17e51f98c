package sizing

import "math"

// SaturatingAdd returns a+b, or math.MaxUint64 if the sum overflows.
func SaturatingAdd(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}
