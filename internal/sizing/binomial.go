package sizing

import "math"

// negligible is the weight, relative to the largest, at which a sum ends.
const negligible = 1e-20

// binomialMean is E[f(T)] for T ~ Binomial(n, p) and f a probability that does
// not fall with T. It walks from the mode both ways by the ratio of
// neighbouring terms and divides by the sum of the weights, so it needs no
// logarithm and n may be any size; n*p must fit an int.
//
// Downwards, what is left out is at most its share of the weight, because f
// only falls. Upwards, f may rise faster than the weight drops, and the sum
// goes on until the products are negligible too.
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
