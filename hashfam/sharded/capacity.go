package sharded

import "math"

// Capacity returns how many keys each of n shards must have room for, if total
// distinct keys are spread over them: the chance that any shard receives more
// is below one in a million. For a million keys and 64 shards it is 16,374, a
// twentieth above the mean of 15,625. Copies of a key are all in one shard. If
// each key has up to c copies, each shard needs room for c*Capacity(total, n)
// keys. Capacity returns total if n is 1 or less. O(1) time.
//
// The number of keys in one shard is binomial, with mean total/n and variance v
// = total/n * (1-1/n). By Bernstein's inequality (Boucheron, Lugosi and
// Massart, Concentration Inequalities, 2013, section 2.8) it exceeds its mean
// by t with probability at most exp(-t^2 / (2(v + t/3))). For
//
//	L = ln(n * 10^6)  and  t = L/3 + sqrt((L/3)^2 + 2*L*v)
//
// that is 10^-6/n, and the union bound is over n shards.
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
