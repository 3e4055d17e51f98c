package advice_test

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
)

// bits returns the number of bits per key.
func bits(bytes uint64, keys float64) float64 { return 8 * float64(bytes) / keys }

// integers returns the digests of the integers from low to high-1.
func integers(low, high int) []hashfam.Digest {
	var keys []uint64
	for i := low; i < high; i++ {
		keys = append(keys, uint64(i))
	}
	return hashfam.Family{}.SumAllUint64(nil, keys)
}

func bloomSize(n uint64, rate float64, layout bloom.Layout) uint64 {
	return hashfam.Must(bloom.Config{Capacity: n, FPRate: rate, Layout: layout}.Params()).SizeBytes()
}

func cuckooSize(n uint64, rate float64) uint64 {
	return hashfam.Must(cuckoo.Config{Capacity: n, FPRate: rate, Compact: true}.Params()).SizeBytes()
}

func staticSize(n uint64, rate float64) uint64 {
	return hashfam.Must(static.Config{FPRate: rate}.EstimatedBytes(n, 0))
}

func rotatingBits(span time.Duration) float64 {
	const keys = 1_000_000
	return bits(hashfam.Must(bloom.RotatingConfig{Keys: keys, Span: span, FPRate: 0.01}.InitialBytes()), keys)
}

func TestChoosingShowsSizes(t *testing.T) {
	const n = 1_000_000
	for text, rate := range map[string]float64{"3%": 0.03, "1%": 0.01, "0.1%": 0.001, "0.01%": 1e-4, "1e-6": 1e-6} {
		checks.Documented(t, "choosing.md", "| %s | %.2f | %.2f | %.2f | %.2f | %.2f |", text, -math.Log2(rate),
			bits(staticSize(n, rate), n), bits(bloomSize(n, rate, bloom.Classic), n), bits(bloomSize(n, rate, bloom.Blocked), n), bits(cuckooSize(n, rate), n))
	}
	checks.Documented(t, "choosing.md", "It needs %.2f bits per key, or %.2f with `Compact`",
		bits(hashfam.Must(perfect.Config{}.EstimatedBytes(n)), n), bits(hashfam.Must(perfect.Config{Compact: true}.EstimatedBytes(n)), n))
	checks.Documented(t, "choosing.md", "With 10^7 keys, the probability of two such keys is %.4f%%, but with 10^9 keys it is %.1f%%",
		100*math.Ldexp(1e14, -65), 100*math.Ldexp(1e18, -65))
	checks.Documented(t, "choosing.md", "a key in a window of N keys needs %.1f bits", rotatingBits(0))
	checks.Documented(t, "choosing.md", "so the default is a single part: a key needs %.1f bits", rotatingBits(time.Hour))
	checks.Documented(t, "choosing.md", "`static.Filter` uses %.1f bits per key", bits(staticSize(n, 0.01), n))
}

func TestChoosingShowsSizesForBothLists(t *testing.T) {
	const n = 1_000_000
	var sizes []any
	for _, absent := range []uint64{0, n, 10 * n} {
		sizes = append(sizes, bits(hashfam.Must(static.Config{FPRate: 0.01}.EstimatedBytes(n, absent)), n))
	}
	checks.Documented(t, "choosing.md", "needs %.1f bits per member without absent keys, %.1f with as many absent keys as members, and %.1f with ten times as many", sizes...)
	checks.Documented(t, "../README.md", "| `static.NewExact` | %.1f; %.1f with ten times as many |", sizes[1:]...)
	const few = 10_000
	var size []any
	for _, ratio := range []int{1, 50, 1_000} {
		all := integers(0, few*(ratio+1))
		e := hashfam.Must(static.NewExact(t.Context(), static.Config{FPRate: 1}, all[:few], all[few:]))
		size = append(size, bits(e.SizeBytes(), few))
	}
	checks.Documented(t, "choosing.md", "Each key in the shorter list needs %.1f, %.1f or %.1f bits", size...)
}

func TestChoosingShowsMemory(t *testing.T) {
	const limit, rate = 100_000_000, 0.01
	b := hashfam.Must(bloom.Config{MemoryBytes: limit, FPRate: rate}.Params())
	c := hashfam.Must(cuckoo.Config{MemoryBytes: limit, FPRate: rate, Compact: true}.Params())
	s := uint64(118_000_000)
	require.LessOrEqual(t, staticSize(s, rate), uint64(limit))
	require.Greater(t, staticSize(s+1_000_000, rate), uint64(limit))
	checks.Documented(t, "choosing.md", "100 MB is enough for %d million keys in a Bloom filter, %d million in a compact cuckoo filter, and %d million in a static filter",
		b.CapacityAt(rate)/1e6, c.CapacityAt(rate)/1e6, s/1e6)
	p := hashfam.Must(bloom.Config{Capacity: 1_000_000, FPRate: rate}.Params())
	checks.Documented(t, "choosing.md", "with twice the keys, 1%% becomes %.1f%%", 100*p.RateAt(2_000_000))
}

func TestChoosingShowsFiltersThatGrow(t *testing.T) {
	const expected = 10_000
	b := hashfam.Must(bloom.NewScalable(bloom.ScalableConfig{Expected: expected, FPRate: 0.01}))
	c := hashfam.Must(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: expected, FPRate: 0.01}))
	var inBloom, inCuckoo []any
	mostInBloom, mostInCuckoo := 0.0, 0.0
	for i, d := range integers(0, 100*expected) {
		b.AddDigest(d)
		require.NoError(t, c.AddDigest(d))
		n := i + 1
		if n < expected {
			continue
		}
		perKeyInBloom, perKeyInCuckoo := bits(b.SizeBytes(), float64(n)), bits(c.SizeBytes(), float64(n))
		mostInBloom, mostInCuckoo = max(mostInBloom, perKeyInBloom), max(mostInCuckoo, perKeyInCuckoo)
		if n == expected || n == 10*expected || n == 100*expected {
			inBloom, inCuckoo = append(inBloom, perKeyInBloom), append(inCuckoo, perKeyInCuckoo)
		}
	}
	checks.Documented(t, "choosing.md", "| `bloom.Scalable` | %.1f | %.1f | %.1f | %.1f |", append(inBloom, mostInBloom)...)
	checks.Documented(t, "choosing.md", "| `cuckoo.Scalable` | %.1f | %.1f | %.1f | %.1f |", append(inCuckoo, mostInCuckoo)...)
	checks.Documented(t, "../README.md", "| `bloom.Scalable`; `cuckoo.Scalable` to delete | %.0f to %.0f, up to 100 times Expected |", inBloom[0], mostInBloom)
}

// percent returns a rate with two digits.
func percent(rate float64) string {
	text := strconv.FormatFloat(100*rate, 'e', 1, 64)
	rounded := hashfam.Must(strconv.ParseFloat(text, 64))
	return strconv.FormatFloat(rounded, 'f', -1, 64) + "%"
}

func TestChoosingShowsRatesWithLimitedMemory(t *testing.T) {
	const limit = 64 << 10
	numbers := []int{10_000, 30_000, 50_000, 75_000}
	p := hashfam.Must(bloom.Config{MemoryBytes: limit, FPRate: 0.01}.Params())
	c := hashfam.Must(cuckoo.Config{MemoryBytes: limit, FPRate: 0.01, Compact: true}.Params())
	s := hashfam.Must(bloom.NewScalable(bloom.ScalableConfig{Expected: 10_000, FPRate: 0.01, MemoryBytes: limit}))
	plain, inCuckoo, grown, fixed, added := "|", "|", "|", "|", 0
	for _, n := range numbers {
		s.AddAll(integers(added, n))
		added = n
		f := hashfam.Must(static.New(t.Context(), static.Config{MemoryBytes: limit}, integers(0, n)))
		plain += fmt.Sprintf(" %s |", percent(p.RateAt(uint64(n))))
		grown += fmt.Sprintf(" %s |", percent(s.FalsePositiveRate()))
		fixed += fmt.Sprintf(" %s |", percent(f.FalsePositiveRate()))
		if uint64(n) <= c.CapacityAt(1) {
			inCuckoo += fmt.Sprintf(" %s |", percent(c.RateAt(uint64(n))))
		} else {
			inCuckoo += " full |"
		}
	}
	checks.Documented(t, "choosing.md", "| `static.Filter`, no FPRate %s", fixed)
	checks.Documented(t, "choosing.md", "| `bloom.Filter`, FPRate 0.01 %s", plain)
	checks.Documented(t, "choosing.md", "| `cuckoo.Filter`, Compact, FPRate 0.01 %s", inCuckoo)
	checks.Documented(t, "choosing.md", "| `bloom.Scalable`, FPRate 0.01, Expected 10,000 %s", grown)
	checks.Documented(t, "choosing.md", "has room for %d,%03d keys", c.CapacityAt(1)/1000, c.CapacityAt(1)%1000)
}

// A window of time in parts has room for only a part of its keys at a time.
func TestChoosingShowsTheRateInABurst(t *testing.T) {
	const keys = 1_000_000
	c := bloom.RotatingConfig{Keys: keys, Span: time.Hour, Parts: 4, FPRate: 0.01}
	r := hashfam.Must(bloom.NewRotating(c))
	r.Advance(time.Unix(0, 0))
	r.AddAll(integers(0, keys))
	checks.Documented(t, "choosing.md", "But in a burst after a quiet window, 1%% then becomes %.0f%%", 100*r.FalsePositiveRate())
}

// docs/choosing.md recommends a Bloom filter or a compact cuckoo filter, by the
// rate alone.
func TestChoosingShowsTheSmallerFilter(t *testing.T) {
	most, least := 0.0, math.Inf(1)
	for _, n := range []uint64{1_000, 1_500, 2_000, 3_000, 10_000, 100_000, 1_000_000, 10_000_000} {
		for rate := 0.3; rate > 1e-8; rate *= 0.985 {
			ratio := float64(bloomSize(n, rate, bloom.Classic)) / float64(cuckooSize(n, rate))
			if rate >= 0.005 {
				most = max(most, ratio)
			} else {
				least = min(least, ratio)
			}
		}
	}
	require.GreaterOrEqual(t, least, 1.0)
	checks.Documented(t, "choosing.md", "Above 0.5%%, a Bloom filter needs at most %.0f%% more memory", math.Ceil(100*(most-1)))
}

func TestRecipesShowSizes(t *testing.T) {
	blocked := func(n, never uint64, rate float64) float64 {
		return float64(hashfam.Must(static.Config{FPRate: rate}.EstimatedBytes(n, never)))
	}
	checks.Documented(t, "recipes.md", "With 5 million hosts at 0.1%%, a million hosts that are never blocked increase the filter from %.2f to %.2f MB",
		blocked(5_000_000, 0, 0.001)/1e6, blocked(5_000_000, 1_000_000, 0.001)/1e6)
	checks.Documented(t, "security.md", "a million of them make a filter of five million members at 1%% %.1f KB larger",
		(blocked(5_000_000, 1_000_000, 0.01)-blocked(5_000_000, 0, 0.01))/1e3)
	checks.Documented(t, "recipes.md", "the base has %.2f MB, and a day with 5,000 hosts has %.1f KB",
		float64(staticSize(5_000_000, 0.001))/1e6, float64(staticSize(5_000, 0.001/30))/1e3)
	checks.Documented(t, "recipes.md", "needs about %.1f bytes per password", bits(staticSize(1e9, 1e-6), 8e9))
	p := hashfam.Must(bloom.Config{Capacity: 10_000_000, MemoryBytes: 16 << 20, Layout: bloom.Blocked}.Params())
	checks.Documented(t, "recipes.md", "Its rate is %.2f%% with ten million links and %.0f%% with twenty million", 100*p.RateAt(1e7), 100*p.RateAt(2e7))
	shard := bloom.RotatingConfig{Keys: sharded.Capacity(1_000_000, 64), Span: time.Minute, FPRate: 1e-6}
	checks.Documented(t, "recipes.md", "The shards use %.1f MB in total", 64*float64(hashfam.Must(shard.InitialBytes()))/1e6)
}

func TestDistributedShowsSizes(t *testing.T) {
	const n, most = 1e12, 4096
	size := float64(bloomSize(n, 0.01, bloom.Blocked))
	checks.Documented(t, "distributed.md", "For 10^12 keys at 1%%, a Blocked filter has %.2f TB, and the workers send 8 bytes per key, or %.0f TB", size/1e12, 8*n/1e12)
	checks.Documented(t, "distributed.md", "With 4,096 windows, which is the maximum, a task needs %.0f MB", size/most/1e6)
	least := sort.Search(2e9, func(keys int) bool { return staticSize(uint64(keys), 0.01) > 1e9 })
	checks.Documented(t, "distributed.md", "in a static filter at 1%%, this is from `%.1f * 10^9` keys on", float64(least)/1e9)
	checks.Documented(t, "distributed.md", "4,096 parts of 10^12 keys have %.0f million keys each", n/most/1e6)
}

func TestTheReadmeShowsSizes(t *testing.T) {
	const n, rate = 1_000_000, 0.01
	plain := bits(bloomSize(n, rate, bloom.Classic), n)
	fixed := bits(staticSize(n, rate), n)
	for _, row := range []string{
		fmt.Sprintf("| Is the set fixed? | `static.Filter` | %.1f |", fixed),
		fmt.Sprintf("| `perfect.Function`, `perfect.Filter` | %.1f; %.1f plus", bits(hashfam.Must(perfect.Config{}.EstimatedBytes(n)), n), bits(hashfam.Must(perfect.FilterConfig{FPRate: rate}.EstimatedBytes(n)), n)),
		fmt.Sprintf("| `cuckoo.Filter`, `Compact: true` | %.1f |", bits(cuckooSize(n, rate), n)),
		fmt.Sprintf("| `counting.Filter` | %.1f |", bits(hashfam.Must(counting.Config{Capacity: n, FPRate: rate}.Params()).SizeBytes(), n)),
		fmt.Sprintf("| `bloom.Rotating` | %.1f, or %.1f |", rotatingBits(time.Hour), rotatingBits(0)),
		fmt.Sprintf("| `bloom/pebblefilter` | %.1f or %.1f |", fixed, plain),
		fmt.Sprintf("| `bloom.Filter` | %.1f |", plain),
	} {
		checks.Documented(t, "../README.md", "%s", row)
	}
}
