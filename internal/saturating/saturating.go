// Package saturating adds numbers that stop at the largest one instead of
// overflowing.
package saturating

import "math"

// Add returns a+b, or math.MaxUint64 if the sum overflows.
func Add(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}
