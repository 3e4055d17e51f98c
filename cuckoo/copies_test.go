package cuckoo

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// Copies of a key lie in its two buckets only. Eight fill both, and they cannot
// move: a fresh key is refused if both of its buckets are filled like that.
//
// Of 100,000 fresh keys a binomial number is refused; with the share of buckets
// that are filled, which varies less, the measured share is 0.16 % off for the
// first line, and 1 % for the second, with probability below 1e-9.
func TestEightCopiesOfSomeKeysKeepOthersOut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	for _, c := range []struct {
		keys           int
		refused, delta float64
	}{{1000, 0.0055, 0.0016}, {4000, 0.072, 0.01}} {
		p, err := Config{Capacity: 100_000, FPRate: 0.01}.Params()
		require.NoError(t, err)
		p.Family = hashfam.Family{}.Derive("copies")
		f, r := mustNew(t, p), rand.New(rand.NewPCG(1, 2))
		for range c.keys {
			for d := hashfam.Digest(r.Uint64()); f.AddDigest(d) == nil; {
			}
		}
		const fresh = 100_000
		refused := 0
		for range fresh {
			if d := hashfam.Digest(r.Uint64()); f.AddDigest(d) != nil {
				refused++
			} else {
				f.DeleteDigest(d)
			}
		}
		share := float64(refused) / fresh
		t.Logf("%d keys in eight copies, %.1f %% full: %.2f %% of fresh keys are refused", c.keys, 100*f.FillRatio(), 100*share)
		require.InDelta(t, c.refused, share, c.delta)
	}
}

// The fewer copies there are of each key, the more of Capacity can be used. The
// medians of 51 families vary by less than 0.007: they are more than 0.05 off
// with probability below 1e-11.
func TestCopiesOfEveryKeyLowerTheCapacity(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	c := Config{Capacity: 100_000, FPRate: 0.01}
	p, err := c.Params()
	require.NoError(t, err)
	for copies, want := range map[int]float64{1: 1.008, 2: 0.90, 3: 0.64, 4: 0.374, 8: 0.007} {
		var shares []float64
		r := rand.New(rand.NewPCG(3, uint64(copies)))
		for k := range 51 {
			p.Family = hashfam.Family{}.Derive(fmt.Sprint("copies ", k))
			f := mustNew(t, p)
			for err := error(nil); err == nil; {
				d := hashfam.Digest(r.Uint64())
				for range copies {
					if err == nil {
						err = f.AddDigest(d)
					}
				}
			}
			shares = append(shares, float64(f.Len())/float64(c.Capacity))
		}
		t.Logf("copies of every key: %d; the first Add is refused at %.1f %% of Capacity", copies, 100*median(shares))
		require.InDelta(t, want, median(shares), 0.05, "%d copies", copies)
	}
}

// BenchmarkFailedAdd times those Adds that fail, once a filter is full.
func BenchmarkFailedAdd(b *testing.B) {
	for _, n := range []uint64{100_000, 1_000_000, 10_000_000} {
		for _, sorted := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/Compact=%v", n, sorted), func(b *testing.B) {
				f, err := New(Config{Capacity: n, FPRate: 0.01, Compact: sorted})
				require.NoError(b, err)
				r := rand.New(rand.NewPCG(1, n))
				failed, took := 0, time.Duration(0)
				for failed < b.N {
					start := time.Now()
					if f.AddDigest(hashfam.Digest(r.Uint64())) != nil {
						took += time.Since(start)
						failed++
					}
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(failed), "ns/op")
			})
		}
	}
}
