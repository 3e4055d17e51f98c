package counting

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A model is a simple filter: an array of saturating counters. It computes the
// positions of keys, but does not pack counters into words.
type model []uint64

// positions returns how often each counter is used by a key.
func positions(params Params, d hashfam.Digest) map[uint64]uint64 {
	times, p := map[uint64]uint64{}, d.Probe()
	base, size := uint64(0), params.Counters
	if params.Layout == Blocked {
		base, size = 512*hashfam.Reduce(uint64(p), params.Counters/512), 512
		p = p.Next()
	}
	for range params.Hashes {
		times[base+hashfam.Reduce(uint64(p), size)]++
		p = p.Next()
	}
	return times
}

func (m model) add(positions map[uint64]uint64) {
	for i, times := range positions {
		m[i] = min(stuck, m[i]+times)
	}
}

// delete removes a copy of a key if the counters are large enough.
func (m model) delete(positions map[uint64]uint64) bool {
	for i, times := range positions {
		if m[i] < min(times, stuck) {
			return false
		}
	}
	for i, times := range positions {
		if m[i] < stuck {
			m[i] -= times
		}
	}
	return true
}

// check compares every counter of f with the model's.
func (m model) check(t require.TestingT, f *Filter) {
	inUse, full := 0, uint64(0)
	for i, c := range m {
		require.Equal(t, c, f.counters.At(uint64(i)), "counter %d", i)
		if c > 0 {
			inUse++
		}
		full += c / stuck
	}
	require.Equal(t, full, f.Stuck())
	require.Equal(t, float64(inUse)/float64(len(m)), f.FillRatio())
}

// After any sequence of adds, deletes and merges, every counter should equal
// the model's counter.
func TestAFilterIsASaturatingMultiset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, hashfam.Family{})
		f, m := mustNew(t, p), make(model, p.Counters)
		for range rapid.IntRange(0, 40).Draw(t, "operations") {
			d := p.Family.SumUint64(rapid.Uint64Range(0, 30).Draw(t, "key"))
			at, least := positions(p, d), uint64(stuck)
			switch rapid.SampledFrom([]string{"add", "add", "delete", "merge"}).Draw(t, "operation") {
			case "add":
				for range rapid.IntRange(1, 17).Draw(t, "copies") {
					f.AddDigest(d)
					m.add(at)
				}
			case "delete":
				require.Equal(t, m.delete(at), f.DeleteDigest(d))
			case "merge":
				require.NoError(t, f.Merge(f))
				for i, c := range m {
					m[i] = min(stuck, 2*c)
				}
			}
			m.check(t, f)
			for i := range at {
				least = min(least, m[i])
			}
			require.Equal(t, least, f.CountDigest(d))
			require.Equal(t, least > 0, f.ContainsDigest(d))
			if p.Layout == Classic { // ContainsDigest calls hasFar only in large filters
				require.Equal(t, least > 0, hasFar(f.counters, p.Counters, p.Hashes, d))
			}
		}
	})
}
