package ribbon

import (
	"fmt"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// enoughBits is the number of distinct digests that are enough to tell whether
// they are hashes: the probability that one of the examined bits is the same in
// 100 hashes is 48/2^99.
const enoughBits = 100

// examined are the bits that must not be the same in all digests. The others
// can be, in the digests of a shard; see [hashfam.Digest.Shard].
const examined = 1<<48 - 1

// Bits detects digests that are not hashes, for example numbers: at least one
// of their lowest 48 bits is the same in all of them.
type Bits struct {
	digests uint64
	ones    uint64 // bits that are set in a digest
	zeros   uint64 // bits that are not set in a digest
}

// Add adds a digest, which must differ from those before.
func (b *Bits) Add(d hashfam.Digest) {
	b.digests++
	b.ones |= uint64(d)
	b.zeros |= ^uint64(d)
}

// Check returns ErrParams if the digests are not hashes.
func (b *Bits) Check(m *fault.Maker) error {
	same := ^(b.ones & b.zeros) & examined
	if b.digests < enoughBits || same == 0 {
		return nil
	}
	return m.Field(hashfam.ErrParams, "digests",
		fmt.Sprintf("%d values with the same bit %d", b.digests, bits.TrailingZeros64(same)),
		"hashes, which a Family computes: Sum, SumString or SumUint64")
}

// CheckHashes returns ErrParams if distinct digests are not hashes.
func CheckHashes(digests []hashfam.Digest, m *fault.Maker) error {
	var b Bits
	for _, d := range digests {
		b.Add(d)
	}
	return b.Check(m)
}
