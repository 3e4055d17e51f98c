package cuckoo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A chain is the other form of a filter that grows: a plain filter for Expected
// keys, one for twice as many, and so on, with rates whose sum is FPRate. It
// cannot delete: a key may be found in a filter that it is not in.
type chain struct {
	config   ScalableConfig
	filters  []*Filter
	capacity uint64 // of the newest filter
}

func (c *chain) AddDigest(d hashfam.Digest) error {
	if n := len(c.filters); n == 0 || c.filters[n-1].Len() >= c.capacity || c.filters[n-1].AddDigest(d) != nil {
		rate := c.config.FPRate / 2
		if n > 0 {
			rate = 0.15 * c.config.FPRate * math.Pow(0.7, float64(n-1))
		}
		c.capacity = c.config.Expected << n
		f, err := New(Config{Capacity: c.capacity, FPRate: rate, Compact: c.config.Compact})
		if err != nil {
			return err
		}
		c.filters = append(c.filters, f)
		return f.AddDigest(d)
	}
	return nil
}

func (c *chain) ContainsDigest(d hashfam.Digest) bool {
	for n := len(c.filters) - 1; n >= 0; n-- {
		if c.filters[n].ContainsDigest(d) {
			return true
		}
	}
	return false
}

func (c *chain) SizeBytes() (n uint64) {
	for _, f := range c.filters {
		n += f.SizeBytes()
	}
	return n
}

type rival interface {
	AddDigest(hashfam.Digest) error
	ContainsDigest(hashfam.Digest) bool
	SizeBytes() uint64
}

// BenchmarkScalableAndAChain prints, for both forms, plain and compact, the
// bits per key at multiples of Expected, the rate, and the time of hits, misses
// and Adds for digests: the lower quartile of slices of 2,000 calls, so that
// other work on the machine counts little. The last line of each has the mean
// of the bits over the logarithm of the number of keys. Run it with
// -benchtime=1x; with -short it ends at a million keys.
func BenchmarkScalableAndAChain(b *testing.B) {
	for b.Loop() {
		for _, expected := range []uint64{10_000, 100_000} {
			for _, sorted := range []bool{false, true} {
				c := ScalableConfig{Expected: expected, FPRate: 0.01, Compact: sorted}
				s, err := NewScalable(c)
				require.NoError(b, err)
				fmt.Printf("pages, %v\n", c)
				grow(b, s, c)
				fmt.Printf("chain, %v\n", c)
				grow(b, &chain{config: c}, c)
			}
		}
	}
}

func grow(b *testing.B, f rival, c ScalableConfig) {
	r, again, n := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2)), uint64(0)
	var bits, samples float64
	next, most := float64(c.Expected), uint64(10_000_000)
	if testing.Short() {
		most = 1_000_000
	}
	for _, x := range []uint64{1, 3, 10, 30, 100, 300} {
		if x*c.Expected > most {
			break
		}
		var digests [2000]hashfam.Digest
		add := quartile(int(x*c.Expected-n)/len(digests), func() {
			draw(r, &digests)
		}, func() {
			for _, d := range digests {
				require.NoError(b, f.AddDigest(d))
			}
			if n += uint64(len(digests)); float64(n) >= next {
				bits, samples, next = bits+8*float64(f.SizeBytes())/float64(n), samples+1, next*1.1
			}
		})
		found := 0
		look := func() {
			for _, d := range digests {
				if f.ContainsDigest(d) {
					found++
				}
			}
		}
		*again = *rand.New(rand.NewPCG(1, 2))
		hit := quartile(min(100, int(n)/len(digests)), func() { draw(again, &digests) }, look)
		found = 0
		miss := quartile(100, func() { draw(r, &digests) }, look)
		fmt.Printf("%4dx: %5.2f bits, rate %.4f, add %3.0f hit %3.0f miss %3.0f ns\n", x,
			8*float64(f.SizeBytes())/float64(n), float64(found)/200_000, add, hit, miss)
	}
	fmt.Printf("mean %.1f bits\n", bits/samples)
}

func draw(r *rand.Rand, digests *[2000]hashfam.Digest) {
	for k := range digests {
		digests[k] = hashfam.Digest(r.Uint64())
	}
}

// quartile returns the lower quartile of the times of the slices, in
// nanoseconds per call.
func quartile(slices int, prepare, run func()) float64 {
	times := make([]float64, slices)
	for k := range times {
		prepare()
		start := time.Now()
		run()
		times[k] = float64(time.Since(start).Nanoseconds()) / 2000
	}
	sort.Float64s(times)
	return times[len(times)/4]
}

// BenchmarkSplit times the split of a full page of 4,096 slots.
func BenchmarkSplit(b *testing.B) {
	for _, sorted := range []bool{false, true} {
		b.Run(fmt.Sprintf("Compact=%v", sorted), func(b *testing.B) {
			s := mustScale(b, ScalableConfig{Expected: 100_000, FPRate: 0.01, Compact: sorted})
			for r := rand.New(rand.NewPCG(1, 2)); s.plots[0].pages[0].taken < s.most(); {
				require.NoError(b, s.AddDigest(hashfam.Digest(r.Uint64())))
			}
			least := time.Hour
			for b.Loop() {
				start := time.Now()
				s.split(s.plots[0].pages[0], nil)
				least = min(least, time.Since(start))
			}
			b.ReportMetric(float64(least.Microseconds()), "least-us")
		})
	}
}
