package sharded_test

import (
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
)

// A list is a structure that keeps the digests it was given.
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

// Do and DoAll choose the same shards, and DoAll keeps the order of digests and
// locks each shard at most once.
func TestEveryDigestGoesToItsShard(t *testing.T) {
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
		next := 0
		require.NoError(t, single.Each(func(i int, l *list) error {
			require.Equal(t, next, i)
			for _, d := range l.digests {
				require.Equal(t, i, d.Shard(n))
			}
			next++
			return all.Each(func(j int, m *list) error {
				require.True(t, i != j || slices.Equal(l.digests, m.digests), "shard %d", i)
				require.LessOrEqual(t, m.calls, 1)
				return nil
			})
		}))
		require.Equal(t, n, next)
	})
}

// slowly adds x to n, and lets others run meanwhile.
func slowly(n *int, x int) {
	sum := *n + x
	runtime.Gosched()
	*n = sum
}

// The sum of plain numbers is right only if the shards are used alone.
func TestDoExcludesOthers(t *testing.T) {
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
	require.Equal(t, 8*2000*3, sum, "every call adds three")
}

func TestAPanicReleasesTheLock(t *testing.T) {
	o := lists(t, 1)
	for name, f := range map[string]func(){
		"Do":    func() { o.Do(0, func(*list) { panic(1) }) },
		"DoAll": func() { o.DoAll(make([]hashfam.Digest, 1), func(*list, []hashfam.Digest) { panic(1) }) },
		"Each":  func() { o.Each(func(int, *list) error { panic(1) }) },
	} {
		require.PanicsWithValue(t, 1, f, name)
		called := false
		o.Do(0, func(*list) { called = true }) // would wait forever
		require.True(t, called, name)
	}
}

func TestErrors(t *testing.T) {
	failure := errors.New("no memory")
	calls := 0
	create := func(i int) (*list, error) {
		calls++
		if i == 2 {
			return nil, failure
		}
		return new(list), nil
	}
	for _, n := range []int{-1, 0, 1<<16 + 1} {
		_, err := sharded.New(n, create)
		require.ErrorIs(t, err, sharded.ErrParams)
		require.EqualError(t, err, fmt.Sprintf("sharded: invalid parameters: n = %d, want 1 to 65536", n))
		require.ErrorAs(t, err, new(*sharded.FieldError))
	}
	require.Zero(t, calls)
	_, err := sharded.New(10, create)
	require.ErrorIs(t, err, failure)
	require.Equal(t, 3, calls)

	o, visited := lists(t, 5), 0
	err = o.Each(func(i int, _ *list) error {
		visited++
		if i == 1 {
			return failure
		}
		return nil
	})
	require.Equal(t, failure, err)
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

// Shards are encoded one by one. To encode them all together is an error, not
// an empty object.
func TestShardsAreNotEncodedTogether(t *testing.T) {
	o := lists(t, 2)
	type field struct{ Seen sharded.Of[*list] }
	for _, v := range []any{o, *o, field{*o}, &field{*o}, []any{*o}, map[string]any{"seen": o}} {
		_, err := json.Marshal(v)
		require.ErrorContains(t, err, "sharded: shards are encoded one by one", "%T", v)
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
	_, err := xml.Marshal(field{*o})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Error(t, gob.NewEncoder(io.Discard).Encode(o))
}

func TestPrintingShardsNeverShowsAKey(t *testing.T) {
	key := hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	o, err := sharded.New(2, func(int) (counting.Config, error) { return counting.Config{Family: hashfam.New(key)}, nil })
	require.NoError(t, err)
	const want = "sharded.Of(2 shards)"
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
		for _, v := range []any{o, *o} {
			require.Equal(t, want, fmt.Sprintf(verb, v))
		}
		for _, v := range []any{struct{ Of *sharded.Of[counting.Config] }{o}, struct{ Of sharded.Of[counting.Config] }{*o}} {
			for _, half := range []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908} {
				require.NotContains(t, fmt.Sprintf(verb, v), fmt.Sprint(half), verb)
				require.NotContains(t, fmt.Sprintf(verb, v), fmt.Sprintf("%x", half), verb)
			}
		}
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "a", o, "b", *o)
	require.Contains(t, log.String(), fmt.Sprintf("a=%q b=%q", want, want))
}
