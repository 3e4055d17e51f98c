package table

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// of returns Partners for m buckets, without stored hashes.
func of(m, key uint64) Partners { return NewPartners(Shape{Buckets: m, Bits: 32}, key) }

// The coordinates 0 to m-1 consist of one block for each bit that is set in m,
// the largest first. A step is an XOR with the fingerprint's pattern within a
// block, and is its own inverse. For powers of two, it is the step used by Fan
// et al.
func TestStepIsXorWithinRotatedBlocks(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 100_000 {
		m := 2 + rng.Uint64()>>(17+rng.IntN(46))&^1
		if round%10 == 0 {
			m = 2 << rng.IntN(46)
		}
		p, fp := of(m, rng.Uint64()), 1+rng.Uint64()>>(32+rng.IntN(28))%(1<<32-1)
		h := p.Hash(fp)
		ok := h.offset < m && (m&(m-1) != 0 || h.offset == 0) && h.pattern&1 == 1
		for _, x := range []uint64{0, 1, m - 1, rng.Uint64N(m)} {
			size := uint64(0)
			for first := uint64(0); first <= x; first += size {
				size = 1 << (bits.Len64(m-first) - 1)
			}
			a, b := p.Pair(x, h)
			ok = ok && a == (x+m-h.offset)%m && b == (x^h.pattern%size+m-h.offset)%m && a != b &&
				p.Other(a, h) == b && p.Other(b, h) == a
		}
		if !ok {
			t.Fatalf("%d buckets, fingerprint %d", m, fp)
		}
	}
}

// Hashes are stored if they need no more than 1/256 of the table size, for
// example 16 KiB of 4 MiB for ten bits, and never for wider fingerprints.
func TestLargeTablesStoreHashes(t *testing.T) {
	for s, want := range map[Shape]int{
		{Buckets: 838_856, Bits: 10}:               0,
		{Buckets: 838_858, Bits: 10}:               1024,
		{Buckets: 838_858, Bits: 10, Sorted: true}: 0,
		{Buckets: 3 << 20, Bits: 9, Sorted: true}:  512,
		{Buckets: 100_000_000, Bits: 11}:           0,
		{Buckets: 1<<18 - 2, Bits: 8}:              256,
		{Buckets: 1<<18 - 4, Bits: 8}:              0,
	} {
		p, plain := NewPartners(s, 7), of(s.Buckets, 7)
		require.Len(t, p.hashes, want, "%v", s)
		require.LessOrEqual(t, 256*16*uint64(len(p.hashes)), s.Bytes())
		for fp := range uint64(len(p.hashes)) {
			require.Equal(t, plain.Hash(fp), p.Hash(fp))
		}
	}
}
