package countmin

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// BenchmarkSketch measures Add and Count, one by one and in batches. For ratios
// to other libraries see internal/compare.
func BenchmarkSketch(b *testing.B) {
	for name, conservative := range map[string]bool{"plain": false, "conservative": true} {
		b.Run(name, func(b *testing.B) {
			sketches(false).Benchmark(b, func(n uint64) (*Sketch, error) {
				return New(Config{Epsilon: 1 / float64(n), Delta: 0.01, Conservative: conservative})
			})
		})
	}
}

// BenchmarkShort divides the time of batches of a few keys by that of single
// calls.
func BenchmarkShort(b *testing.B) {
	s, err := New(Config{Epsilon: 1e-4, Delta: 0.01})
	require.NoError(b, err)
	b.Run("Add", func(b *testing.B) {
		conformance.Short(b, func(keys [][]byte) {
			for _, key := range keys {
				s.Add(key)
			}
		}, s.AddAll)
	})
	b.Run("Count", func(b *testing.B) {
		var dst []uint64
		conformance.Short(b, func(keys [][]byte) {
			dst = dst[:0]
			for _, key := range keys {
				dst = append(dst, s.Count(key))
			}
		}, func(keys [][]byte) { dst = s.CountAll(dst[:0], keys) })
	})
}

// BenchmarkShortHeavy is BenchmarkShort for heavy hitters.
func BenchmarkShortHeavy(b *testing.B) {
	h, err := NewHeavyHitters(HeavyConfig{Phi: 0.01})
	require.NoError(b, err)
	b.Run("Add", func(b *testing.B) {
		conformance.Short(b, func(keys [][]byte) {
			for _, key := range keys {
				h.Add(key)
			}
		}, h.AddAll)
	})
	b.Run("Estimate", func(b *testing.B) {
		var dst []Estimate
		conformance.Short(b, func(keys [][]byte) {
			dst = dst[:0]
			for _, key := range keys {
				dst = append(dst, h.Estimate(key))
			}
		}, func(keys [][]byte) { dst = h.EstimateAll(dst[:0], keys) })
	})
}

// BenchmarkHeavyAgainstSketch divides the time of HeavyHitters.AddAll by that
// of Sketch.AddAll, plain and conservative, on the same keys: keys drawn from a
// Zipf distribution, and keys that are all different.
func BenchmarkHeavyAgainstSketch(b *testing.B) {
	const n, size = 1 << 20, 1024
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 1, 1<<20)
	draws := map[string]func(i int) uint64{
		"zipf":     func(int) uint64 { return zipf.Uint64() },
		"distinct": func(i int) uint64 { return uint64(i) },
	}
	for name, draw := range draws {
		keys := make([][]byte, n)
		for i := range keys {
			keys[i] = binary.LittleEndian.AppendUint64(make([]byte, 8, 16), draw(i)*0x9E3779B97F4A7C15)
		}
		for _, phi := range []float64{0.01, 0.001} {
			h, err := NewHeavyHitters(HeavyConfig{Phi: phi})
			require.NoError(b, err)
			at := 0
			add := func(addAll func([][]byte)) func(int) {
				return func(total int) {
					for ; total > 0; total -= size {
						addAll(keys[at:][:size])
						at = (at + size) % n
					}
				}
			}
			for _, conservative := range []bool{false, true} {
				s, err := New(Config{Epsilon: 1e-4, Delta: 0.01, Conservative: conservative})
				require.NoError(b, err)
				b.Run(fmt.Sprintf("%s/phi=%v/conservative=%v", name, phi, conservative), func(b *testing.B) {
					conformance.Ratio(b, add(s.AddAll), add(h.AddAll))
				})
			}
		}
	}
}
