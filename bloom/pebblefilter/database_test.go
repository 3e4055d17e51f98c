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
// several levels. All levels use policy p unless levels contains another one.
func small(p pebble.FilterPolicy, levels map[int]pebble.FilterPolicy) *pebble.Options {
	o := &pebble.Options{
		Logger: quiet{}, MemTableSize: 64 << 10, L0CompactionThreshold: 2, LBaseMaxBytes: 32 << 10,
		FormatMajorVersion: pebble.FormatNewest, Filters: map[string]pebble.FilterPolicy{},
	}
	o.TargetFileSizes[0] = 8 << 10
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = p
		o.Levels[i].BlockSize = 512
		if other, ok := levels[i]; ok {
			o.Levels[i].FilterPolicy = other
		}
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

func closeDB(t *testing.T, db *pebble.DB) {
	t.Helper()
	require.NoError(t, db.Close())
}

// put stores keys i to j-1. Each value contains the key and the round.
func put(t *testing.T, db *pebble.DB, i, j, round int) {
	t.Helper()
	b := db.NewBatch()
	for ; i < j; i++ {
		require.NoError(t, b.Set(key(i), value(i, round), nil))
	}
	require.NoError(t, db.Apply(b, pebble.NoSync))
}

func value(i, round int) []byte { return fmt.Appendf(nil, "value %d of round %d", i, round) }

// compact flushes the memtable and compacts all tables to the last level.
func compact(t *testing.T, db *pebble.DB, from, to int) {
	t.Helper()
	require.NoError(t, db.Flush())
	require.NoError(t, db.Compact(context.Background(), key(from), key(to), false))
}

// fill creates a database of n keys, all on the last level.
func fill(t *testing.T, dir string, o *pebble.Options, n int) {
	t.Helper()
	db := open(t, dir, o)
	put(t, db, 0, n, 1)
	compact(t, db, 0, n)
	closeDB(t, db)
}

// get returns the value of k, or nil. It uses Get, and requires that iterators
// with and without the filters of the last level return the same value.
func get(t *testing.T, db *pebble.DB, k []byte) []byte {
	t.Helper()
	var found []byte
	v, closer, err := db.Get(k)
	if err == nil {
		found = append([]byte{}, v...)
		require.NoError(t, closer.Close())
	} else {
		require.ErrorIs(t, err, pebble.ErrNotFound)
	}
	for _, last := range []bool{false, true} {
		require.Equal(t, string(found), string(seek(t, db, k, last)), "key %q, filters of the last level: %v", k, last)
	}
	return found
}

// seek is like get, but uses an iterator. last is its UseL6Filters.
func seek(t *testing.T, db *pebble.DB, k []byte, last bool) (found []byte) {
	t.Helper()
	it, err := db.NewIter(&pebble.IterOptions{UseL6Filters: last})
	require.NoError(t, err)
	if it.SeekPrefixGE(k) && bytes.Equal(it.Key(), k) {
		found = append([]byte{}, it.Value()...)
	}
	require.NoError(t, it.Close())
	return found
}

// tables returns the policy names of all tables, by level, and the total size
// of the filters.
func tables(t *testing.T, db *pebble.DB) (names [7][]string, size uint64) {
	t.Helper()
	levels, err := db.SSTables(pebble.WithProperties())
	require.NoError(t, err)
	for i, level := range levels {
		for _, table := range level {
			names[i] = append(names[i], table.Properties.FilterPolicyName)
			size += table.Properties.FilterSize
		}
	}
	return names, size
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

// A random sequence of operations is applied to a database and to a map. The
// database is reopened several times with different policies. Sometimes a
// policy is missing.
func TestDatabaseMatchesAMap(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &machine{T: t, dir: t.TempDir(), Rand: rand.New(rand.NewPCG(seed, 26)), model: map[string]string{}, ours: policies()}
			m.all = []pebble.FilterPolicy{pebbles, pebble.NoFilterPolicy}
			for _, name := range slices.Sorted(maps.Keys(m.ours)) {
				m.all = append(m.all, m.ours[name])
			}
			m.open()
			for range 1500 {
				m.step()
			}
			m.check()
			m.close()
			require.Greater(t, m.hits, int64(500), "queries that filters answered")
			for _, p := range m.ours {
				requireNoErrors(t, p)
			}
		})
	}
}

// A machine applies operations to a database and to a map.
type machine struct {
	*testing.T
	*rand.Rand
	dir   string
	db    *pebble.DB
	model map[string]string
	ours  map[string]*Policy
	all   []pebble.FilterPolicy
	hits  int64
}

func (m *machine) open() {
	levels := map[int]pebble.FilterPolicy{}
	for i := range 7 {
		levels[i] = m.all[m.IntN(len(m.all))]
	}
	o := small(nil, levels)
	if m.Uint64()%4 != 0 {
		with(o, m.all[2:]...)
	}
	if len(m.model) == 0 && m.Uint64()%2 == 0 {
		o.FormatMajorVersion = pebble.FormatMinSupported // tables of rows
	}
	m.db = open(m.T, m.dir, o)
}

func (m *machine) close() {
	m.hits += m.db.Metrics().Filter.Hits
	closeDB(m.T, m.db)
}

func (m *machine) key() []byte { return key(m.IntN(2000)) }

func (m *machine) step() {
	switch n := m.IntN(200); {
	case n < 80:
		b := m.db.NewBatch()
		for range m.IntN(30) {
			k, v := m.key(), fmt.Sprint(m.Uint64())
			m.model[string(k)] = v
			require.NoError(m, b.Set(k, []byte(v), nil))
		}
		require.NoError(m, m.db.Apply(b, pebble.NoSync))
	case n < 100:
		for range m.IntN(10) {
			k := m.key()
			delete(m.model, string(k))
			require.NoError(m, m.db.Delete(k, pebble.NoSync))
		}
	case n < 105:
		from, to := m.key(), m.key()
		if m.Uint64()%4 != 0 {
			to = append(bytes.Clone(from[:len(from)-1]), 'x') // at most ten keys
		}
		maps.DeleteFunc(m.model, func(k, _ string) bool { return k >= string(from) && k < string(to) })
		if bytes.Compare(from, to) < 0 {
			require.NoError(m, m.db.DeleteRange(from, to, pebble.NoSync))
		}
	case n < 110:
		require.NoError(m, m.db.Flush())
	case n < 112:
		if from, to := m.key(), m.key(); bytes.Compare(from, to) < 0 {
			require.NoError(m, m.db.Compact(context.Background(), from, to, false))
		}
	case n < 113:
		m.close()
		m.open()
	case n < 114:
		m.check()
	default:
		k := key(m.IntN(4000)) // half of them absent
		require.Equal(m, m.model[string(k)], string(get(m.T, m.db, k)))
	}
}

// check looks up every key.
func (m *machine) check() {
	for i := range 2000 {
		require.Equal(m, m.model[string(key(i))], string(seek(m.T, m.db, key(i), i%2 == 0)))
	}
}

// Get queries the filters of all levels except the last. An iterator with
// UseL6Filters also queries the last level.
func TestGetDoesNotQueryTheLastLevel(t *testing.T) {
	for _, p := range []pebble.FilterPolicy{pebbles, mustStatic(0.01)} {
		o := small(p, nil)
		o.DisableAutomaticCompactions = true
		db := open(t, t.TempDir(), o)
		put(t, db, 0, 3000, 1)
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
		compact(t, db, 0, 3000)
		names, _ := tables(t, db)
		require.NotEmpty(t, names[6])
		require.Empty(t, slices.Concat(names[:6]...))
		for _, f := range []func([]byte){byGet, plain, scan} {
			_, n := absent(f)
			require.Zero(t, n, "in the last level")
		}
		hits, n = absent(func(k []byte) { seek(t, db, k, true) })
		require.Greater(t, n, int64(950))
		require.Greater(t, hits, int64(900))
		closeDB(t, db)
	}
}

// If the policy is missing, the database can be opened and finds its keys, but
// does not query filters. When the policy is back, filters are queried again. A
// policy with another family does not count as the same policy.
func TestMissingPolicyLosesNoKeys(t *testing.T) {
	dir, p := t.TempDir(), mustStatic(0.01)
	fill(t, dir, small(p, nil), 2000)
	other := p.WithFamily(secret)
	for _, c := range []struct {
		o     *pebble.Options
		asked bool
	}{
		{small(nil, nil), false},
		{small(pebbles, nil), false},
		{small(other, nil), false},
		{small(mustBloom(bloom.Blocked, 0.01), nil), false},
		{small(p, nil), true},
		{with(small(nil, nil), p), true},
		{small(mustStatic(0.3), nil), true},
	} {
		db := open(t, dir, c.o)
		_, n := filterQueries(db, func() {
			for i := range 2000 {
				require.Equal(t, value(i, 1), seek(t, db, key(i), true))
			}
		})
		require.Equal(t, c.asked, n == 2000, n)
		closeDB(t, db)
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
		o := small(p, nil)
		o.Comparer = &byPrefix
		o.TargetFileSizes[0], o.MemTableSize = 1<<20, 1<<20
		db := open(t, t.TempDir(), o)
		const prefixes, versions = 500, 8
		b := db.NewBatch()
		for i := range prefixes * versions {
			require.NoError(t, b.Set(fmt.Appendf(key(i/versions), "@%d", i%versions), value(i, 0), nil))
		}
		require.NoError(t, db.Apply(b, pebble.NoSync))
		compact(t, db, 0, prefixes)
		_, size := tables(t, db)
		require.EqualValues(t, len(filterOf(p, prefixes)), size, name)

		it, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
		require.NoError(t, err)
		for i := range prefixes {
			n := 0
			for ok := it.SeekPrefixGE(key(i)); ok; ok = it.Next() {
				require.Equal(t, value(i*versions+n, 0), it.Value())
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
		closeDB(t, db)
		requireNoErrors(t, p)
	}
}
