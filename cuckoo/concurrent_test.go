package cuckoo

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func mustConcurrent(t require.TestingT, p Params) *Concurrent {
	c, err := NewConcurrentFrom(mustNew(t, p))
	require.NoError(t, err)
	return c
}

// Called by one goroutine, a Concurrent answers as a Filter does, of any width
// and form, also after a snapshot.
func TestConcurrentEqualsAFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		f, c := mustNew(t, p), mustConcurrent(t, p)
		key := rapid.Map(rapid.IntRange(0, 40), func(n int) hashfam.Digest { return p.Family.SumUint64(uint64(n)) })
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				d := key.Draw(t, "key")
				require.Equal(t, f.AddDigest(d), c.AddDigest(d))
			},
			"delete": func(t *rapid.T) {
				d := key.Draw(t, "key")
				require.Equal(t, f.DeleteDigest(d), c.DeleteDigest(d))
			},
			"contains or add": func(t *rapid.T) {
				d := key.Draw(t, "key")
				want, wantErr := f.ContainsOrAddDigest(d)
				found, err := c.ContainsOrAddDigest(d)
				require.Equal(t, want, found)
				require.Equal(t, wantErr, err)
			},
			"snapshot": func(t *rapid.T) {
				var err error
				s := c.Snapshot()
				require.NoError(t, s.checkTable())
				c, err = NewConcurrentFrom(s)
				require.NoError(t, err)
			},
			"reset": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
					f.Reset()
					c.Reset()
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, f.Len(), c.Len())
				require.Equal(t, f.FillRatio(), c.FillRatio())
				require.Equal(t, f.FalsePositiveRate(), c.FalsePositiveRate())
				for n := range uint64(41) {
					d := p.Family.SumUint64(n)
					require.Equal(t, f.CountDigest(d), c.CountDigest(d))
					require.Equal(t, f.ContainsDigest(d), c.ContainsDigest(d))
				}
			},
		})
	})
}

// A schedule is what four goroutines do at the same time on a small filter.
// Each has keys of its own, and keeps an exact count of them: between its own
// calls no one else changes them, so whatever the others do, it finds at least
// as many copies as it has added.
func schedule(t *testing.T, p Params, seed uint64) {
	c := mustConcurrent(t, p)
	var wg sync.WaitGroup
	var lost atomic.Uint64
	var added atomic.Uint64
	for g := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, g))
			var have [6]uint64
			for range 12 {
				k := r.Uint64N(6)
				d := p.Family.SumUint64(seed<<16 | g<<8 | k)
				switch r.IntN(4) {
				case 0, 1:
					if c.AddDigest(d) == nil {
						have[k]++
						added.Add(1)
					}
				case 2:
					if have[k] > 0 {
						if !c.DeleteDigest(d) {
							lost.Add(1)
						}
						have[k]--
						added.Add(^uint64(0))
					}
				case 3:
					if found, err := c.ContainsOrAddDigest(d); !found && err == nil {
						have[k]++
						added.Add(1)
					} else if !found && have[k] > 0 {
						lost.Add(1)
					}
				}
				for k, n := range have {
					d := p.Family.SumUint64(seed<<16 | g<<8 | uint64(k))
					if n > 0 && !c.ContainsDigest(d) || c.CountDigest(d) < n {
						lost.Add(1)
					}
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, lost.Load(), "%v, seed %d: keys were lost", p, seed)
	require.Equal(t, added.Load(), c.Len(), "%v, seed %d", p, seed)
	require.NoError(t, c.Snapshot().checkTable())
}

// The tables are so small that most Adds evict, and some are refused.
func TestRandomSchedulesLoseNoKey(t *testing.T) {
	n := uint64(1000)
	if conformance.Long(t, 5, 0.1) {
		n = 1_000_000
	}
	for seed := range n {
		p := Params{Buckets: 2 + 2*(seed%20), FingerprintBits: 6 + int(seed%26), Compact: seed%3 == 0}
		schedule(t, p, seed)
	}
}

// Readers look for keys that are in the filter all the time, while writers add
// and delete others, so that fingerprints move all the time.
func TestReadersMissNoKeyThatMoves(t *testing.T) {
	rounds := 8
	if conformance.Long(t, 3, 0.1) {
		rounds = 3000
	}
	for _, p := range []Params{
		{Buckets: 64, FingerprintBits: 10}, {Buckets: 64, FingerprintBits: 13, Compact: true},
		{Buckets: 64, FingerprintBits: 27}, {Buckets: 64, FingerprintBits: 29, Compact: true},
	} {
		c := mustConcurrent(t, p)
		for n := range uint64(100) {
			require.NoError(t, c.AddDigest(p.Family.SumUint64(n)))
		}
		var writers, readers sync.WaitGroup
		var done atomic.Bool
		var missed atomic.Uint64
		for range 2 {
			readers.Go(func() {
				for !done.Load() {
					for n := range uint64(100) {
						d := p.Family.SumUint64(n)
						if !c.ContainsDigest(d) || c.CountDigest(d) == 0 {
							missed.Add(1)
						}
					}
					runtime.Gosched() // WebAssembly has one thread and does not preempt
				}
			})
		}
		for g := range uint64(2) {
			writers.Go(func() {
				for round := range rounds {
					var in []hashfam.Digest
					for k := range uint64(90) {
						d := p.Family.SumUint64(1<<32 | g<<24 | uint64(round)<<8 | k)
						if c.AddDigest(d) == nil {
							in = append(in, d)
						}
					}
					for _, d := range in {
						if !c.ContainsDigest(d) || !c.DeleteDigest(d) {
							missed.Add(1)
						}
					}
				}
			})
		}
		writers.Wait()
		done.Store(true)
		readers.Wait()
		require.Zero(t, missed.Load(), "%v", p)
		require.EqualValues(t, 100, c.Len())
	}
}

// Eight writers add keys of their own, a filter's capacity in all, and find
// each at once. No Add is refused, and none is lost.
func TestEightWritersFillAConcurrent(t *testing.T) {
	each := uint64(2_000)
	if conformance.Long(t, 1, 0.1) {
		each = 1_000_000
	}
	for _, sorted := range []bool{false, true} {
		c, err := NewConcurrent(Config{Capacity: 8 * each, FPRate: 0.01, Compact: sorted})
		require.NoError(t, err)
		var wg sync.WaitGroup
		var failed atomic.Uint64
		key := func(g, n uint64) []byte {
			return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, g), n)
		}
		for g := range uint64(8) {
			wg.Go(func() {
				for n := range each {
					if c.Add(key(g, n)) != nil || !c.Contains(key(g, n)) {
						failed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		require.Zero(t, failed.Load())
		require.Equal(t, 8*each, c.Len())
		f := c.Snapshot()
		require.NoError(t, f.checkTable())
		for g := range uint64(8) {
			for n := range each {
				if k := key(g, n); !f.Contains(k) || !c.Contains(k) {
					require.FailNow(t, "lost a key", "%x", k)
				}
			}
		}
	}
}

// Of goroutines that add one key if it is absent, one adds it.
func TestOneOfManyAddsAnAbsentKey(t *testing.T) {
	c := mustConcurrent(t, Params{Buckets: 2000, FingerprintBits: 32})
	for n := range uint64(300) {
		var wg sync.WaitGroup
		var added atomic.Uint64
		for range 4 {
			wg.Go(func() {
				if found, err := c.ContainsOrAddString(fmt.Sprint(n)); !found && err == nil {
					added.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, added.Load())
	}
}

func TestConcurrentBatchesEqualSingleCalls(t *testing.T) {
	single, batch := mustConcurrent(t, Params{Buckets: 50, FingerprintBits: 12}), mustConcurrent(t, Params{Buckets: 50, FingerprintBits: 12})
	keys := make([]string, 300)
	for k := range keys {
		keys[k] = fmt.Sprint("key ", k%170)
	}
	added, err := batch.AddAllStrings(keys)
	for _, key := range keys[:added] {
		require.NoError(t, single.AddString(key))
	}
	require.Equal(t, single.AddString(keys[added]), err)
	require.True(t, single.Snapshot().Equal(batch.Snapshot()))
	for k, key := range keys {
		require.Equal(t, single.ContainsString(key), batch.ContainsAllStrings(nil, keys)[k])
		require.Equal(t, single.CountString(key), batch.CountAllStrings(nil, keys)[k])
	}
	require.Equal(t, added, batch.DeleteAllStrings(keys[:added]))
	require.Zero(t, batch.Len())
}

func TestAConcurrentStartsFromAFilter(t *testing.T) {
	for _, f := range []*Filter{nil, {}} {
		_, err := NewConcurrentFrom(f)
		require.ErrorIs(t, err, ErrParams)
	}
	_, err := NewConcurrent(Config{})
	require.ErrorIs(t, err, ErrParams)
	f := golden(Params{Buckets: 38, FingerprintBits: 25, Compact: true})()
	c, err := NewConcurrentFrom(f)
	require.NoError(t, err)
	require.True(t, f.Equal(c.Snapshot()))
	require.Equal(t, f.Params(), c.Params())
	require.Equal(t, f.SizeBytes(), c.SizeBytes())
	require.NoError(t, c.AddString("another"))
	require.False(t, f.Equal(c.Snapshot()), "the filter shares memory")
}

func TestAZeroConcurrent(t *testing.T) {
	var c Concurrent
	require.True(t, c.ContainsString("x"))
	require.Equal(t, []bool{true}, c.ContainsAllStrings(nil, []string{"x"}))
	require.ErrorIs(t, c.AddString("x"), ErrFull)
	found, err := c.ContainsOrAddString("x")
	require.True(t, found)
	require.NoError(t, err)
	found, err = c.ContainsOrAddUint64(1)
	require.True(t, found)
	require.NoError(t, err)
	require.False(t, c.DeleteString("x"))
	require.EqualValues(t, 8, c.CountString("x"))
	require.Equal(t, 1.0, c.FalsePositiveRate())
	require.Equal(t, 1.0, c.FillRatio())
	require.True(t, c.Snapshot().Equal(new(Filter)))
	c.Reset()
	var none *Concurrent
	for _, err := range []error{
		none.Add(nil), none.AddString(""), none.AddUint64(0), none.AddDigest(0),
		func() error { _, err := none.AddAll(nil); return err }(),
		func() error { _, err := none.ContainsOrAdd(nil); return err }(),
	} {
		require.ErrorIs(t, err, ErrParams)
	}
}

func TestConcurrentDoesNotAllocate(t *testing.T) {
	for _, p := range []Params{{Buckets: 50, FingerprintBits: 12}, {Buckets: 50, FingerprintBits: 28, Compact: true}} {
		c := mustConcurrent(t, p)
		n := uint64(0)
		require.Zero(t, testing.AllocsPerRun(250, func() { // the last ones are refused
			n++
			c.AddUint64(n)
			c.ContainsUint64(n)
			c.CountUint64(n)
		}))
		require.Zero(t, testing.AllocsPerRun(100, func() { n--; c.DeleteUint64(n) }))
	}
}

// A move changes the version of the stripe that the fingerprint leaves, so that
// a reader that missed it looks again. If another goroutine has changed the
// slot, a move does nothing.
func TestAMoveIsSeenAndChecked(t *testing.T) {
	for _, p := range []Params{{Buckets: 100, FingerprintBits: 12}, {Buckets: 100, FingerprintBits: 12, Compact: true}} {
		c := mustConcurrent(t, p)
		i, j, fp := c.locate(77)
		require.True(t, c.change(i, 0, fp))
		slot := 0
		for a, b := c.table.lanes(i); c.table.lane(a, b, slot) != fp; slot++ {
		}
		before := c.version(i).Load()
		wrong := (j + 2) % p.Buckets
		require.False(t, c.move(i, wrong, slot), "not its other bucket")
		require.Zero(t, c.table.copies(wrong, fp))
		require.Equal(t, 1, c.table.copies(i, fp))
		require.Equal(t, before, c.version(i).Load())
		require.True(t, c.move(i, j, slot))
		require.Equal(t, 1, c.table.copies(j, fp))
		require.Zero(t, c.table.copies(i, fp))
		require.NotEqual(t, before, c.version(i).Load(), "readers would not look again")
		require.Zero(t, c.version(i).Load()%2)
		require.True(t, c.move(i, j, slot), "nothing to move")
	}
}

// A key stays found while another one with its fingerprint and its two buckets,
// in the other order, is added and deleted. The steps are those of a reader
// that is between the buckets meanwhile: it must find the key, or see that it
// has to look again.
func TestAReaderBetweenTwoBucketsLosesNoKey(t *testing.T) {
	for _, p := range []Params{
		{Buckets: 2, FingerprintBits: 8}, {Buckets: 4, FingerprintBits: 17},
		{Buckets: 64, FingerprintBits: 9, Compact: true}, {Buckets: 4, FingerprintBits: 18, Compact: true},
	} {
		c := mustConcurrent(t, p)
		key, same, turned := collision(c)
		i, j, fp := c.locate(key)
		require.NoError(t, c.AddDigest(key))
		if c.table.copies(i, fp) > 0 { // bring the copy to j
			require.NoError(t, c.AddDigest(same))
			require.True(t, c.DeleteDigest(same))
		}
		require.Equal(t, [2]int{0, 1}, [2]int{c.table.copies(i, fp), c.table.copies(j, fp)})
		before, other := c.version(i).Load(), c.version(j).Load()
		seen := c.table.copies(i, fp)
		require.NoError(t, c.AddDigest(turned))
		require.True(t, c.DeleteDigest(turned))
		seen += c.table.copies(j, fp)
		changed := c.version(i).Load() != before || c.version(j).Load() != other
		require.True(t, seen > 0 || changed, "%v: the key is lost", p)
	}
}

// A Delete from a plain table disturbs readers only if both buckets have
// copies, and any Delete does so once then.
func TestOnlyDeletesThatCouldHideAKeyDisturbReaders(t *testing.T) {
	for _, compact := range []bool{false, true} {
		c := mustConcurrent(t, Params{Buckets: 64, FingerprintBits: 9, Compact: compact})
		key, _, turned := collision(c)
		i, j, fp := c.locate(key)
		versions := func() uint32 { return c.version(i).Load() + c.version(j).Load() }
		changes := func(d hashfam.Digest) uint32 {
			before := versions()
			require.True(t, c.DeleteDigest(d))
			return versions() - before
		}
		both := uint32(2)
		if c.version(i) == c.version(j) { // counted twice
			both = 4
		}
		for _, d := range []hashfam.Digest{key, turned} { // one copy, in each of the buckets
			require.NoError(t, c.AddDigest(d))
			n := changes(key)
			require.True(t, n == 0 || compact, "%d", n)
		}
		require.NoError(t, c.AddDigest(key))
		require.NoError(t, c.AddDigest(turned))
		require.Equal(t, [2]int{1, 1}, [2]int{c.table.copies(i, fp), c.table.copies(j, fp)})
		require.Equal(t, both, changes(key), "compact %v", compact)
	}
}

// collision returns digests with one fingerprint and one pair of buckets, the
// last in the other order.
func collision(c *Concurrent) (key, same, turned hashfam.Digest) {
	key = c.params.Family.SumUint64(0)
	i, j, fp := c.locate(key)
	for k := uint64(1); same == 0 || turned == 0; k++ {
		d := c.params.Family.SumUint64(k)
		switch a, b, f := c.locate(d); {
		case f != fp:
		case a == i && b == j:
			same = d
		case a == j && b == i:
			turned = d
		}
	}
	return key, same, turned
}

// The number of keys stays within the slots while a Reset runs: a stripe can
// count below zero, and the others may be read after the Reset.
func TestTheNumberOfKeysDuringAReset(t *testing.T) {
	c, err := NewConcurrent(Config{Capacity: 10_000, FPRate: 0.01})
	require.NoError(t, err)
	for key := range uint64(2000) {
		require.NoError(t, c.AddUint64(key))
	}
	for key := range uint64(1900) {
		require.True(t, c.DeleteUint64(key))
	}
	c.stripes[len(c.stripes)-1].count.Store(0) // as a Reset in the middle of its work
	for s := range len(c.stripes) - 1 {
		if n := c.stripes[s].count.Load(); n < 1<<63 {
			c.stripes[s].count.Store(0)
		}
	}
	c.lockAll()
	require.Greater(t, c.sum(), c.params.slots())
	got := make(chan uint64, 1)
	go func() { got <- c.Len() }()
	for range 10_000 { // time to run into the locks
		runtime.Gosched()
		require.Empty(t, got, "it did not wait")
	}
	for s := range c.stripes { // the Reset goes on
		c.stripes[s].count.Store(0)
	}
	c.unlockAll()
	require.Zero(t, <-got)
}
