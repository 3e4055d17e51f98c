package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// exactRate returns E[(X/m)^k], where X is the number of distinct bits among kn
// uniform ones. This is the expected rate of classic filters (Bose et al. 2008;
// Christensen et al. 2010). It uses the distribution of X in O(kn*min(m, kn))
// time.
func exactRate(m uint64, k int, n uint64) float64 {
	var rate float64
	for x, p := range occupied(m, uint64(k)*n) {
		rate += p * math.Pow(float64(x)/float64(m), float64(k))
	}
	return rate
}

// occupied returns the distribution of the number of distinct bits. Element x
// is the probability of exactly x bits. When x bits are set, the next throw
// hits a set bit with probability x/m.
func occupied(m, throws uint64) []float64 {
	now, next := []float64{1}, []float64(nil)
	for range throws {
		next = append(next[:0], make([]float64, len(now)+1)...)
		for x, p := range now {
			next[x] += p * float64(x) / float64(m)
			next[x+1] += p * float64(m-uint64(x)) / float64(m)
		}
		if uint64(len(now)) > m {
			next = next[:len(now)] // no more than m bits can be set
		}
		now, next = next, now
	}
	return now
}

func TestKnownRates(t *testing.T) {
	requireRate := func(want float64, m uint64, k int, n uint64, tolerance float64) {
		require.InEpsilon(t, want, exactRate(m, k, n), tolerance)
		require.InEpsilon(t, want, Rate(m, k, n), tolerance)
	}
	requireRate(151133581./(1<<32), 16, 3, 2, 1e-14)
	requireRate(29./512, 8, 2, 1, 1e-14)
	requireRate(0.0253544346, 64, 4, 8, 2e-9)
	requireRate(0.00913464653, 256, 7, 26, 2e-9)
	requireRate(0.00975425389, 1024, 7, 106, 2e-9)
}
