package sharded

import "math"

// Capacity returns the capacity that each of n shards needs when total distinct
// keys are distributed among them. The probability that any shard receives more
// keys is below 1e-6. For example, a million keys in 64 shards need a capacity
// of 16,374, which is 5% above the mean of 15,625. All copies of a key are in
// the same shard, so if each key has up to c copies, use c*Capacity(total, n)
// instead. Capacity returns total if n is 1 or less.
//
// The number of keys in a shard has a binomial distribution with mean total/n
// and variance v = total/n * (1-1/n). By Bernstein's inequality (Boucheron,
// Lugosi and Massart, Concentration Inequalities, 2013, section 2.8), it
// exceeds the mean by t with probability at most exp(-t^2 / (2(v + t/3))). This
// probability is 10^-6/n for
//
//	L = ln(n * 10^6)  and  t = L/3 + sqrt((L/3)^2 + 2*L*v)
//
// and the union bound covers all n shards.
func Capacity(total uint64, n int) uint64 {
	if n <= 1 {
		return total
	}
	shards := float64(n)
	mean := float64(total) / shards
	l := math.Log(shards * 1e6)
	most := mean + l/3 + math.Sqrt(l*l/9+2*l*mean*(1-1/shards))
	if most >= float64(total) {
		return total
	}
	return min(total, uint64(most))
}
