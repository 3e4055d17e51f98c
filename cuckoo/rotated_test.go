package cuckoo

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A rotated relocation is the other way to have any even number of buckets,
// and the nearer one to the paper: XOR, in coordinates that each fingerprint
// rotates by an offset of its own.
//
//	x  = i - offset  mod buckets
//	x ^= pattern, odd and below the highest bit in which x and buckets differ
//	i' = x + offset  mod buckets
//
// Every number that agrees with x from that bit up is below buckets, and has
// the same highest difference, so the step undoes itself; the bit is never the
// lowest, since buckets is even, so the bucket changes. It is kept here because
// the choice between the two was made by measuring: tables fill alike, and the
// sum takes less time. Run BenchmarkRelocation to see the latter.
type rotated relocation

func (r *rotated) other(i, fp uint64) uint64 {
	z := (fp ^ r.key) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>32) * 0x94D049BB133111EB
	offset := hashfam.Reduce(z, r.buckets)
	x, borrow := bits.Sub64(i, offset, 0)
	x += r.buckets & -borrow
	below := uint64(1)<<(uint(bits.Len64(x^r.buckets)-1)&63) - 1
	x = x ^ (z|1)&below + offset
	x, borrow = bits.Sub64(x, r.buckets, 0)
	return x + r.buckets&-borrow
}

func TestRotatedXorUndoesItselfToo(t *testing.T) {
	largest := uint64(5000)
	if testing.Short() {
		largest = 1000
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for m := uint64(2); m <= largest; m += 2 {
		r := rotated{m, rng.Uint64()}
		for fp := uint64(1); fp < 1<<4; fp++ {
			for i := range m {
				if j := r.other(i, fp); j >= m || j == i || r.other(j, fp) != i {
					t.Fatalf("bucket %d of %d, fingerprint %d: %d", i, m, fp, j)
				}
			}
		}
	}
}

// firstFailure fills a table of counters with random keys until one finds no
// room along a path of moves, and returns how many went in.
func firstFailure(rng *rand.Rand, m uint64, other func(i, fp uint64) uint64) int {
	table := make([][]uint64, m)
	for n := 0; ; n++ {
		i, fp := rng.Uint64N(m), 1+rng.Uint64N(1<<12-1)
		type step struct {
			bucket uint64
			from   int // place in the queue of the bucket before, and
			slot   int // of the fingerprint that moves here
		}
		queue := []step{{i, -1, 0}, {other(i, fp), -1, 0}}
		last := -1
		for at := 0; at < len(queue) && len(queue) < 8000; at++ {
			b := queue[at].bucket
			if len(table[b]) < slots {
				last = at
				break
			}
			for s, moved := range table[b] {
				queue = append(queue, step{other(b, moved), at, s})
			}
		}
		if last < 0 {
			return n
		}
		for q := queue[last]; ; q = queue[q.from] {
			if q.from < 0 {
				table[q.bucket] = append(table[q.bucket], fp)
				break
			}
			from := queue[q.from].bucket
			table[q.bucket] = append(table[q.bucket], table[from][q.slot])
			table[from] = append(table[from][:q.slot], table[from][q.slot+1:]...)
		}
	}
}

// Both ways reach the same load. It varies from table to table by 0.22 over the
// root of the number of slots, 0.002 here; the means of ten tables each are
// more than 0.006 apart, seven of their standard deviations, by chance with
// probability below 1e-10.
func TestSumAndRotatedXorFillAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const m, tables = 3000, 10
	mean := func(way func(key uint64) func(i, fp uint64) uint64) float64 {
		rng, total := rand.New(rand.NewPCG(9, 10)), 0
		for range tables {
			total += firstFailure(rng, m, way(rng.Uint64()))
		}
		return float64(total) / (tables * m * slots)
	}
	sum := mean(func(key uint64) func(i, fp uint64) uint64 {
		r := relocation{m, key}
		return r.other
	})
	xor := mean(func(key uint64) func(i, fp uint64) uint64 {
		r := rotated{m, key}
		return r.other
	})
	t.Logf("mean load at the first failure: sum %.4f, rotated XOR %.4f", sum, xor)
	require.InDelta(t, sum, xor, 0.006)
	require.InDelta(t, 0.978, sum, 0.005)
}

// BenchmarkRelocation steps from bucket to bucket, each step waiting for the
// last, as along a path of moves.
func BenchmarkRelocation(b *testing.B) {
	const m = 1_288_660
	b.Run("sum", func(b *testing.B) {
		r, i := relocation{m, 1}, uint64(0)
		for n := uint64(1); b.Loop(); n++ {
			i = r.other(i, n&4095|1)
		}
	})
	b.Run("rotated XOR", func(b *testing.B) {
		r, i := rotated{m, 1}, uint64(0)
		for n := uint64(1); b.Loop(); n++ {
			i = r.other(i, n&4095|1)
		}
	})
}
