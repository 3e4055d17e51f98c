package static

import "github.com/filterfam/filterfam/internal/sizing"

// FalsePositiveRate returns the probability that the filter finds a key that it
// was not built from, neither as a member nor as an absent key. This includes
// keys with the same digest as a member. If the filter was built without
// members, the result is 0. FalsePositiveRate runs in O(n) time.
func (f *Filter) FalsePositiveRate() float64 {
	return sizing.WithDigest(f.ribbon.Rate(), f.Len())
}
