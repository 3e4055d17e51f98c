package sizing

// BlockedRate is the rate of m/512 blocks of 512 bits, when the digest chooses
// one block and k bits inside it (Putze, Sanders and Singler 2007):
//
//	sum_j P(Binomial(n, 512/m) = j) * E[(X/512)^k | k*j throws]
//
// Both factors are exact. At small rates the sum is made of blocks far more
// loaded than the mean, and the mean load alone would promise too much. Less
// than one block counts as one.
func BlockedRate(m uint64, k int, n uint64) float64 {
	return newBlock(k).rate(max(1, m/LineBits), n)
}

// BlockedRates returns [BlockedRate] as a function of n that remembers what it
// has computed.
func BlockedRates(m uint64, k int) func(n uint64) float64 {
	b := newBlock(k)
	return func(n uint64) float64 { return b.rate(max(1, m/LineBits), n) }
}

// A block knows the rate of a single block of 512 bits for every number of
// keys in it, computed up to the largest one asked for.
type block struct {
	query   []float64 // P(the query's k functions name j distinct bits)
	covered []float64 // P(j given bits are all set), after the last load below
	loads   []float64 // rate by number of keys
}

func newBlock(k int) *block {
	b := &block{query: occupancy(LineBits, uint64(k)), loads: []float64{0}}
	b.covered = make([]float64, len(b.query))
	b.covered[0] = 1
	return b
}

// hashes is k.
func (b *block) hashes() int { return len(b.query) - 1 }

// rate is the mean over the loads that n keys give a block.
func (b *block) rate(blocks, n uint64) float64 {
	load := float64(n) / float64(blocks)
	if load*float64(b.hashes()) > 4*saturation*LineBits {
		return 1
	}
	return binomialMean(float64(n), 1/float64(blocks), b.at)
}

// at is the rate of a block that holds a number of keys.
func (b *block) at(keys int) float64 {
	if keys*b.hashes() > saturation*LineBits {
		return 1
	}
	for len(b.loads) <= keys {
		b.add()
	}
	return b.loads[keys]
}

// add computes the next load, in O(k^2) time. A throw settles one of j bits
// still wanted with probability j/512:
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
