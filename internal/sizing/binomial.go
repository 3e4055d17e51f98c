package sizing

import "math"

// negligible is the weight, relative to the largest one, at which a sum ends.
const negligible = 1e-20

// binomialMean returns E[f(T)] for T ~ Binomial(n, p), where f is a probability
// that does not decrease with T. It goes from the mode in both directions by
// the ratio of neighboring terms and divides by the sum of the weights. So it
// needs no logarithm, and n may be any size; n*p must fit in an int.
//
// Below the mode, the sum ends when the weight is negligible, because f only
// decreases there. Above it, f may increase faster than the weight decreases,
// so the sum goes on until the products are negligible, too.
func binomialMean(n, p float64, f func(int) float64) float64 {
	if p >= 1 {
		return f(int(n))
	}
	odds := p / (1 - p)
	mode := math.Floor(min(n, (n+1)*p))
	weight, sum := 1.0, f(int(mode))
	for t, w := mode, 1.0; t > 0 && w > negligible; t-- {
		w *= t / ((n - t + 1) * odds)
		weight += w
		sum += w * f(int(t-1))
	}
	for t, w, term := mode, 1.0, sum; t < n && (w > negligible || w > 0 && term >= negligible*sum); t++ {
		w *= (n - t) / (t + 1) * odds
		term = w * f(int(t+1))
		weight += w
		sum += term
	}
	return sum / weight
}
