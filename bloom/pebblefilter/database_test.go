package pebblefilter

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	pebblebloom "github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// pebbles is Pebble's own policy.
const pebbles = pebblebloom.FilterPolicy(10)

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// small returns options that distribute a few thousand keys over tables on
// several levels. All levels use policy p.
func small(p pebble.FilterPolicy) *pebble.Options {
	o := &pebble.Options{
		Logger: quiet{}, MemTableSize: 64 << 10, L0CompactionThreshold: 2, LBaseMaxBytes: 32 << 10,
		FormatMajorVersion: pebble.FormatNewest, Filters: map[string]pebble.FilterPolicy{},
	}
	o.TargetFileSizes[0] = 8 << 10
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = p
		o.Levels[i].BlockSize = 512
	}
	return o
}

// with adds policies, so that the database can also read their filters.
func with(o *pebble.Options, others ...pebble.FilterPolicy) *pebble.Options {
	for _, p := range others {
		o.Filters[p.Name()] = p
	}
	return o
}

func open(t *testing.T, dir string, o *pebble.Options) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(dir, o)
	require.NoError(t, err)
	return db
}

// put stores the first n keys.
func put(t *testing.T, db *pebble.DB, n int) {
	t.Helper()
	b := db.NewBatch()
	for i := range n {
		require.NoError(t, b.Set(key(i), []byte(value(i)), nil))
	}
	require.NoError(t, db.Apply(b, pebble.NoSync))
}

func value(i int) string { return fmt.Sprint("value ", i) }

// compact moves the first n keys to the last level.
func compact(t *testing.T, db *pebble.DB, n int) {
	t.Helper()
	require.NoError(t, db.Flush())
	require.NoError(t, db.Compact(context.Background(), key(0), key(n), false))
}

// seek returns the value of k, or "", using an iterator. last is its
// UseL6Filters.
func seek(t *testing.T, db *pebble.DB, k []byte, last bool) (found string) {
	t.Helper()
	it, err := db.NewIter(&pebble.IterOptions{UseL6Filters: last})
	require.NoError(t, err)
	if it.SeekPrefixGE(k) && bytes.Equal(it.Key(), k) {
		found = string(it.Value())
	}
	require.NoError(t, it.Close())
	return found
}

// filterQueries calls f, and returns how many filter queries avoided reading a
// table and how many queries there were.
func filterQueries(db *pebble.DB, f func()) (hits, all int64) {
	before := db.Metrics().Filter
	f()
	after := db.Metrics().Filter
	hits = after.Hits - before.Hits
	return hits, hits + after.Misses - before.Misses
}

// Random operations are applied to a database and to a map. The database is
// reopened several times with different policies. Sometimes a policy is
// missing.
func TestDatabaseMatchesAMap(t *testing.T) {
	for seed := range uint64(3) {
		r, dir, hits := rand.New(rand.NewPCG(seed, 26)), t.TempDir(), int64(0)
		model, ours := map[string]string{}, policies()
		all := []pebble.FilterPolicy{pebbles, pebble.NoFilterPolicy}
		for _, name := range slices.Sorted(maps.Keys(ours)) {
			all = append(all, ours[name])
		}
		for reopened := range 8 {
			o := small(nil)
			for i := range o.Levels {
				o.Levels[i].FilterPolicy = all[r.IntN(len(all))]
			}
			if r.IntN(4) != 0 {
				with(o, all[2:]...)
			}
			if reopened == 0 && seed%2 == 0 {
				o.FormatMajorVersion = pebble.FormatMinSupported // tables of rows
			}
			db := open(t, dir, o)
			for range 40 {
				change(t, r, db, model)
			}
			for range 600 {
				k := key(r.IntN(4000)) // half of them absent
				v, closer, err := db.Get(k)
				require.Equal(t, model[string(k)], string(v))
				if err == nil {
					require.NoError(t, closer.Close())
				}
				require.Equal(t, model[string(k)], seek(t, db, k, false))
				require.Equal(t, model[string(k)], seek(t, db, k, true))
			}
			hits += db.Metrics().Filter.Hits
			require.NoError(t, db.Close())
		}
		require.Greater(t, hits, int64(500), "queries that filters answered")
		for _, p := range ours {
			requireNoErrors(t, p)
		}
	}
}

// change applies a batch and another operation to the database and to the map.
func change(t *testing.T, r *rand.Rand, db *pebble.DB, model map[string]string) {
	b := db.NewBatch()
	for range r.IntN(40) {
		k, v := key(r.IntN(2000)), fmt.Sprint(r.Uint64())
		if r.IntN(5) == 0 {
			delete(model, string(k))
			require.NoError(t, b.Delete(k, nil))
			continue
		}
		model[string(k)] = v
		require.NoError(t, b.Set(k, []byte(v), nil))
	}
	require.NoError(t, db.Apply(b, pebble.NoSync))
	first := r.IntN(1900)
	from, to := key(first), key(first+r.IntN(100)+1)
	switch r.IntN(6) {
	case 0:
		maps.DeleteFunc(model, func(k, _ string) bool { return k >= string(from) && k < string(to) })
		require.NoError(t, db.DeleteRange(from, to, pebble.NoSync))
	case 1:
		require.NoError(t, db.Flush())
	case 2:
		require.NoError(t, db.Compact(context.Background(), from, to, false))
	}
}

// Get queries the filters of all levels except the last. An iterator with
// UseL6Filters also queries the last level.
func TestGetDoesNotQueryTheLastLevel(t *testing.T) {
	o := small(mustStatic(0.01))
	o.DisableAutomaticCompactions = true
	db := open(t, t.TempDir(), o)
	put(t, db, 3000)
	absent := func(f func(k []byte)) (hits, all int64) {
		return filterQueries(db, func() {
			for i := range 1000 {
				f(append(key(i), "absent"...))
			}
		})
	}
	byGet, plain := func(k []byte) { db.Get(k) }, func(k []byte) { seek(t, db, k, false) }
	scan := func(k []byte) {
		it, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
		require.NoError(t, err)
		it.SeekGE(k)
		require.NoError(t, it.Close())
	}
	require.NoError(t, db.Flush())
	hits, n := absent(byGet)
	require.Greater(t, n, int64(950), "in the first level")
	require.Greater(t, hits, int64(900))
	compact(t, db, 3000)
	for _, f := range []func([]byte){byGet, plain, scan} {
		_, n := absent(f)
		require.Zero(t, n, "in the last level")
	}
	hits, n = absent(func(k []byte) { seek(t, db, k, true) })
	require.Greater(t, n, int64(950))
	require.Greater(t, hits, int64(900))
	require.NoError(t, db.Close())
}

// If the policy is missing, the database can be opened and finds its keys, but
// does not query filters. When the policy is back, filters are queried again. A
// policy with another family does not count as the same policy.
func TestMissingPolicyLosesNoKeys(t *testing.T) {
	dir, p := t.TempDir(), mustStatic(0.01)
	db := open(t, dir, small(p))
	put(t, db, 2000)
	compact(t, db, 2000)
	require.NoError(t, db.Close())
	other := p.WithFamily(secret)
	for _, c := range []struct {
		o     *pebble.Options
		asked bool
	}{
		{small(nil), false},
		{small(pebbles), false},
		{small(other), false},
		{small(mustBloom(bloom.Blocked, 0.01)), false},
		{small(p), true},
		{with(small(nil), p), true},
		{small(mustStatic(0.3)), true},
	} {
		db := open(t, dir, c.o)
		_, n := filterQueries(db, func() {
			for i := range 2000 {
				require.Equal(t, value(i), seek(t, db, key(i), true))
			}
		})
		require.Equal(t, c.asked, n == 2000, n)
		require.NoError(t, db.Close())
	}
	requireNoErrors(t, other)
}

// If a Comparer splits keys into a prefix of twelve bytes and a version,
// filters should contain each prefix once.
func TestFiltersContainEachPrefixOnce(t *testing.T) {
	byPrefix := *pebble.DefaultComparer
	byPrefix.Split = func(k []byte) int { return min(len(k), len(key(0))) }
	byPrefix.Name = "filterfam.prefix"
	for name, p := range policies() {
		o := small(p)
		o.Comparer = &byPrefix
		o.TargetFileSizes[0], o.MemTableSize = 1<<20, 1<<20
		db := open(t, t.TempDir(), o)
		const prefixes, versions = 500, 8
		b := db.NewBatch()
		for i := range prefixes * versions {
			require.NoError(t, b.Set(fmt.Appendf(key(i/versions), "@%d", i%versions), []byte(value(i)), nil))
		}
		require.NoError(t, db.Apply(b, pebble.NoSync))
		compact(t, db, prefixes)
		levels, err := db.SSTables(pebble.WithProperties())
		require.NoError(t, err)
		require.Len(t, levels[6], 1)
		require.EqualValues(t, len(filterOf(p, prefixes)), levels[6][0].Properties.FilterSize, name)

		it, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
		require.NoError(t, err)
		for i := range prefixes {
			n := 0
			for ok := it.SeekPrefixGE(key(i)); ok; ok = it.Next() {
				require.Equal(t, value(i*versions+n), string(it.Value()))
				n++
			}
			require.Equal(t, versions, n, name)
		}
		hits, n := filterQueries(db, func() {
			for i := range prefixes {
				k := key(i)
				k[11] ^= 0x80 // another prefix, in the same table
				it.SeekPrefixGE(append(k, "@1"...))
			}
		})
		require.Greater(t, n, int64(prefixes*9/10), name)
		require.Greater(t, float64(hits), 0.85*float64(n), name)
		require.NoError(t, it.Close())
		require.NoError(t, db.Close())
		requireNoErrors(t, p)
	}
}
