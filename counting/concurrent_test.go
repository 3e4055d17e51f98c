package counting

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/conformance"
)

func errorOf[T any](_ T, err error) error { return err }

func putUint64(i uint64) []byte { return binary.LittleEndian.AppendUint64(nil, i) }

// drawShared draws the parameters of a small concurrent filter.
func drawShared(t *rapid.T) Params {
	return Params{
		Counters: blockCounters * rapid.Uint64Range(1, 200).Draw(t, "blocks"),
		Hashes:   rapid.IntRange(1, 20).Draw(t, "hashes"),
		Layout:   Blocked,
		Family:   hashfam.Family{}.Derive(rapid.StringN(0, 3, -1).Draw(t, "family")),
	}
}

func plainAndConcurrent(t require.TestingT, p Params) (*Filter, *Concurrent) {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	c, err := NewConcurrentFrom(f)
	require.NoError(t, err)
	return f, c
}

// On one goroutine a concurrent filter is, counter for counter, the plain one,
// after any sequence of calls in any form.
func TestConcurrentEqualsThePlainFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, c := plainAndConcurrent(t, drawShared(t))
		fam := f.params.Family
		steps := map[string]func(i uint64, key []byte){
			"add":           func(_ uint64, key []byte) { f.Add(key); c.Add(key) },
			"add string":    func(_ uint64, key []byte) { f.Add(key); c.AddString(string(key)) },
			"add digest":    func(_ uint64, key []byte) { f.Add(key); c.AddDigest(fam.Sum(key)) },
			"add integer":   func(i uint64, key []byte) { f.Add(key); c.AddUint64(i) },
			"delete":        func(_ uint64, key []byte) { require.Equal(t, f.Delete(key), c.Delete(key)) },
			"delete string": func(_ uint64, key []byte) { require.Equal(t, f.Delete(key), c.DeleteString(string(key))) },
			"delete digest": func(_ uint64, key []byte) { require.Equal(t, f.Delete(key), c.DeleteDigest(fam.Sum(key))) },
			"delete int":    func(i uint64, key []byte) { require.Equal(t, f.Delete(key), c.DeleteUint64(i)) },
			"either":        func(_ uint64, key []byte) { require.Equal(t, f.ContainsOrAdd(key), c.ContainsOrAdd(key)) },
			"either string": func(_ uint64, key []byte) {
				require.Equal(t, f.ContainsOrAdd(key), c.ContainsOrAddString(string(key)))
			},
			"either int": func(i uint64, key []byte) {
				require.Equal(t, f.ContainsOrAdd(key), c.ContainsOrAddUint64(i))
			},
		}
		actions := map[string]func(*rapid.T){
			"": func(t *rapid.T) { require.True(t, c.Snapshot().Equal(f)) },
		}
		for name, step := range steps {
			actions[name] = func(t *rapid.T) {
				i := rapid.Uint64Range(0, 20).Draw(t, "key")
				step(i, putUint64(i))
			}
		}
		t.Repeat(actions)
		for i := range uint64(25) {
			key, want := putUint64(i), f.CountUint64(i)
			require.Equal(t, want, c.Count(key))
			require.Equal(t, want, c.CountString(string(key)))
			require.Equal(t, want, c.CountUint64(i))
			require.Equal(t, want > 0, c.Contains(key))
			require.Equal(t, want > 0, c.ContainsString(string(key)))
			require.Equal(t, want > 0, c.ContainsUint64(i))
		}
		require.Equal(t, f.params, c.Params())
		require.Equal(t, f.SizeBytes(), c.SizeBytes())
		require.Equal(t, f.FillRatio(), c.FillRatio())
		require.Equal(t, f.FalsePositiveRate(), c.FalsePositiveRate())
		require.Equal(t, f.EstimatedLen(), c.EstimatedLen())
		require.Equal(t, f.Stuck(), c.Stuck())
		other := f.Clone()
		require.NoError(t, c.Merge(other))
		require.NoError(t, f.Merge(other))
		require.True(t, c.Snapshot().Equal(f))
		c.Reset()
		f.Reset()
		require.True(t, c.Snapshot().Equal(f))
	})
}

func TestConcurrentBatchesEqualSingleCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawShared(t)
		numbers := make([]uint64, rapid.IntRange(0, 3*batch.Size).Draw(t, "n"))
		keys, texts := make([][]byte, len(numbers)), make([]string, len(numbers))
		f, _ := plainAndConcurrent(t, p)
		for i := range numbers {
			numbers[i] = uint64(i) % 100
			keys[i] = putUint64(numbers[i])
			texts[i] = string(keys[i])
			f.Add(keys[i])
		}
		digests := p.Family.SumAll(nil, keys)
		twice := append(append([]uint64{}, numbers...), numbers...) // half of these fail
		left := f.Clone()
		removed := left.DeleteAllUint64(twice)
		for form, b := range map[string]struct {
			add    func(*Concurrent)
			delete func(*Concurrent) int
		}{
			"bytes":    {func(c *Concurrent) { c.AddAll(keys) }, func(c *Concurrent) int { return c.DeleteAll(keys) + c.DeleteAll(keys) }},
			"strings":  {func(c *Concurrent) { c.AddAllStrings(texts) }, func(c *Concurrent) int { return c.DeleteAllStrings(texts) + c.DeleteAllStrings(texts) }},
			"integers": {func(c *Concurrent) { c.AddAllUint64(numbers) }, func(c *Concurrent) int { return c.DeleteAllUint64(twice) }},
			"digests":  {func(c *Concurrent) { c.AddAllDigests(digests) }, func(c *Concurrent) int { return c.DeleteAllDigests(digests) + c.DeleteAllDigests(digests) }},
			"sequence": {func(c *Concurrent) { c.AddSeq(sequence(keys)) }, func(c *Concurrent) int { return c.DeleteAllUint64(twice) }},
		} {
			_, c := plainAndConcurrent(t, p)
			b.add(c)
			require.True(t, c.Snapshot().Equal(f), form)
			counts := f.CountAll([]uint64{7}, keys)
			require.Equal(t, counts, c.CountAll([]uint64{7}, keys))
			require.Equal(t, counts, c.CountAllStrings([]uint64{7}, texts))
			require.Equal(t, counts, c.CountAllUint64([]uint64{7}, numbers))
			require.Equal(t, counts, c.CountAllDigests([]uint64{7}, digests))
			found := f.ContainsAll([]bool{false}, append(keys, nil))
			require.Equal(t, found, c.ContainsAll([]bool{false}, append(keys, nil)))
			require.Equal(t, found[:1+len(keys)], c.ContainsAllStrings([]bool{false}, texts))
			require.Equal(t, found[:1+len(keys)], c.ContainsAllUint64([]bool{false}, numbers))
			require.Equal(t, found[:1+len(keys)], c.ContainsAllDigests([]bool{false}, digests))
			require.Equal(t, removed, b.delete(c), form)
			require.True(t, c.Snapshot().Equal(left), form)
		}
	})
}

// sequence yields all keys in the same buffer, like a scanner.
func sequence(keys [][]byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var buf []byte
		for _, key := range keys {
			if buf = append(buf[:0], key...); !yield(buf) {
				return
			}
		}
		clear(buf)
	}
}

// No copy is lost if many goroutines change the same blocks.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	const writers = 8
	keys := uint64(20_000)
	if conformance.Long(t, 0.5, 0.2) {
		keys = 1_000_000
	}
	config := Config{Capacity: writers * keys, FPRate: 0.01, Layout: Blocked}
	plain, err := New(config)
	require.NoError(t, err)
	c, err := NewConcurrent(config)
	require.NoError(t, err)
	var wg sync.WaitGroup
	var lost atomic.Uint64
	for w := range uint64(writers) {
		wg.Go(func() {
			for i := range keys {
				key := w<<32 | i
				c.AddUint64(key)
				if c.CountUint64(key) == 0 || i%2 == 1 && !c.DeleteUint64(key) {
					lost.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, lost.Load())
	for w := range uint64(writers) {
		for i := uint64(0); i < keys; i += 2 {
			plain.AddUint64(w<<32 | i)
		}
	}
	got := c.Snapshot()
	if got.Stuck() == 0 {
		require.True(t, got.Equal(plain), "lost copies")
	}
}

// Random schedules on small filters: a count is never below the copies whose
// Add has returned, less those whose Delete has begun; a Delete of a copy that
// is there succeeds; one of an absent key fails, and is not seen by anyone. In
// the end the counters are those of the plain filter with the same copies.
func TestSchedulesOfAConcurrentFilter(t *testing.T) {
	const keys = 4
	conformance.Schedules(t, func(r *rand.Rand) conformance.Schedule {
		p := Params{Counters: blockCounters << r.IntN(2), Hashes: 2 + r.IntN(60), Layout: Blocked}
		all, c := plainAndConcurrent(t, p)
		for key := range uint64(keys) {
			all.AddUint64(key)
		}
		absent := uint64(100) // it stays absent whatever is added
		for all.ContainsUint64(absent) {
			absent++
		}
		var added, deleting [keys]atomic.Int64
		var own [conformance.Workers][keys]int
		return conformance.Schedule{
			Step: func(worker int, r *rand.Rand) {
				key := r.Uint64N(keys)
				switch step := r.IntN(6); {
				case step == 0 && own[worker][key] < 3:
					c.AddUint64(key)
					own[worker][key]++
					added[key].Add(1)
				case step == 1 && own[worker][key] < 3:
					c.AddAllUint64([]uint64{key})
					own[worker][key]++
					added[key].Add(1)
				case step == 2 && own[worker][key] > 0:
					deleting[key].Add(1)
					own[worker][key]--
					if !c.DeleteUint64(key) {
						t.Errorf("%v: no copy of key %d to delete", p, key)
					}
				case step == 3:
					if c.DeleteUint64(absent) {
						t.Errorf("%v: deleted an absent key", p)
					}
				default:
					least := added[key].Load()
					if n := int64(c.CountUint64(key)); n < least-deleting[key].Load() {
						t.Errorf("%v: %d copies of key %d, want at least %d", p, n, key, least)
					}
				}
			},
			End: func() {
				plain, _ := plainAndConcurrent(t, p)
				for key := range uint64(keys) {
					for range added[key].Load() - deleting[key].Load() {
						plain.AddUint64(key)
					}
				}
				if got := c.Snapshot(); got.Stuck() == 0 && !got.Equal(plain) {
					t.Errorf("%v: other counters than those of the plain filter", p)
				}
			},
		}
	})
}

// A Delete that fails never decrements a counter, not even for a moment: keys
// that share counters with it are found all the time.
func TestFailedDeletesAreNeverSeen(t *testing.T) {
	const keys = 20
	f, c := plainAndConcurrent(t, Params{Counters: blockCounters, Hashes: 40, Layout: Blocked})
	for key := range uint64(keys) {
		c.AddUint64(key)
		f.AddUint64(key)
	}
	absent := uint64(100)
	for !laterZero(f, absent) {
		absent++
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 50_000 {
			c.DeleteUint64(absent)
		}
		stop.Store(true)
	})
	lost := 0
	for !stop.Load() {
		for key := range uint64(keys) {
			if !c.ContainsUint64(key) {
				lost++
			}
		}
		runtime.Gosched() // WebAssembly has one thread and does not preempt
	}
	wg.Wait()
	require.Zero(t, lost)
}

// laterZero reports whether f does not contain key, but only because of one of
// the last positions of key.
func laterZero(f *Filter, key uint64) bool {
	d, k := f.params.Family.SumUint64(key), f.params.Hashes
	return !hasBlocked(f.counters, f.span, k, d) && hasBlocked(f.counters, f.span, k*3/4, d)
}

func TestConcurrentRejects(t *testing.T) {
	classic, err := New(Config{Capacity: 10, FPRate: 0.1})
	require.NoError(t, err)
	requireField(t, errorOf(NewConcurrent(Config{Capacity: 10, FPRate: 0.1})), ErrParams, "Config.Layout")
	requireField(t, errorOf(NewConcurrent(Config{Layout: Blocked})), ErrParams, "Config.Capacity")
	requireField(t, errorOf(NewConcurrentFrom(classic)), ErrParams, "Params.Layout")
	require.ErrorIs(t, errorOf(NewConcurrentFrom(nil)), ErrParams)
	require.ErrorIs(t, errorOf(NewConcurrentFrom(new(Filter))), ErrParams)
	_, c := plainAndConcurrent(t, Params{Counters: 512, Hashes: 3, Layout: Blocked})
	c.AddString("kept")
	before := c.Snapshot()
	require.ErrorIs(t, c.Merge(classic), ErrIncompatible)
	require.ErrorIs(t, c.Merge(nil), ErrIncompatible)
	require.ErrorIs(t, (*Concurrent)(nil).Merge(before), ErrParams)
	require.True(t, c.Snapshot().Equal(before))
}

func TestAZeroConcurrentIsLikeAZeroFilter(t *testing.T) {
	var c Concurrent
	var f Filter
	c.AddString("any")
	c.AddAllStrings([]string{"any"})
	c.Reset()
	require.Equal(t, f.CountString("any"), c.CountString("any"))
	require.Equal(t, f.ContainsString("any"), c.ContainsString("any"))
	require.Equal(t, f.ContainsOrAddString("any"), c.ContainsOrAddString("any"))
	require.Equal(t, f.DeleteString("any"), c.DeleteString("any"))
	require.Equal(t, f.DeleteAllStrings([]string{"any"}), c.DeleteAllStrings([]string{"any"}))
	require.True(t, c.Snapshot().Equal(&f))
}

func TestConcurrentOperationsDoNotAllocate(t *testing.T) {
	_, c := plainAndConcurrent(t, Params{Counters: 512 * 1000, Hashes: 7, Layout: Blocked})
	keys, dst, counts := [][]byte{putUint64(1), putUint64(2)}, make([]bool, 0, 2), make([]uint64, 0, 2)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		c.Add(keys[0])
		c.Contains(keys[0])
		c.Count(keys[0])
		c.Delete(keys[0])
		c.ContainsOrAdd(keys[1])
		c.AddAll(keys)
		c.ContainsAll(dst, keys)
		c.CountAll(counts, keys)
		c.DeleteAll(keys)
	}))
}

func TestConcurrentDoesNotShowTheKey(t *testing.T) {
	_, c := plainAndConcurrent(t, Params{Counters: 512, Hashes: 1, Layout: Blocked, Family: hashfam.New(hashfam.Key{1, 2, 3, 4, 5})})
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%s", "%x"} {
		for _, v := range []any{c, *c, struct{ C Concurrent }{*c}} {
			require.NotContains(t, fmt.Sprintf(verb, v), "1 2 3 4 5")
			require.NotContains(t, fmt.Sprintf(verb, v), fmt.Sprint(uint64(0x0504030201)))
		}
	}
}
