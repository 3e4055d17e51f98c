package table

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// step checks that the step from bucket i stays in the table, leaves the
// bucket, is its own inverse, and agrees with Pair.
func step(p *Partners, i, fp uint64) bool {
	h := p.Hash(fp)
	j := p.Other(i, h)
	a, b := p.Pair((i+h.offset)%p.buckets, h)
	return j < p.buckets && j != i && p.Other(j, h) == i && a == i && b == j
}

// of returns Partners for m buckets, without stored hashes.
func of(m, key uint64) Partners { return NewPartners(Shape{Buckets: m, Bits: 32}, key) }

// Every bucket of small tables is tested, and samples of tables of any size.
func TestStepIsItsOwnInverse(t *testing.T) {
	for m := uint64(2); m <= 500; m += 2 {
		r := of(m, 1)
		for fp := uint64(1); fp < 1<<5; fp++ {
			for i := range m {
				if !step(&r, i, fp) {
					t.Fatalf("bucket %d of %d, fingerprint %d", i, m, fp)
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		r := of(2+rng.Uint64()>>(17+rng.IntN(46))&^1, rng.Uint64())
		fp := 1 + rng.Uint64()>>(32+rng.IntN(28))%(1<<32-1)
		for _, i := range []uint64{0, 1, r.buckets - 1, rng.Uint64N(r.buckets)} {
			if !step(&r, i, fp) {
				t.Fatalf("bucket %d of %d, fingerprint %d", i, r.buckets, fp)
			}
		}
	}
}

// The coordinates 0 to m-1 consist of one block per bit in m, the largest
// first. A step is an XOR with the fingerprint's pattern within a block. For
// powers of two, this is the step used by Fan et al.
func TestStepIsXorWithinRotatedBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 2000 {
		m := 2 + rng.Uint64N(3000)&^1
		if round%10 == 0 {
			m = 2 << rng.IntN(12)
		}
		r := of(m, rng.Uint64())
		fp := 1 + rng.Uint64N(1<<16)
		h := r.Hash(fp)
		offset := h.offset
		require.Less(t, offset, m)
		require.True(t, m&(m-1) != 0 || offset == 0)
		require.EqualValues(t, 1, h.pattern&1)
		for first := uint64(0); first < m; {
			size := uint64(1) << (bits.Len64(m-first) - 1)
			for x := first; x < first+size; x++ {
				y := first + (x - first) ^ h.pattern%size
				i, j := (x+m-offset)%m, (y+m-offset)%m
				if r.Other(i, h) != j {
					t.Fatalf("bucket %d of %d, fingerprint %d: %d, not %d", i, m, fp, r.Other(i, h), j)
				}
			}
			first += size
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
