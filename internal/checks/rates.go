package checks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A Rated is a structure with a known false-positive rate.
type Rated struct {
	Contains func([]bool, []hashfam.Digest) []bool
	Rate     float64
}

// measure checks that s contains the digests of the numbers below n. It returns
// the fraction of absent keys that are found.
func (s Rated) measure(t *testing.T, fam hashfam.Family, n, queries uint64) float64 {
	t.Helper()
	found := func(first, n uint64) (sum uint64) {
		batches(fam, first, n, func(keys []hashfam.Digest) {
			for _, is := range s.Contains(nil, keys) {
				if is {
					sum++
				}
			}
		})
		return sum
	}
	require.Equal(t, n, found(0, n), "lost keys, family %v", fam)
	return float64(found(1<<63, queries)) / float64(queries)
}

// batches calls do with the digests of n numbers, up to 8192 at a time.
func batches(fam hashfam.Family, first, n uint64, do func([]hashfam.Digest)) {
	digests := make([]hashfam.Digest, 0, min(n, 8192))
	for i := range n {
		digests = append(digests, fam.SumUint64(first+i))
		if len(digests) == cap(digests) || i == n-1 {
			do(digests)
			digests = digests[:0]
		}
	}
}

// LargeSet adds the public digests of the numbers below n in batches, unless
// add is nil. It looks them up, and measures the rate with n absent keys, but
// at most 40,000,000. The tolerance is the sum of two parts. The first is six
// standard deviations of the measured rate, which a normally distributed rate
// exceeds with a probability below 2e-9. The second is 30/sqrt(n) times the
// rate, because the rate of a single structure also differs from the computed
// one.
func LargeSet(t *testing.T, n uint64, add func([]hashfam.Digest) error, s Rated) {
	t.Helper()
	if add != nil {
		batches(hashfam.Family{}, 0, n, func(keys []hashfam.Digest) { require.NoError(t, add(keys)) })
	}
	queries := min(n, 40_000_000)
	rate := s.measure(t, hashfam.Family{}, n, queries)
	t.Logf("%d keys found, measured rate %.6f, exact %.6f", n, rate, s.Rate)
	require.InDelta(t, s.Rate, rate, 6*math.Sqrt(s.Rate/float64(queries))+30*s.Rate/math.Sqrt(float64(n)))
}

// SmallSets builds structures of 0 to 100 keys with many families. It checks
// that no key is lost, and that the mean rate of the structures with n keys
// differs from the exact one by at most seven standard errors. Since the
// structures are independent, the mean is about normally distributed, and seven
// standard errors are then exceeded with a probability below 1e-11.
func SmallSets(t *testing.T, fresh func(fam hashfam.Family, keys []hashfam.Digest) Rated) {
	const queries = 1000
	families := 100
	step := uint64(9)
	switch {
	case testing.Short():
		families = 20
	case Long(t, 0.25, 0.1):
		families = 3000
		step = 1
	}
	r := rand.NewChaCha8([32]byte{3, 100})
	for n := uint64(0); n <= 100; n += max(1, min(step, n)) {
		var sum, squares, exact float64
		for range families {
			var key hashfam.Key
			r.Read(key[:])
			fam := hashfam.New(key)
			var keys []hashfam.Digest
			batches(fam, 0, n, func(all []hashfam.Digest) { keys = all })
			s := fresh(fam, keys)
			rate := s.measure(t, fam, n, queries)
			sum += rate
			squares += rate * rate
			exact += s.Rate
		}
		k := float64(families)
		mean := sum / k
		want := exact / k
		// The measured variance is unreliable if there are few hits, so it is
		// at least the variance that the queries alone cause.
		variance := max(squares/k-mean*mean, want*(1-want)/queries)
		t.Logf("%d keys: rate %.5f, exact %.5f", n, mean, want)
		require.InDelta(t, want, mean, 7*math.Sqrt(variance/k), "%d keys", n)
	}
}

// A Sharding selects a digest's shard by some of its bits. Draw returns random
// digests that all belong to the same shard.
type Sharding struct {
	Name string
	Draw func(r *rand.Rand) hashfam.Digest
}

// Shardings returns the usual ways to select a digest's shard, and one without
// shards. The rate of a shard's filter must not depend on this choice.
func Shardings() []Sharding {
	within := func(low, size uint64) func(*rand.Rand) hashfam.Digest {
		return func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(low + r.Uint64N(size)) }
	}
	const thousandth = (1<<64 - 1) / 1000
	return []Sharding{
		{"none", func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(r.Uint64()) }},
		{"d >> 58", within(37<<58, 1<<58)}, // also Reduce(d, 64) and Shard(64)
		{"d % 64", func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(r.Uint64()&^63 | 37) }},
		{"Shard(1000)", within(617*thousandth+1000, thousandth-2000)},
		{"d >> 20 % 64", func(r *rand.Rand) hashfam.Digest { return hashfam.Digest(r.Uint64()&^(63<<20) | 37<<20) }},
	}
}

// Digests returns n random digests.
func Digests(rng *rand.Rand, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Digest(rng.Uint64())
	}
	return digests
}

// Probing returns the digest whose probe sequence begins with x.
func Probing(x uint64) hashfam.Digest {
	factor := uint64(hashfam.Digest(1).Probe())
	inverse := uint64(1)
	for range 6 { // Newton's iteration doubles the number of correct bits
		inverse *= 2 - factor*inverse
	}
	return hashfam.Digest(x * inverse)
}

// Long reports whether a test should run in its long form, which is the case if
// FILTERFAM_LONG is set and enough memory is available. minutes is the time
// that the long form needs on a single core, and gigabytes is the memory. Both
// arguments must be literals, because .ci/long finds them in the source.
func Long(t testing.TB, minutes, gigabytes float64) bool {
	t.Helper()
	if os.Getenv("FILTERFAM_LONG") == "" {
		return false
	}
	fmt.Fprintf(os.Stderr, "long: %s takes about %g minutes of one core and up to %g GB\n", t.Name(), minutes, gigabytes)
	most := memory()
	if gigabytes > most {
		t.Logf("the long form needs %g GB of memory, and %.1f GB are available", gigabytes, most)
	}
	return gigabytes <= most
}

// memory returns the available gigabytes: at most 2 on a 32-bit platform, and
// infinity if the number is unknown.
func memory() float64 {
	most := math.Inf(1)
	if strconv.IntSize == 32 {
		most = 2
	}
	text, _ := os.ReadFile("/proc/meminfo")
	if _, available, told := strings.Cut(string(text), "\nMemAvailable:"); told {
		var kib float64
		fmt.Sscan(available, &kib)
		most = min(most, kib*1024/1e9)
	}
	return most
}
