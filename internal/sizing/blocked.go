package sizing

// BlockedRates returns, as a function of n, the rate of a filter of m/512
// blocks of 512 bits in which a digest chooses a block and k bits of it (Putze,
// Sanders and Singler 2007):
//
//	sum_j P(Binomial(n, 512/m) = j) * E[(X/512)^k | k*j throws]
//
// Both factors are exact. At small rates, blocks with far more keys than the
// mean dominate the sum, so the mean load alone would be too optimistic. Less
// than one block counts as one. The function keeps the rates of single blocks
// that it has computed: O(k^2) time for each further number of keys in a block.
func BlockedRates(m uint64, k int) func(n uint64) float64 {
	b := newBlock(k)
	return func(n uint64) float64 { return b.rate(max(1, m/LineBits), n) }
}

// A block holds the rates of a single block of 512 bits by the number of keys
// in it, up to the largest number for which it was called.
type block struct {
	query   []float64 // P(the query's k functions name j distinct bits)
	covered []float64 // P(j given bits are all set) at the last of the loads
	loads   []float64 // rate by number of keys
}

func newBlock(k int) *block {
	b := &block{query: occupancy(LineBits, uint64(k)), loads: []float64{0}}
	b.covered = make([]float64, len(b.query))
	b.covered[0] = 1
	return b
}

// hashes returns k.
func (b *block) hashes() int { return len(b.query) - 1 }

// rate returns the mean rate over the loads of a block if there are n keys.
func (b *block) rate(blocks, n uint64) float64 {
	load := float64(n) / float64(blocks)
	if load*float64(b.hashes()) > 4*saturation*LineBits {
		return 1
	}
	return min(1, binomialMean(float64(n), 1/float64(blocks), b.at)) // a sum can round up
}

// at returns the rate of a block with the given number of keys.
func (b *block) at(keys int) float64 {
	if keys*b.hashes() > saturation*LineBits {
		return 1
	}
	for len(b.loads) <= keys {
		b.add()
	}
	return b.loads[keys]
}

// add computes the rate at the next load in O(k^2) time. A throw hits one of j
// given bits with probability j/512, and j-1 bits then remain to be covered:
//
//	covered(j) <- covered(j) + (covered(j-1) - covered(j)) * j/512
func (b *block) add() {
	for range b.hashes() {
		for j := b.hashes(); j > 0; j-- {
			b.covered[j] += (b.covered[j-1] - b.covered[j]) * float64(j) / LineBits
		}
	}
	var rate float64
	for j, p := range b.query {
		rate += p * b.covered[j]
	}
	b.loads = append(b.loads, rate)
}
