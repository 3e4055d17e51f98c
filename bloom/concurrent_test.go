package bloom

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/conformance"
)

// On one goroutine a concurrent filter is, bit for bit, the plain one, whatever
// form of key is added, and gives its answers to every form of query.
func TestConcurrentEqualsThePlainFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t))
		c := newConcurrent(f.Clone())
		fam := f.params.Family
		adds := []func(i uint64, key []byte){
			func(_ uint64, key []byte) { c.Add(key) },
			func(_ uint64, key []byte) { c.AddString(string(key)) },
			func(_ uint64, key []byte) { c.AddDigest(fam.Sum(key)) },
			func(i uint64, _ []byte) { c.AddUint64(i) },
			func(_ uint64, key []byte) { require.Equal(t, f.Contains(key), c.ContainsOrAdd(key)) },
			func(_ uint64, key []byte) {
				require.Equal(t, f.Contains(key), c.ContainsOrAddString(string(key)))
			},
			func(i uint64, key []byte) { require.Equal(t, f.Contains(key), c.ContainsOrAddUint64(i)) },
		}
		var keys [][]byte
		for i := range rapid.Uint64Range(0, 60).Draw(t, "keys") {
			key := putUint64(i)
			rapid.SampledFrom(adds).Draw(t, "form")(i, key)
			f.Add(key)
			keys = append(keys, key)
		}
		require.True(t, c.Snapshot().Equal(f))
		keys = append(keys, []byte("absent"), nil)
		for _, key := range keys {
			want := f.Contains(key)
			require.Equal(t, want, c.Contains(key))
			require.Equal(t, want, c.ContainsString(string(key)))
			require.Equal(t, want, c.ContainsDigest(fam.Sum(key)))
		}
		require.Equal(t, f.EstimatedLen(), c.EstimatedLen())
		require.Equal(t, f.FillRatio(), c.FillRatio())
		require.Equal(t, f.FalsePositiveRate(), c.FalsePositiveRate())
		require.Equal(t, f.SizeBytes(), c.SizeBytes())
		require.Equal(t, f.params, c.Params())
		c.Reset()
		f.Reset()
		require.True(t, c.Snapshot().Equal(f))
	})
}

func TestConcurrentBatchesEqualSingleCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := mustNew(t, drawParams(t))
		numbers := make([]uint64, rapid.IntRange(0, 3*batch.Size).Draw(t, "n"))
		keys, texts := make([][]byte, len(numbers)), make([]string, len(numbers))
		for i := range numbers {
			numbers[i] = uint64(i) % 200
			keys[i] = putUint64(numbers[i])
			texts[i] = string(keys[i])
			f.Add(keys[i])
		}
		digests := f.params.Family.SumAll(nil, keys)
		for form, add := range map[string]func(*Concurrent){
			"bytes":    func(c *Concurrent) { c.AddAll(keys) },
			"strings":  func(c *Concurrent) { c.AddAllStrings(texts) },
			"integers": func(c *Concurrent) { c.AddAllUint64(numbers) },
			"digests":  func(c *Concurrent) { c.AddAllDigests(digests) },
			"sequence": func(c *Concurrent) { c.AddSeq(sequence(keys)) },
		} {
			c := newConcurrent(mustNew(t, f.params))
			add(c)
			require.True(t, c.Snapshot().Equal(f), form)
			for i := range numbers { // half of them were not added
				numbers[i] += uint64(i%2) << 40
				keys[i] = putUint64(numbers[i])
				texts[i] = string(keys[i])
			}
			before := []bool{true, false}
			want := f.ContainsAll(before[:2:2], keys)
			require.Equal(t, want, c.ContainsAll(before[:2:2], keys), form)
			require.Equal(t, want, c.ContainsAllStrings(before[:2:2], texts), form)
			require.Equal(t, want, c.ContainsAllUint64(before[:2:2], numbers), form)
			require.Equal(t, want, c.ContainsAllDigests(before[:2:2], f.params.Family.SumAll(nil, keys)), form)
			for i := range numbers {
				numbers[i] &= 1<<40 - 1
				keys[i], texts[i] = putUint64(numbers[i]), string(putUint64(numbers[i]))
			}
		}
	})
}

// The atomic forms of the functions in bloom.go give their answers, also those
// that AVX-512 replaces.
func TestSharedFormsEqualPlainOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.Layout, p.Bits = Blocked, (p.Bits+lineBits-1)/lineBits*lineBits
		f := mustNew(t, p)
		for d := range rapid.Uint64Range(0, 60).Draw(t, "keys") {
			f.AddUint64(d)
			e := p.Family.SumUint64(d + 20)
			require.Equal(t, hasBlocked(f.words, f.span, p.Hashes, e), seesBlocked(f.words, f.span, p.Hashes, e))
		}
		require.True(t, seesBlocked(nil, 0, 3, 1))
	})
}

// No bit is lost if many goroutines set bits of the same words, and an Add that
// returned is seen by every goroutine at once.
func TestConcurrentAddsLoseNothing(t *testing.T) {
	const writers = 8
	keys := uint64(20_000)
	if conformance.Long(t, 1, 0.2) {
		keys = 1_000_000
	}
	for _, layout := range layouts {
		plain, err := New(Config{Capacity: writers * keys, FPRate: 0.01, Layout: layout})
		require.NoError(t, err)
		c, err := NewConcurrentFrom(plain)
		require.NoError(t, err)
		var done [writers]atomic.Uint64 // the number of keys whose Add has returned
		var lost atomic.Uint64
		var wg sync.WaitGroup
		for w := range uint64(writers) {
			wg.Go(func() {
				for i := range keys {
					c.AddUint64(w<<32 | i)
					done[w].Store(i + 1)
					other := (w + i) % writers
					if n := done[other].Load(); n > 0 && !c.ContainsUint64(other<<32|(n-1)) {
						lost.Add(1)
					}
				}
			})
		}
		wg.Wait()
		require.Zero(t, lost.Load(), "%v: keys that another goroutine did not find", layout)
		for w := range uint64(writers) {
			for i := range keys {
				plain.AddUint64(w<<32 | i)
			}
		}
		require.True(t, c.Snapshot().Equal(plain), "%v: lost bits", layout)
	}
}

// Of several goroutines that call ContainsOrAdd with one key, one gets false:
// exactly one, unless the key is a false positive, which is found by all.
func TestOnlyOneContainsOrAddGetsFalse(t *testing.T) {
	const goroutines = 4
	keys := uint64(30_000)
	if conformance.Long(t, 0.1, 0.1) {
		keys = 3_000_000
	}
	c, err := NewConcurrent(Config{Capacity: keys, FPRate: 0.001})
	require.NoError(t, err)
	first := make([]atomic.Uint32, keys)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range keys {
				if !c.ContainsOrAddDigest(c.Params().Family.SumUint64(i)) {
					first[i].Add(1)
				}
			}
		})
	}
	wg.Wait()
	none := 0
	for i := range first {
		require.LessOrEqual(t, first[i].Load(), uint32(1), "goroutines that were the first to add key %d", i)
		if first[i].Load() == 0 {
			none++
		}
	}
	require.Less(t, none, int(keys/500), "false positives") // expected: fewer than one in a thousand
}

func TestConcurrentMergesAndRejects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		a, b := mustNew(t, p), mustNew(t, p)
		for i := range rapid.Uint64Range(0, 60).Draw(t, "keys") {
			a.AddUint64(i)
			b.AddUint64(1<<40 | i)
		}
		c, err := NewConcurrentFrom(a)
		require.NoError(t, err)
		require.NoError(t, c.Merge(b))
		require.NoError(t, a.Merge(b))
		require.True(t, c.Snapshot().Equal(a))
		other := p
		other.Hashes++
		if other.check(ErrParams) == nil {
			require.ErrorIs(t, c.Merge(mustNew(t, other)), ErrIncompatible)
		}
		require.ErrorIs(t, c.Merge(nil), ErrIncompatible)
		require.True(t, c.Snapshot().Equal(a))
	})
	require.ErrorIs(t, (*Concurrent)(nil).Merge(nil), ErrParams)
	require.ErrorIs(t, errorOf(NewConcurrentFrom(nil)), ErrParams)
	require.ErrorIs(t, errorOf(NewConcurrentFrom(new(Filter))), ErrParams)
	require.ErrorIs(t, errorOf(NewConcurrent(Config{})), ErrParams)
}

func TestAZeroConcurrentContainsEverything(t *testing.T) {
	var c Concurrent
	c.AddString("any")
	require.True(t, c.ContainsString("any"))
	require.True(t, c.ContainsOrAddString("any"))
	require.EqualValues(t, 1, c.FillRatio())
	require.True(t, c.Snapshot().Equal(new(Filter)))
}

func TestConcurrentOperationsDoNotAllocate(t *testing.T) {
	c, err := NewConcurrent(Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	keys, dst := [][]byte{putUint64(1), putUint64(2)}, make([]bool, 0, 2)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		c.Add(keys[0])
		c.Contains(keys[0])
		c.ContainsOrAdd(keys[1])
		c.AddAll(keys)
		c.ContainsAll(dst, keys)
	}))
}

func TestConcurrentDoesNotShowTheKey(t *testing.T) {
	c := newConcurrent(mustNew(t, Params{Bits: 64, Hashes: 1, Family: hashfam.New(hashfam.Key{1, 2, 3, 4, 5})}))
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%s", "%x"} {
		for _, v := range []any{c, *c, struct{ C Concurrent }{*c}} {
			require.NotContains(t, fmt.Sprintf(verb, v), "1 2 3 4 5")
			require.NotContains(t, fmt.Sprintf(verb, v), fmt.Sprint(uint64(0x0504030201)))
		}
	}
}
