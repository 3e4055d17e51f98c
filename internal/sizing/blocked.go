package sizing

import "sync"

// BlockedRate returns a blocked filter's rate for n keys in m/512 blocks. A
// digest selects a block and k bits in it (Putze, Sanders and Singler 2007):
//
//	sum_j P(Binomial(n, 512/m) = j) * E[(X/512)^k | k*j throws]
//
// Here j is the number of keys in a block, and X the number of bits that their
// k*j throws set. Both factors are exact. When the rate is small, the sum
// depends mostly on blocks with more keys than the mean, so the mean load alone
// would be too optimistic. A block's rate depends only on k and the number of
// its keys. It requires O(k^2) time per key, but is computed only once per
// process.
func BlockedRate(m uint64, k int, n uint64) float64 {
	blocks := max(1, m/LineBits)
	if k == 1 { // all positions are independent, as in a classic filter
		return hit(1/float64(blocks*LineBits), float64(n))
	}
	if load := float64(n) / float64(blocks); load*float64(k) > 4*saturation*LineBits {
		return 1
	}
	b := &single[k]
	b.Lock()
	defer b.Unlock()
	if b.loads == nil {
		b.query = occupancy(LineBits, uint64(k))
		b.covered = make([]float64, k+1)
		b.covered[0] = 1
		b.loads = []float64{0}
	}
	return min(1, binomialMean(float64(n), 1/float64(blocks), b.at)) // the sum can be rounded up
}

// single contains the rates of a single block for each k.
var single [MaxHashes + 1]block

// A block caches the rates of a single block for 0, 1, 2, ... keys.
type block struct {
	sync.Mutex
	query   []float64 // P(the query's k functions select j distinct bits)
	covered []float64 // P(j given bits are all set) at the last of the loads
	loads   []float64 // rate by number of keys
}

// at returns the rate of a block with the given number of keys.
func (b *block) at(keys int) float64 {
	k := len(b.query) - 1
	if keys*k > saturation*LineBits {
		return 1
	}
	for len(b.loads) <= keys {
		b.add()
	}
	return b.loads[keys]
}

// add computes the rate for the next load in O(k^2) time. Let covered(j) be the
// probability that a number of throws hit all of j given bits. With one more
// throw before them, this throw hits one of the j bits with probability j/512,
// and then the others only need to hit j-1 bits:
//
//	covered(j) <- covered(j) + (covered(j-1) - covered(j)) * j/512
func (b *block) add() {
	for range len(b.query) - 1 {
		before := 1.0
		for j, p := range b.covered {
			b.covered[j] = p + (before-p)*(float64(j)/LineBits)
			before = p
		}
	}
	var rate float64
	for j, p := range b.query {
		rate += p * b.covered[j]
	}
	b.loads = append(b.loads, rate)
}
