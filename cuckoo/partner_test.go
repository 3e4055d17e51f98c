package cuckoo

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// step checks one relocation: it stays in the table, leaves the bucket, changes
// its parity, and undoes itself.
func step(r *relocation, i, fp uint64) bool {
	j := r.other(i, fp)
	return j < r.buckets && (i^j)&1 == 1 && r.other(j, fp) == i
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
			r := relocation{2 + rng.Uint64()>>(20+rng.IntN(43))&^1, rng.Uint64()}
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
			r := relocation{2 + rng.Uint64()>>(17+rng.IntN(46))&^1, rng.Uint64()}
			fp := 1 + rng.Uint64()>>(32+rng.IntN(28))%(1<<32-1)
			for _, i := range []uint64{0, 1, r.buckets - 1, rng.Uint64N(r.buckets)} {
				if !step(&r, i, fp) {
					t.Fatalf("bucket %d of %d, fingerprint %d", i, r.buckets, fp)
				}
			}
		}
	})
}

// The sums of all fingerprints of 8 bits, over many families: as spread as
// random numbers, and so are the differences of neighbours. The sums of one
// multiplication are an arithmetic progression, whose differences are few.
//
// Pearson's statistic of 64 cells is below 63 + 2 sqrt(63*27) + 54 with
// probability 1 - 2e-12 (Laurent and Massart, Annals of Statistics 28, 2000);
// there are 200 of them, and four bounds on numbers of distinct differences.
func TestTheSumsOfAFamilyAreUnrelated(t *testing.T) {
	const m, cells, fingerprints, limit = 1 << 20, 64, 255, 63 + 83 + 54
	progression := func(key uint64) func(uint64) uint64 {
		return func(fp uint64) uint64 {
			hi, _ := bits.Mul64(fp*key, m)
			return hi | 1
		}
	}
	even := func(sum func(uint64) uint64) bool {
		counts, differences := [cells]int{}, map[uint64]bool{}
		for fp := uint64(1); fp <= fingerprints; fp++ {
			counts[sum(fp)*cells/m]++
			differences[(sum(fp+1)-sum(fp))%m] = true
		}
		statistic := 0.0
		for _, c := range counts {
			mean := float64(fingerprints) / cells
			statistic += (float64(c) - mean) * (float64(c) - mean) / mean
		}
		// 255 of 2^19 odd numbers: more than four coincide with
		// probability below (255^2/2^20)^5/5!, 1e-8.
		return statistic < limit && len(differences) > fingerprints-4
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		r := relocation{m, rng.Uint64()}
		require.True(t, even(r.sum))
		require.False(t, even(progression(rng.Uint64()|1)))
	}
}

func TestFamiliesPairBucketsDifferently(t *testing.T) {
	same := 0
	a := newRelocation(Params{Buckets: 1 << 20})
	p := Params{Buckets: 1 << 20}
	p.Family = p.Family.Derive("another")
	b := newRelocation(p)
	for fp := uint64(1); fp < 1000; fp++ {
		if a.sum(fp) == b.sum(fp) {
			same++
		}
	}
	require.Less(t, same, 10) // 0.002 expected
}
