package cuckoo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

// All n keys go in, whichever family hashes them. The promise is that a family
// fails with probability below 1e-6; for the sizes here the simulation below
// shows far less. Families are fixed, so a result is the same in every run.
func TestCapacityIsReached(t *testing.T) {
	long := conformance.Long(t, 10, 0.1)
	for _, n := range []uint64{
		1, 7, 8, 9, 10, 33, 100, 1000, 1030, 10_000, 65_537, 100_000, 1_000_000, 1_050_000, 1_500_000, 10_000_000,
	} {
		for _, rate := range []float64{0.4, 0.03, 0.01, 0.001, 0.0001, 1e-6} {
			for _, sorted := range []bool{false, true} {
				families, usual := 10, rate == 0.01 && !sorted
				if n <= 100_000 {
					families = 100
				}
				if !long && (n > 100_000 || n > 10_000 && !usual) || testing.Short() && n > 1030 {
					continue
				}
				p := plan(t, Config{Capacity: n, FPRate: rate, Compact: sorted})
				for i := range families {
					p.Family = hashfam.Family{}.Derive(fmt.Sprint("capacity ", i))
					fillAndFind(t, p, n)
				}
			}
		}
	}
}

// plan returns the parameters for c, which meet it.
func plan(t *testing.T, c Config) Params {
	p, err := c.Params()
	require.NoError(t, err)
	require.NoError(t, p.check(ErrParams))
	require.GreaterOrEqual(t, p.Capacity(), c.Capacity)
	require.LessOrEqual(t, p.RateAt(c.Capacity), c.FPRate)
	return p
}

// fillAndFind adds n keys to a filter and looks each up.
func fillAndFind(t *testing.T, p Params, n uint64) {
	f := mustNew(t, p)
	for k := range n {
		if err := f.AddDigest(p.Family.SumUint64(k)); err != nil {
			t.Fatalf("%v: %v after %d of %d keys", f, err, k, n)
		}
	}
	for k := range n {
		if !f.ContainsDigest(p.Family.SumUint64(k)) {
			t.Fatalf("%v lost key %d", f, k)
		}
	}
}

func TestBitsPerKeyOfLargeTables(t *testing.T) {
	for _, n := range []uint64{100_000, 1_000_000, 1_050_000, 1_500_000, 10_000_000, 1e9, 123_456_789_012} {
		if n > 1e8 && sizing.MaxBits < 1<<40 {
			continue // more than such a machine can address
		}
		for rate, f := range map[float64]int{0.03: 8, 0.01: 10, 0.001: 13, 0.0001: 17, 1e-6: 23} {
			for _, sorted := range []bool{false, true} {
				p, err := Config{Capacity: n, FPRate: rate, Compact: sorted}.Params()
				require.NoError(t, err)
				want := float64(f)
				if sorted {
					want--
				}
				if n > 1e10 && rate >= 0.01 { // that many keys need wider fingerprints
					continue
				}
				require.Equal(t, f, p.FingerprintBits, "n = %d, rate %g", n, rate)
				bits := 8 * float64(p.bytes()) / float64(n)
				require.LessOrEqual(t, bits, want/0.97*1.001, "n = %d, rate %g", n, rate)
			}
		}
	}
}

// The simulation behind the sizing rule: how many keys of random digests go in
// before the first fails, over many families. FILTERFAM_LONG=1 runs as many
// trials as docs/theory.md quotes; -v prints the quantiles.
//
// A trial ends at or below the advertised capacity with probability below 1e-6.
// More than mostOf(that) trials of a row do so with probability below 1e-9.
func TestSimulatedLoadsAreAboveTheRule(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	work := 20_000
	if conformance.Long(t, 50, 0.1) {
		work = 4_000_000
	}
	for _, m := range []uint64{4, 6, 8, 10, 14, 16, 24, 30, 32, 62, 64, 126, 128, 254, 256, 1022, 1024, 4096, 16384} {
		for _, f := range []int{4, 5, 6, 8, 12, 32} {
			p := Params{Buckets: m, FingerprintBits: f}
			if p.check(ErrParams) != nil {
				continue
			}
			t.Run(fmt.Sprintf("m=%d/f=%d", m, f), func(t *testing.T) {
				t.Parallel()
				loads := simulate(t, p, max(10, work/int(m)))
				s, capacity := float64(p.slots()), int(p.Capacity())
				line := fmt.Sprintf("m = %5d, f = %2d: %7d trials, mean %.4f, deviation %.3f sqrt(slots), planned %.3f, least %.4f",
					m, f, len(loads), mean(loads)/s, deviation(loads)/math.Sqrt(s), float64(capacity)/s, float64(loads[0])/s)
				for _, q := range []float64{1e-5, 1e-4, 1e-3, 1e-2} {
					if k := int(q * float64(len(loads))); k > 0 {
						line += fmt.Sprintf(", %g: %.4f", q, float64(loads[k])/s)
					}
				}
				t.Log(line)
				early, _ := slices.BinarySearch(loads, capacity)
				require.LessOrEqual(t, early, mostOf(1e-6*float64(len(loads))))
			})
		}
	}
}

// mostOf returns the least k that a Poisson variable of this mean exceeds with
// probability below 1e-9.
func mostOf(mean float64) int {
	k, term, above := 0, math.Exp(-mean), -math.Expm1(-mean)
	for ; above > 1e-9; above -= term {
		k++
		term *= mean / float64(k)
	}
	return k
}

// simulate returns, in ascending order, after how many random digests tables of
// as many families were full.
func simulate(t *testing.T, p Params, trials int) []int {
	f, loads := mustNew(t, p), make([]int, trials)
	r := rand.New(rand.NewPCG(p.Buckets, uint64(p.FingerprintBits)))
	for i := range loads {
		f.Reset()
		f.moves.key = r.Uint64()
		for f.AddDigest(hashfam.Digest(r.Uint64())) == nil {
			loads[i]++
		}
	}
	slices.Sort(loads)
	return loads
}

func mean(values []int) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}

func deviation(values []int) float64 {
	m, squares := mean(values), 0.0
	for _, v := range values {
		squares += (float64(v) - m) * (float64(v) - m)
	}
	return math.Sqrt(squares / float64(len(values)))
}
