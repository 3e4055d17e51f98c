package sizing

// BlockedRates returns a function that will compute a blocked filter's rate for
// n keys in m/512 blocks. A digest selects a block and k bits in it (Putze,
// Sanders and Singler 2007):
//
//	sum_j P(Binomial(n, 512/m) = j) * E[(X/512)^k | k*j throws]
//
// Both factors are exact. When the rate is small, the sum depends mostly on
// blocks with far more keys than the mean. Using only the mean load would
// therefore be too optimistic. If m is less than 512, one block is used. The
// function caches the rates of single blocks. Each further number of keys per
// block requires O(k^2) time.
func BlockedRates(m uint64, k int) func(n uint64) float64 {
	b := newBlock(k)
	return func(n uint64) float64 { return b.rate(max(1, m/LineBits), n) }
}

// A block caches the rates of a single block for 0, 1, 2, ... keys.
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

func (b *block) hashes() int { return len(b.query) - 1 }

// rate returns the mean rate over all loads when n keys have been added.
func (b *block) rate(blocks, n uint64) float64 {
	load := float64(n) / float64(blocks)
	if load*float64(b.hashes()) > 4*saturation*LineBits {
		return 1
	}
	return min(1, binomialMean(float64(n), 1/float64(blocks), b.at)) // the sum can be rounded up
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

// add computes the rate for the next load in O(k^2) time. A throw hits one of j
// given bits with probability j/512. Then j-1 bits still need to be covered:
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
