package sharded_test

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// A list is a structure that stores its digests.
type list struct {
	digests []hashfam.Digest
	calls   int
}

func (l *list) add(digests ...hashfam.Digest) {
	l.digests = append(l.digests, digests...)
	l.calls++
}

func lists(t require.TestingT, n int) *sharded.Of[*list] {
	o, err := sharded.New(n, func(int) (*list, error) { return new(list), nil })
	require.NoError(t, err)
	return o
}

// Do and DoAll must select the same shards. DoAll must not reorder the digests
// of a shard, and must lock each shard at most once.
func TestDigestsReachTheirShard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(1, 300)).Draw(t, "shards")
		digests := rapid.SliceOf(rapid.Map(rapid.Uint64(), func(x uint64) hashfam.Digest { return hashfam.Digest(x) })).Draw(t, "digests")
		single, all, given := lists(t, n), lists(t, n), slices.Clone(digests)
		require.Equal(t, n, single.Shards())
		for _, d := range digests {
			single.Do(d, func(l *list) { l.add(d) })
		}
		all.DoAll(digests, func(l *list, digests []hashfam.Digest) { l.add(digests...) })
		require.Equal(t, given, digests)
		var lists [][]hashfam.Digest
		require.NoError(t, single.Each(func(i int, l *list) error {
			require.Len(t, lists, i)
			for _, d := range l.digests {
				require.Equal(t, i, d.Shard(n))
			}
			lists = append(lists, l.digests)
			return nil
		}))
		require.Len(t, lists, n)
		require.NoError(t, all.Each(func(i int, l *list) error {
			require.True(t, slices.Equal(lists[i], l.digests), "shard %d", i)
			require.LessOrEqual(t, l.calls, 1)
			return nil
		}))
	})
}

// slowly adds x to n, and lets other goroutines run before it writes the sum.
func slowly(n *int, x int) {
	sum := *n + x
	runtime.Gosched()
	*n = sum
}

// The sums are correct only if each call has exclusive use of its shard.
func TestCallsHaveExclusiveUseOfTheirShard(t *testing.T) {
	o, err := sharded.New(3, func(int) (*int, error) { return new(int), nil })
	require.NoError(t, err)
	var wg sync.WaitGroup
	for worker := range uint64(8) {
		wg.Go(func() {
			for i := range uint64(2000) {
				d := hashfam.Digest((worker*2000 + i) * 0x9E3779B97F4A7C15)
				switch i % 3 {
				case 0:
					o.Do(d, func(n *int) { slowly(n, 3) })
				case 1:
					o.DoAll([]hashfam.Digest{d, d, d}, func(n *int, digests []hashfam.Digest) { slowly(n, len(digests)) })
				default:
					if err := o.Each(func(_ int, n *int) error { slowly(n, 1); return nil }); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	require.NoError(t, o.Each(func(_ int, n *int) error { sum += *n; return nil }))
	require.Equal(t, 8*2000*3, sum, "each call adds three")
}

func TestPanicsReleaseTheLock(t *testing.T) {
	o := lists(t, 1)
	for name, f := range map[string]func(){
		"Do":    func() { o.Do(0, func(*list) { panic(1) }) },
		"DoAll": func() { o.DoAll(make([]hashfam.Digest, 1), func(*list, []hashfam.Digest) { panic(1) }) },
		"Each":  func() { o.Each(func(int, *list) error { panic(1) }) },
	} {
		require.PanicsWithValue(t, 1, f, name)
		called := false
		o.Do(0, func(*list) { called = true }) // deadlocks if the lock is still held
		require.True(t, called, name)
	}
}

func TestErrorsStopNewAndEach(t *testing.T) {
	failure, calls := errors.New("no memory"), 0
	create := func(i int) (*list, error) {
		if calls++; i == 2 {
			return nil, failure
		}
		return new(list), nil
	}
	for _, n := range []int{-1, 0, 1<<16 + 1} {
		_, err := sharded.New(n, create)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.EqualError(t, err, fmt.Sprintf("sharded: invalid parameters: n = %d, want 1 to 65536", n))
	}
	require.Zero(t, calls)
	_, err := sharded.New(10, create)
	require.Equal(t, failure, err)
	require.Equal(t, 3, calls)
	require.PanicsWithValue(t, "sharded: use of a zero Of: make it with New", func() { new(sharded.Of[*list]).Do(1, func(*list) {}) })

	visited := 0
	require.Equal(t, failure, lists(t, 5).Each(func(i int, _ *list) error {
		if visited++; i == 1 {
			return failure
		}
		return nil
	}))
	require.Equal(t, 2, visited)
}

func TestDoDoesNotAllocate(t *testing.T) {
	o, err := sharded.New(8, func(int) (*counting.Filter, error) {
		return counting.New(counting.Config{Capacity: 10, FPRate: 0.01})
	})
	require.NoError(t, err)
	digests, found := make([]hashfam.Digest, 1000), 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, d := range digests[:8] {
			o.Do(d, func(f *counting.Filter) {
				if !f.ContainsOrAddDigest(d) {
					found++
				}
			})
		}
	}))
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		o.DoAll(digests, func(*counting.Filter, []hashfam.Digest) {})
	}), 4.0)
}

// Encoding an Of must return an error, not an empty object.
func TestEncodingAnOfFails(t *testing.T) {
	o := lists(t, 2)
	type field struct{ Seen sharded.Of[*list] }
	for _, v := range []any{o, *o, field{*o}, map[string]any{"seen": o}} {
		_, err := json.Marshal(v)
		require.ErrorContains(t, err, "sharded: shards have no text form, use WriteTo", "%T", v)
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
	require.Error(t, gob.NewEncoder(io.Discard).Encode(o))
}

func TestPrintingHidesTheKey(t *testing.T) {
	key := hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	o, err := sharded.New(2, func(int) (counting.Config, error) { return counting.Config{Family: hashfam.New(key)}, nil })
	require.NoError(t, err)
	const want = "sharded.Of(2 shards)"
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
		require.Equal(t, want+want, fmt.Sprintf(verb+verb, o, *o))
		field := fmt.Sprintf(verb, struct{ Of sharded.Of[counting.Config] }{*o})
		require.Contains(t, field, want, verb)
		require.NotContains(t, field, "506097522914230528", verb) // the first half of the key, which is 0x706050403020100
		require.NotContains(t, field, "706050403020100", verb)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "a", o, "b", *o)
	require.Contains(t, log.String(), fmt.Sprintf("a=%q b=%q", want, want))
}

// overflow returns a bound for the probability that any of n shards receives
// more than c of total keys. The bound is n times the upper tail of the
// binomial distribution, which is at most its first term divided by 1-r, where
// r is the ratio of its first two terms.
func overflow(total uint64, n int, c uint64) float64 {
	if c >= total {
		return 0
	}
	t, k, p := float64(total), float64(c+1), 1/float64(n)
	a, _ := math.Lgamma(t + 1)
	b, _ := math.Lgamma(k + 1)
	rest, _ := math.Lgamma(t - k + 1)
	first := math.Exp(a - b - rest + k*math.Log(p) + (t-k)*math.Log1p(-p))
	return float64(n) * first / (1 - (t-k)/(k+1)*p/(1-p))
}

// The probability that a shard overflows must be below 1e-6. It must exceed
// 1e-6 if the room above the mean is 20% smaller, for means of 100 or more
// keys.
func TestCapacityIsSufficientAndTight(t *testing.T) {
	for n := 2; n <= 1<<16; n *= 2 {
		for total := uint64(1); total <= 1<<36; total = total*3/2 + 1 {
			c := sharded.Capacity(total, n)
			require.LessOrEqual(t, c, total)
			require.Less(t, overflow(total, n, c), 1e-6, "%d keys in %d shards of %d", total, n, c)
			mean := float64(total) / float64(n)
			if less := mean + 0.8*(float64(c)-mean); mean >= 100 {
				require.Greater(t, overflow(total, n, uint64(less)), 1e-6, "%d keys in %d shards of %d", total, n, c)
			}
		}
	}
}

func TestCapacityAtTheLimits(t *testing.T) {
	machine.Matters(t)
	for _, n := range []int{math.MinInt, -1, 0, 1} {
		require.EqualValues(t, 17, sharded.Capacity(17, n))
		require.EqualValues(t, uint64(math.MaxUint64), sharded.Capacity(math.MaxUint64, n))
	}
	for n := 2; n > 0; n *= 2 {
		require.Zero(t, sharded.Capacity(0, n))
		require.EqualValues(t, 1, sharded.Capacity(1, n))
		c := sharded.Capacity(math.MaxUint64, n)
		require.GreaterOrEqual(t, float64(c), 0x1p64/float64(n))
		require.LessOrEqual(t, float64(c), 0x1p64/float64(n)+0x1p40, "%d", n)
	}
	last := uint64(0)
	for total := range uint64(10_000) {
		c := sharded.Capacity(total, 64)
		require.GreaterOrEqual(t, c, last)
		last = c
	}
}

func TestNilArgumentsAreErrors(t *testing.T) {
	of := sketches(t, 2)
	_, create := sharded.New[*list](2, nil)
	_, receiving := sharded.Read[*list](strings.NewReader(""), 2, nil)
	_, read := sharded.Read(nil, 2, receiver)
	_, written := of.WriteTo(nil)
	for err, want := range map[error]string{
		create: "create = <nil>, want a function", receiving: "create = <nil>, want a function", of.Each(nil): "f = <nil>, want a function",
		read: "r = <nil>, want a reader", written: "w = <nil>, want a writer",
	} {
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.EqualError(t, err, "sharded: invalid parameters: "+want)
	}
}

func TestZeroValuesPanicWhenUsed(t *testing.T) {
	checks.ZeroValues(t, "^sharded: use of a zero Of: make it with New$", new(sharded.Of[int]))
}
