package table

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A filter is a table with Partners, as in package cuckoo.
type filter struct {
	Shape
	table    Table
	partners Partners
}

func newFilter(s Shape, key uint64) *filter {
	return &filter{s, New(s, make([]byte, s.Bytes())), NewPartners(s, key)}
}

func (f *filter) locate(d hashfam.Digest) (i, j, fp uint64) {
	fp, rest := bits.Mul64(uint64(d.Probe()), f.table.Mask)
	fp++
	i, j = f.partners.Pair(hashfam.Reduce(rest, f.Buckets), f.partners.Hash(fp))
	return i, j, fp
}

func (f *filter) add(d hashfam.Digest) bool {
	i, j, fp := f.locate(d)
	return f.table.Put(i, j, fp) || f.table.Evict(&f.partners, i, j, fp, Far)
}

func (f *filter) has(d hashfam.Digest) bool { return f.table.Has(f.locate(d)) }

func (f *filter) slots() uint64 { return Slots * f.Buckets }

func (f *filter) equal(g *filter) bool { return slices.Equal(f.table.Bytes, g.table.Bytes) }

// capacity returns the number of keys that a table with this shape is planned
// for.
func capacity(s Shape) int { return int(sizing.CuckooCapacity(s.Buckets, s.Bits)) }

// This simulation is the basis for the sizing rule. Using many families, it
// adds random digests until a key cannot be added. With FILTERFAM_LONG=1, some
// rows must be those in docs/theory.md; -v prints all of them.
//
// A trial should fail at or below the advertised capacity with probability
// below 1e-6, and more than mostOf trials will with probability below 1e-9. The
// mean load is above 0.945, or 0.955 with more than four bits, which a search
// that stops too early does not reach. A measured mean that is six standard
// errors lower has a probability below 1e-8.
func TestSimulatedLoadsAreAboveCapacity(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	work, largest := 3000, uint64(4096)
	long := checks.Long(t, 50, 0.1)
	if long {
		work, largest = 4_000_000, 16384
	}
	for _, m := range []uint64{4, 6, 8, 10, 14, 16, 24, 30, 32, 62, 64, 126, 128, 254, 256, 1022, 1024, 4096, 16384} {
		for _, f := range []int{4, 5, 6, 8, 12, 32} {
			if m > largest || f < sizing.LeastFingerprintBits(m) {
				continue
			}
			t.Run(fmt.Sprintf("m=%d/f=%d", m, f), func(t *testing.T) {
				t.Parallel()
				shape := Shape{Buckets: m, Bits: f}
				loads := simulate(shape, max(5, work/int(m)))
				s, planned := float64(Slots*m), float64(capacity(shape))
				mean, deviation := moments(loads)
				line := fmt.Sprintf("m = %5d, f = %2d: %7d trials, mean %.4f, deviation %.3f sqrt(slots), planned %.3f, least %.4f",
					m, f, len(loads), mean/s, deviation/math.Sqrt(s), planned/s, loads[0]/s)
				row := ""
				for _, q := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
					cell := ""
					if k := int(q * float64(len(loads))); k > 0 {
						cell = fmt.Sprintf("%.4f", loads[k]/s)
						line += fmt.Sprintf(", %g: %s", q, cell)
					}
					if q < 1e-2 {
						row += cell + " | "
					}
				}
				t.Log(line)
				if name := documented[m]; long && f == 12 && name != "" {
					checks.Documented(t, "theory.md", "| %s | %.4f | %s%.3f |", name, mean/s, row, planned/s)
				}
				stderr := deviation / math.Sqrt(float64(len(loads)))
				require.Greater(t, (mean+6*stderr)/s, map[bool]float64{true: 0.945, false: 0.955}[f == 4])
				early, _ := slices.BinarySearch(loads, planned)
				require.LessOrEqual(t, early, mostOf(1e-6*float64(len(loads))))
			})
		}
	}
}

// documented contains the numbers of buckets in the table in docs/theory.md.
var documented = map[uint64]string{8: "8", 32: "32", 126: "126", 1024: "1,024", 4096: "4,096"}

// mostOf returns the smallest k that a Poisson variable with this mean exceeds
// with probability below 1e-9.
func mostOf(mean float64) int {
	k, term, above := 0, math.Exp(-mean), -math.Expm1(-mean)
	for ; above > 1e-9; above -= term {
		k++
		term *= mean / float64(k)
	}
	return k
}

// simulate returns the number of random digests that fit in each table, in
// ascending order.
func simulate(s Shape, trials int) []float64 {
	loads := make([]float64, trials)
	r := rand.New(rand.NewPCG(s.Buckets, uint64(s.Bits)))
	for i := range loads {
		f := newFilter(s, r.Uint64())
		for f.add(hashfam.Digest(r.Uint64())) {
			loads[i]++
		}
	}
	slices.Sort(loads)
	return loads
}

// moments returns the mean and the standard deviation.
func moments(values []float64) (mean, deviation float64) {
	n, squares := float64(len(values)), 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / n)
}

// If nine keys have the same pair of buckets, they do not fit. For each family,
// this probability can be computed: when t of the 2^f-1 fingerprints connect a
// pair, a key has this pair with probability 2t/(m(2^f-1)). Capacity is derived
// from a bound for the mean over all families, which package sizing should
// exceed by no more than 5%. The measured mean is more than seven standard
// deviations off with probability below 1e-6, even if the distribution is far
// from normal.
func TestCrowdedPairsMatchTheirBound(t *testing.T) {
	machine.Matters(t)
	work := 1 << 18
	if checks.Long(t, 15, 0.1) {
		work = 1 << 27
	}
	for _, m := range []uint64{2, 4, 6, 14, 16, 18, 30, 32, 34, 62, 64, 66, 126, 128, 130, 254, 682, 1022, 1026, 4094, 4098} {
		for _, f := range []int{4, 5, 6, 8, 10} {
			fingerprints := uint64(1)<<f - 1
			families := work / int(m*fingerprints)
			if families < 30 {
				continue
			}
			rng, chances := rand.New(rand.NewPCG(m, uint64(f))), make([]float64, families)
			for i := range chances {
				partners := of(m, rng.Uint64())
				for ties, pairs := range tiedPairs(&partners, fingerprints) {
					chances[i] += float64(pairs) * math.Pow(2*float64(ties)/float64(m*fingerprints), 9)
				}
			}
			mean, deviation := moments(chances)
			stderr, bound := deviation/math.Sqrt(float64(families)), sizing.CrowdedPairs(m, f, 9)
			t.Logf("m = %4d, f = %2d: %d families, bound %.4g, measured/bound %.3f +- %.3f", m, f, families, bound, mean/bound, stderr/bound)
			require.LessOrEqual(t, mean, bound*(1+1e-9)+7*stderr, "m = %d, f = %d", m, f)
			require.GreaterOrEqual(t, mean, bound/1.05-7*stderr, "m = %d, f = %d", m, f)
		}
	}
}

// tiedPairs returns the number of pairs of buckets that are connected by each
// number of fingerprints.
func tiedPairs(p *Partners, fingerprints uint64) []int {
	pairs, ties := make([]int, fingerprints+1), make([]int, p.buckets)
	for i := range p.buckets {
		clear(ties)
		for fp := uint64(1); fp <= fingerprints; fp++ {
			ties[p.Other(i, p.Hash(fp))]++
		}
		for _, n := range ties[i+1:] {
			pairs[n]++
		}
	}
	return pairs
}
