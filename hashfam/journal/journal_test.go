package journal

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// Whatever was recorded before the last Sync or Save is restored, with its
// position, and nothing that was recorded later.
func TestSyncedChangesAreRestored(t *testing.T) {
	machine.Matters(t)
	withLimit(t, 3000)
	name := filepath.Join(quickDir(t), "journal")
	rapid.Check(t, func(t *rapid.T) {
		os.Remove(name)
		create := kinds[rapid.SampledFrom(kindNames()).Draw(t, "kind")]
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		k := create()
		j, err := Open(name, k.Structure)
		require.NoError(t, err)
		o := newOperator(k, j, rng)
		want, position := state(k), uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				for range rapid.IntRange(1, 300).Draw(t, "changes") {
					o.change()
				}
			},
			"sync": func(t *rapid.T) {
				position = rapid.Uint64().Draw(t, "position")
				require.NoError(t, j.Sync(position))
				want = state(k)
			},
			"save": func(t *rapid.T) {
				position = rapid.Uint64().Draw(t, "position")
				require.NoError(t, j.Save(position))
				want = state(k)
			},
			"": func(t *rapid.T) { require.Equal(t, position, j.Position()) },
			"close and open": func(t *rapid.T) {
				require.NoError(t, j.Close())
				again := create()
				j, err = Open(name, again.Structure)
				require.NoError(t, err)
				require.True(t, want == state(again), "another state was restored")
				if want == state(k) { // otherwise o would delete keys that are gone
					k = again
					o = &operator{k, j, rng, o.now, o.present}
				} else {
					k = again
					o = &operator{k, j, rng, o.now, nil}
				}
			},
		})
		require.NoError(t, j.Close())
	})
}

func smallBloom() *bloom.Filter {
	return hashfam.Must(bloom.New(bloom.Config{Capacity: 100, FPRate: 0.01}))
}

// A Sync appends 80 bytes and 8 for each digest, and nothing if nothing has
// changed.
func TestSyncAppends80BytesAnd8ForEachDigest(t *testing.T) {
	checks.Documented(t, "recipes.md", "Each `Sync` appends %d bytes for each new key and %d for itself", 8, 80)
	name := filepath.Join(quickDir(t), "journal")
	f := smallBloom()
	j := mustOpen(t, name, f)
	defer j.Close()
	first := sizeOf(t, name)
	structure, err := f.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, int64(72+len(structure)+72), first)
	for i, n := range []int64{1, 100, 10_000} {
		require.NoError(t, j.Sync(uint64(i)))
		before := sizeOf(t, name)
		for range n {
			j.Add(digestOf(1))
		}
		require.NoError(t, j.Sync(uint64(i)))
		require.Equal(t, 80+8*n, sizeOf(t, name)-before)
		require.NoError(t, j.Sync(uint64(i)))
		require.Equal(t, 80+8*n, sizeOf(t, name)-before, "nothing has changed")
	}
}

// While keys are added, new files keep the file at most about twice as long as
// the structure. In all, at most 17 bytes are written for each key.
func TestNewFilesNeedAtMost17BytesPerKey(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	f := hashfam.Must(bloom.New(bloom.Config{FPRate: 0.01, MemoryBytes: 4 << 20, Layout: bloom.Blocked}))
	keys := f.Params().CapacityAt(0.01)
	j := mustOpen(t, name, f)
	defer j.Close()
	structure := j.begin
	written, last := j.end.At, j.end.At
	files := 0
	for i := range keys {
		f.AddDigest(digestOf(i))
		j.Add(digestOf(i))
		if i%1000 != 999 {
			continue
		}
		require.NoError(t, j.Sync(i))
		if j.end.At < last {
			files++
			written += 8080 + j.end.At // the block before it, and the new file
		} else {
			written += j.end.At - last
		}
		last = j.end.At
		require.LessOrEqual(t, last, 2*structure+8080)
	}
	require.Equal(t, 6, files)
	require.Less(t, float64(written)/float64(keys), 17.0)
}

// When pending records need more memory than the structure, they are dropped,
// and the next Sync writes a new file.
func TestPendingRecordsNeedNoMoreMemoryThanTheStructure(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	f := hashfam.Must(bloom.New(bloom.Config{FPRate: 0.01, MemoryBytes: 2 << 20, Layout: bloom.Blocked}))
	j := mustOpen(t, name, f)
	for i := range uint64(1_000_000) {
		f.AddDigest(digestOf(i))
		j.Add(digestOf(i))
		require.LessOrEqual(t, len(j.pending.Words), 1+(2<<20+256)/8)
	}
	require.NoError(t, j.Sync(3))
	require.Less(t, sizeOf(t, name), int64(2<<20+300))
	require.NoError(t, j.Close())
	again := new(bloom.Filter)
	j = mustOpen(t, name, again)
	defer j.Close()
	require.True(t, f.Equal(again))
	require.EqualValues(t, 3, j.Position())
}

// The file of a journal is one of hashfam.WriteFile, or becomes one for readers
// of structures only by an error.
func TestReadersOfStructuresRefuseAJournal(t *testing.T) {
	machine.Matters(t)
	name := filepath.Join(quickDir(t), "journal")
	f := smallBloom()
	f.AddString("a")
	require.NoError(t, hashfam.WriteFile(name, f))
	g := new(bloom.Filter)
	j := mustOpen(t, name, g)
	require.True(t, g.Equal(f))
	d := g.Family().SumString("b")
	g.AddDigest(d)
	j.Add(d)
	require.NoError(t, j.Sync(5))
	require.NoError(t, j.Close())
	data := readAll(t, name)
	const want = "corrupt encoding: kind = a journal, want a"
	_, err := new(bloom.Filter).ReadFrom(bytes.NewReader(data))
	require.ErrorContains(t, err, want+" Bloom filter")
	_, err = new(counting.Filter).ReadFrom(bytes.NewReader(data))
	require.ErrorContains(t, err, want+" counting Bloom filter")
	_, err = bloom.NewView(data[:72:72], hashfam.Family{})
	require.ErrorContains(t, err, want+" Bloom filter")
	_, err = bloom.ReadParams(bytes.NewReader(data), hashfam.Family{})
	require.ErrorContains(t, err, want+" Bloom filter")
	p, err := bloom.ReadParams(bytes.NewReader(data[72:]), hashfam.Family{})
	require.NoError(t, err)
	require.Equal(t, f.Params(), p)
}

func TestOtherFilesAreRefused(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	j := mustOpen(t, name, smallBloom())
	j.Add(1, 2, 3)
	require.NoError(t, j.Sync(1))
	require.NoError(t, j.Close())
	require.ErrorIs(t, requireRefused(t, name, bloom.NewReceiver(hashfam.New(hashfam.Key{1}))), hashfam.ErrFamily)
	err := requireRefused(t, name, new(counting.Filter))
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	require.ErrorContains(t, err, "kind = a Bloom filter, want a counting Bloom filter")
	require.ErrorContains(t, err, name)
	data := readAll(t, name)
	for _, text := range []string{"text", "a longer text, which is not a frame of any kind", string(make([]byte, 10_000)), string(data[72:]), string(append(data, "more"...))[72:]} {
		write(t, name, []byte(text))
		require.ErrorIs(t, requireRefused(t, name, smallBloom()), hashfam.ErrCorrupt)
	}
	_, err = Open(filepath.Dir(name), smallBloom())
	require.Error(t, err)
	_, err = Open(filepath.Join(name, "file"), smallBloom())
	require.Error(t, err)
	_, err = Open(filepath.Join(name+"none", "file"), smallBloom())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestShardsAreReadOnlyWithTheirNumber(t *testing.T) {
	machine.Matters(t)
	name := filepath.Join(quickDir(t), "journal")
	create := func(n int) Structure {
		return Shards(hashfam.Must(sharded.New(n, func(int) (*bloom.Filter, error) { return smallBloom(), nil })))
	}
	j := mustOpen(t, name, create(4))
	j.Add(1, 2, 3)
	require.NoError(t, j.Sync(1))
	require.NoError(t, j.Close())
	for _, n := range []int{1, 3, 5, 8} {
		require.ErrorIs(t, requireRefused(t, name, create(n)), hashfam.ErrCorrupt)
	}
	require.ErrorIs(t, requireRefused(t, name, smallBloom()), hashfam.ErrCorrupt)
	require.NoError(t, mustOpen(t, name, create(4)).Close())
}

// An operation that cannot be repeated must be found before the file needs it.
func TestUnsupportedOperationsAreErrors(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	_, err := Open(name, nil)
	require.EqualError(t, err, "journal: invalid parameters: of = <nil>, want a structure")
	_, err = Open(name, Shards(new(sharded.Of[*bloom.Filter])))
	require.EqualError(t, err, "journal: invalid parameters: of = no shards, want an Of made with New or Read")
	heavy := hashfam.Must(countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.1}))
	shards := hashfam.Must(sharded.New(2, func(int) (*countmin.HeavyHitters, error) { return heavy, nil }))
	for _, s := range []Structure{new(static.Filter), heavy, Shards(shards), struct{ Structure }{smallBloom()}} {
		_, err = Open(name, s)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorContains(t, err, " has no AddAll for digests")
		require.NoFileExists(t, name)
	}
	for _, record := range []func(*Journal){
		func(j *Journal) { j.Delete(1) },
		func(j *Journal) { j.Advance(time.Now()) },
	} {
		j := mustOpen(t, name, smallBloom())
		j.Add(1)
		require.NoError(t, j.Sync(1))
		record(j)
		for range 2 {
			require.ErrorIs(t, j.Sync(2), errors.ErrUnsupported)
			require.ErrorIs(t, j.Save(2), errors.ErrUnsupported)
		}
		require.EqualValues(t, 1, j.Position())
		require.NoError(t, j.Close())
		j = mustOpen(t, name, smallBloom())
		require.EqualValues(t, 1, j.Position())
		require.NoError(t, j.Close())
		require.NoError(t, os.Remove(name))
	}
}

func TestCallsAfterCloseAreErrors(t *testing.T) {
	j := mustOpen(t, filepath.Join(quickDir(t), "journal"), smallBloom())
	require.NoError(t, j.Sync(3))
	require.NoError(t, j.Close())
	require.ErrorIs(t, j.Sync(3), os.ErrClosed)
	require.ErrorIs(t, j.Save(3), os.ErrClosed)
	require.ErrorIs(t, j.Close(), os.ErrClosed)
	j.Add(1)
	require.ErrorIs(t, j.Sync(4), os.ErrClosed)
	require.EqualValues(t, 3, j.Position())
}

// Times that a bloom.Rotating can distinguish are restored exactly.
func TestTimesAreRestored(t *testing.T) {
	machine.Matters(t)
	for _, at := range []time.Time{
		time.Unix(0, 0), time.Unix(1e9, 5), time.Unix(-1e9, 5), time.Unix(0, math.MaxInt64), time.Unix(0, math.MinInt64+1),
		time.Unix(1<<40, 0), {},
	} {
		name := filepath.Join(quickDir(t), "journal")
		k := rotatingKind(time.Minute)()
		j := mustOpen(t, name, k.Structure)
		k.advance(at)
		j.Advance(at)
		require.NoError(t, j.Sync(1))
		require.NoError(t, j.Close())
		again := rotatingKind(time.Minute)()
		j = mustOpen(t, name, again.Structure)
		require.True(t, state(k) == state(again), at)
		require.NoError(t, j.Close())
	}
}

// A shard may be advanced long after another one. If the time was recorded
// before a new file was written, that shard's keys must not be restored as
// older than they are.
func TestShardsThatAreAdvancedLateForgetNothingEarly(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	create := func() *sharded.Of[*bloom.Rotating] {
		return hashfam.Must(sharded.New(2, func(int) (*bloom.Rotating, error) {
			return bloom.NewRotating(bloom.RotatingConfig{Keys: 100, Span: time.Minute, FPRate: 1e-6})
		}))
	}
	o := create()
	j := mustOpen(t, name, Shards(o))
	at := func(seconds int64, d hashfam.Digest) {
		o.Do(d, func(f *bloom.Rotating) {
			f.Advance(time.Unix(seconds, 0))
			j.Advance(time.Unix(seconds, 0))
			f.AddDigest(d)
			j.Add(d)
		})
	}
	first, last := hashfam.Digest(1), hashfam.Digest(1<<63+1)
	at(0, first)
	at(0, last)
	at(119, first)
	require.NoError(t, j.Save(1))
	at(119, last)
	require.NoError(t, j.Sync(2))
	require.NoError(t, j.Close())
	again := create()
	j = mustOpen(t, name, Shards(again))
	defer j.Close()
	again.Do(last, func(f *bloom.Rotating) {
		f.Advance(time.Unix(178, 0))
		require.True(t, f.ContainsDigest(last))
	})
}

// The file that a symbolic link refers to is used and replaced.
func TestLinksAreFollowed(t *testing.T) {
	folder := quickDir(t)
	name := filepath.Join(folder, "journal")
	link := filepath.Join(folder, "link")
	if err := os.Symlink(name, link); err != nil {
		t.Skip("this system has no links: ", err)
	}
	j := mustOpen(t, link, smallBloom())
	j.Add(1)
	require.NoError(t, j.Save(7))
	require.NoError(t, j.Close())
	j = mustOpen(t, name, smallBloom())
	require.EqualValues(t, 7, j.Position())
	require.NoError(t, j.Close())
}

// A process that is killed leaves a temporary file, which belongs to the
// journal with its name.
func TestOpenRemovesTemporaryFilesOfItsName(t *testing.T) {
	folder := quickDir(t)
	for _, name := range []string{".filterfam-journal-123", ".filterfam-journal-4", ".filterfam-other-123", ".filterfam-journal-x"} {
		write(t, filepath.Join(folder, name), []byte("text"))
	}
	name := filepath.Join(folder, "journal")
	for range 2 {
		require.NoError(t, mustOpen(t, name, smallBloom()).Close())
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, entries, 3)
		write(t, filepath.Join(folder, ".filterfam-journal-5"), nil)
	}
}
