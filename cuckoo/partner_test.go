package cuckoo

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// step checks one step from bucket i: it stays in the table, leaves the bucket,
// undoes itself, and is the one that pair takes.
func step(r *relocation, i, fp uint64) bool {
	h := r.hash(fp)
	j := r.other(i, h)
	a, b := r.pair((i+h.offset)%r.buckets, h)
	return j < r.buckets && j != i && r.other(j, h) == i && a == i && b == j
}

// The hashes of fingerprints are kept if they take at most a 256th of the
// table: 16 KiB of four megabytes, at ten bits, and never if there are more.
func TestHashesAreKeptForLargeTables(t *testing.T) {
	for p, want := range map[Params]int{
		{Buckets: 838_856, FingerprintBits: 10}:     0,
		{Buckets: 838_858, FingerprintBits: 10}:     1024,
		{Buckets: 100_000_000, FingerprintBits: 11}: 0,
	} {
		require.Len(t, newRelocation(p).hashes, want, "%v", p)
	}
	require.EqualValues(t, 256*16*1024, Params{Buckets: 838_858, FingerprintBits: 10}.SizeBytes())
}

func TestRelocationUndoesItself(t *testing.T) {
	t.Run("every bucket of every table up to 5,000", func(t *testing.T) {
		largest := uint64(5000)
		if testing.Short() {
			largest = 1000
		}
		for m := uint64(2); m <= largest; m += 2 {
			r := newRelocation(Params{Buckets: m})
			for fp := uint64(1); fp < 1<<5; fp++ {
				for i := range m {
					if !step(&r, i, fp) {
						t.Fatalf("bucket %d of %d, fingerprint %d", i, m, fp)
					}
				}
			}
		}
	})
	t.Run("every fingerprint up to 12 bits", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			r := keyedRelocation(2+rng.Uint64()>>(20+rng.IntN(43))&^1, rng.Uint64())
			for fp := uint64(1); fp < 1<<12; fp++ {
				if i := rng.Uint64N(r.buckets); !step(&r, i, fp) {
					t.Fatalf("bucket %d of %d, fingerprint %d", i, r.buckets, fp)
				}
			}
		}
	})
	t.Run("samples of all sizes and widths", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for range 1_000_000 {
			r := keyedRelocation(2+rng.Uint64()>>(17+rng.IntN(46))&^1, rng.Uint64())
			fp := 1 + rng.Uint64()>>(32+rng.IntN(28))%(1<<32-1)
			for _, i := range []uint64{0, 1, r.buckets - 1, rng.Uint64N(r.buckets)} {
				if !step(&r, i, fp) {
					t.Fatalf("bucket %d of %d, fingerprint %d", i, r.buckets, fp)
				}
			}
		}
	})
}

// At a power of two the step is that of Fan et al., bit for bit.
func TestAtAPowerOfTwoTheStepIsThatOfThePaper(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for shift := 1; shift <= 44; shift++ {
		m := uint64(1) << shift
		r := keyedRelocation(m, rng.Uint64())
		for range 1000 {
			x, fp := rng.Uint64N(m), 1+rng.Uint64()>>32
			h := r.hash(fp)
			require.Zero(t, h.offset)
			i, j := r.pair(x, h)
			require.Equal(t, x, i)
			require.Equal(t, i^h.pattern&(m-1), j)
			require.Equal(t, i^h.pattern&(m-1), r.other(i, h))
		}
	}
}

// The definition, in words: m is cut into blocks of falling sizes, one for each
// of its bits, and a fingerprint exchanges coordinates within a block by XOR
// with its pattern, reduced to the size of the block.
func TestTheStepIsXorWithinRotatedBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		m := 2 + rng.Uint64N(3000)&^1
		r := keyedRelocation(m, rng.Uint64())
		fp := 1 + rng.Uint64N(1<<16)
		h := r.hash(fp)
		offset := h.offset
		require.Less(t, offset, m)
		require.EqualValues(t, 1, h.pattern&1)
		for first := uint64(0); first < m; {
			size := uint64(1) << (bits.Len64(m-first) - 1)
			for x := first; x < first+size; x++ {
				y := first + (x - first) ^ h.pattern%size
				i, j := (x+m-offset)%m, (y+m-offset)%m
				if r.other(i, h) != j {
					t.Fatalf("bucket %d of %d, fingerprint %d: %d, not %d", i, m, fp, r.other(i, h), j)
				}
			}
			first += size
		}
	}
}

// The offsets of all fingerprints of 8 bits, and the patterns in the largest
// block, over many families: as spread as random numbers, and so are the
// differences of neighbors. Those of one multiplication are an arithmetic
// progression, whose differences are few. Offset and pattern of a fingerprint
// are unrelated too.
//
// Pearson's statistic of 64 cells is below 63 + 2 sqrt(63*27) + 54 with
// probability 1 - 2e-12 (Laurent and Massart, Annals of Statistics 28, 2000);
// there are 800 of them. Of 255 random numbers below 2^19 more than five
// coincide with another with probability below (255^2/2^20)^6/6!, 8e-11.
func TestTheHashesOfAFamilyAreUnrelated(t *testing.T) {
	const m, half, cells, fingerprints = 1<<20 + 2, 1 << 19, 64, 255
	spread := func(cell func(fp uint64) uint64) bool {
		counts, statistic := [cells]int{}, 0.0
		for fp := uint64(1); fp <= fingerprints; fp++ {
			counts[cell(fp)]++
		}
		for _, c := range counts {
			mean := float64(fingerprints) / cells
			statistic += (float64(c) - mean) * (float64(c) - mean) / mean
		}
		return statistic < 63+83+54
	}
	irregular := func(n uint64, value func(fp uint64) uint64) bool {
		differences := map[uint64]bool{}
		for fp := uint64(1); fp <= fingerprints; fp++ {
			differences[(value(fp+1)-value(fp)+n)%n] = true
		}
		return len(differences) >= fingerprints-5
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		r, multiplier := keyedRelocation(m, rng.Uint64()), rng.Uint64()|1
		offset := func(fp uint64) uint64 { return r.hash(fp).offset }
		pattern := func(fp uint64) uint64 { return r.hash(fp).pattern >> 1 % half }
		require.True(t, spread(func(fp uint64) uint64 { return pattern(fp) % cells }))
		require.True(t, spread(func(fp uint64) uint64 { return offset(fp) * cells / m }))
		require.True(t, spread(func(fp uint64) uint64 { return pattern(fp) * cells / half }))
		require.True(t, spread(func(fp uint64) uint64 { return offset(fp)*8/m*8 + pattern(fp)*8/half }))
		require.True(t, irregular(m, offset))
		require.True(t, irregular(half, pattern))
		require.False(t, irregular(m, func(fp uint64) uint64 {
			hi, _ := bits.Mul64(fp*multiplier, m)
			return hi
		}))
	}
}

// Tabulated hashes are those that are computed; they take less than a 256th of
// the memory, and other tables have none.
func TestLargeTablesKeepTheHashesOfNarrowFingerprints(t *testing.T) {
	fam := hashfam.Family{}.Derive("hashes")
	for _, m := range []uint64{2, 4096, 1<<18 + 2, 1 << 20, 3 << 20} {
		for f := sizing.LeastFingerprintBits(m); f <= 12; f++ {
			for _, sorted := range []bool{false, true} {
				p := Params{m, f, sorted, fam}
				r := newRelocation(p)
				plain := keyedRelocation(m, r.key)
				require.LessOrEqual(t, 256*16*uint64(len(r.hashes)), p.bytes())
				if f > 10 || m <= 1<<18 {
					require.Empty(t, r.hashes)
				} else if m > 1<<20 {
					require.Len(t, r.hashes, 1<<f)
				}
				for fp := range uint64(1) << f {
					require.Equal(t, plain.hash(fp), r.hash(fp))
				}
			}
		}
	}
}

func TestFamiliesPairBucketsDifferently(t *testing.T) {
	p := Params{Buckets: 1<<20 + 2}
	a := newRelocation(p)
	p.Family = p.Family.Derive("another")
	b := newRelocation(p)
	offsets, partners := 0, 0
	for fp := uint64(1); fp < 1000; fp++ {
		if a.hash(fp).offset == b.hash(fp).offset {
			offsets++
		}
		if a.other(fp, a.hash(fp)) == b.other(fp, b.hash(fp)) {
			partners++
		}
	}
	require.Less(t, offsets, 10) // 0.001 expected
	require.Less(t, partners, 10)
}
