package static

import "github.com/filterfam/filterfam/internal/sizing"

// FalsePositiveRate returns the probability that the filter finds a random key
// that is neither a member nor an absent key. The result includes the
// probability that the key has the same digest as a member. If the filter was
// built without members, the result is 0. FalsePositiveRate runs in O(n) time.
func (f *Filter) FalsePositiveRate() float64 {
	return sizing.WithDigest(f.ribbon.Rate(), f.Len())
}
