package counting

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/sizing"
)

func TestTheLargestParametersAreValid(t *testing.T) {
	for _, p := range []Params{
		{Counters: 1, Hashes: 1},
		{Counters: maxCounters, Hashes: sizing.MaxHashes},
		{Counters: maxCounters / blockCounters * blockCounters, Hashes: sizing.MaxHashes, Layout: Blocked},
	} {
		require.NoError(t, p.check(ErrParams))
	}
}

// The largest capacity takes all counters, 2^46 on 64-bit platforms, in steps
// of 8. The error of the next one, and that of none, say what is allowed.
func TestTheLargestCapacityFillsTheLargestArray(t *testing.T) {
	at := func(n uint64) (Params, error) { return Config{Capacity: n, FPRate: 0.9}.Params() }
	fits, most := Params{}, uint64(0)
	for step := uint64(1) << 50; step > 0; step /= 2 {
		if p, err := at(most + step); err == nil {
			fits, most = p, most+step
		}
	}
	require.Equal(t, uint64(maxCounters/8*8), fits.Counters)
	_, err := at(most + 1)
	want := fmt.Sprintf("want a capacity that fits in %d counters at FPRate 0.9", uint64(maxCounters))
	require.ErrorContains(t, err, want)
	_, err = at(1 << 60)
	require.ErrorContains(t, err, want)
	_, err = at(0)
	require.EqualError(t, err, "counting: invalid parameters: Config.Capacity = 0, want at least 1")
}

// The error of a damaged filter shows the counters beyond the last, here the
// five of 1,003 counters in 63 words.
func TestTheErrorShowsTheCountersBeyondTheLast(t *testing.T) {
	f := mustNew(t, Params{Counters: 1003, Hashes: 7})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	b[len(b)-9] = 0x70 // the last counter of the last word
	conformance.Reseal(b)
	require.ErrorContains(t, f.UnmarshalBinary(b), "counters beyond the last = 0x70000, want 0")
}

// A batch takes a lock once for a group of keys: all of a group have that lock,
// and the keys of the next group have another.
func TestGroupsOfABatchHaveOneLock(t *testing.T) {
	rng := rand.New(rand.NewPCG(60, 61))
	for _, blocks := range []uint64{1, 2, 3, 64, 1000} {
		c, err := NewConcurrentFrom(mustNew(t, Params{Counters: blocks * blockCounters, Hashes: 7, Layout: Blocked}))
		require.NoError(t, err)
		digests := make([]hashfam.Digest, batch.Size)
		for i := range digests {
			digests[i] = hashfam.Digest(rng.Uint64())
		}
		var room batch.Buffer
		sorted := c.byStripe(room[:], digests)
		require.ElementsMatch(t, digests, sorted)
		for last := -1; len(sorted) > 0; {
			stripe, n := c.sameStripe(sorted)
			require.Greater(t, stripe, last)
			for _, d := range sorted[:n] {
				require.Equal(t, stripe, c.stripeOf(d))
			}
			last, sorted = stripe, sorted[n:]
		}
	}
}
