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
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A filter is a table with the partners of some family, as package cuckoo has
// it.
type filter struct {
	Shape
	table    Table
	partners Partners
}

func newFilter(s Shape, key uint64) *filter {
	return &filter{s, New(s, make([]byte, s.Bytes())), NewPartners(s, key)}
}

func (f *filter) locate(d hashfam.Digest) (i, j, fp uint64) {
	fp, rest := bits.Mul64(uint64(d.Probe()), f.table.Mask())
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

func (f *filter) equal(g *filter) bool { return slices.Equal(f.table.bytes, g.table.bytes) }

// capacity returns how many keys package sizing plans a table of a shape for.
func capacity(s Shape) int { return int(sizing.CuckooCapacity(s.Buckets, s.Bits)) }

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
			if f < sizing.LeastFingerprintBits(m) {
				continue
			}
			t.Run(fmt.Sprintf("m=%d/f=%d", m, f), func(t *testing.T) {
				t.Parallel()
				shape := Shape{Buckets: m, Bits: f}
				loads := simulate(shape, max(10, work/int(m)))
				s, planned := float64(Slots*m), capacity(shape)
				line := fmt.Sprintf("m = %5d, f = %2d: %7d trials, mean %.4f, deviation %.3f sqrt(slots), planned %.3f, least %.4f",
					m, f, len(loads), mean(loads)/s, deviation(loads)/math.Sqrt(s), float64(planned)/s, float64(loads[0])/s)
				for _, q := range []float64{1e-5, 1e-4, 1e-3, 1e-2} {
					if k := int(q * float64(len(loads))); k > 0 {
						line += fmt.Sprintf(", %g: %.4f", q, float64(loads[k])/s)
					}
				}
				t.Log(line)
				early, _ := slices.BinarySearch(loads, planned)
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
func simulate(s Shape, trials int) []int {
	loads := make([]int, trials)
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
