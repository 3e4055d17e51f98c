package journal

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// benchmarkFolders returns a new folder on a disk and one in memory.
func benchmarkFolders(b *testing.B) map[string]string {
	return map[string]string{"disk": b.TempDir(), "memory": quickDir(b)}
}

func blockedBloom(bytes uint64) *bloom.Filter {
	return hashfam.Must(bloom.New(bloom.Config{FPRate: 0.01, MemoryBytes: bytes, Layout: bloom.Blocked}))
}

// BenchmarkAdd adds keys to three filters of 100 MB in turns: one without a
// journal, one with a journal in memory, and one with a journal on a disk. It
// calls Sync for each 10,000 keys. It prints the nanoseconds per key of the
// fastest turn of each filter, since on a busy machine most turns are
// interrupted. It also prints the time of writing a new file, divided by the
// number of keys after which a new file is due.
func BenchmarkAdd(b *testing.B) {
	const bytes, keys = 100_000_000, 10_000
	filters := map[string]*bloom.Filter{}
	journals := map[string]*Journal{}
	least := map[string]float64{}
	for where, folder := range map[string]string{"plain": "", "memory": quickDir(b), "disk": b.TempDir()} {
		filters[where] = blockedBloom(bytes)
		least[where] = math.Inf(1)
		if folder != "" {
			journals[where] = mustOpen(b, filepath.Join(folder, "journal"), filters[where])
			defer journals[where].Close()
		}
	}
	b.ResetTimer()
	for round := range uint64(b.N) {
		for where, f := range filters {
			begin := time.Now()
			addAll(b, f, journals[where], round*keys, (round+1)*keys)
			least[where] = min(least[where], float64(time.Since(begin).Nanoseconds())/keys)
		}
	}
	b.StopTimer()
	for where, ns := range least {
		b.ReportMetric(ns, where+"-ns")
		if j := journals[where]; j != nil {
			save := math.Inf(1)
			for range 5 {
				begin := time.Now()
				require.NoError(b, j.Save(0))
				save = min(save, float64(time.Since(begin).Nanoseconds()))
			}
			b.ReportMetric(save/float64(j.limit/8), where+"-new-file-ns")
		}
	}
}

// addAll adds keys and then calls Sync, unless j is nil.
func addAll(b *testing.B, f *bloom.Filter, j *Journal, from, to uint64) {
	for i := from; i < to; i++ {
		d := digestOf(i)
		f.AddDigest(d)
		if j != nil {
			j.Add(d)
		}
	}
	if j != nil {
		require.NoError(b, j.Sync(to))
	}
}

// BenchmarkLife adds as many keys as a filter of 4 MB has room for, with a Sync
// for each 1,000, and counts all bytes that are written.
func BenchmarkLife(b *testing.B) {
	for range b.N {
		name := filepath.Join(quickDir(b), "journal")
		f := blockedBloom(4_000_000)
		j := mustOpen(b, name, f)
		keys := f.Params().CapacityAt(0.01)
		written, last, files := j.end.At, j.end.At, 0
		for i := range keys {
			d := digestOf(i)
			f.AddDigest(d)
			j.Add(d)
			if i%1000 != 999 {
				continue
			}
			require.NoError(b, j.Sync(i))
			if j.end.At < last {
				files++
				written += 8080 + j.end.At
			} else {
				written += j.end.At - last
			}
			last = j.end.At
		}
		require.NoError(b, j.Close())
		b.ReportMetric(float64(written)/float64(keys), "bytes/key")
		b.ReportMetric(float64(files), "files")
	}
}

// BenchmarkOpen opens a journal whose blocks are nearly as long as the
// structure. In turns with this, it reads only the structure and calls AddAll
// with the same digests. It prints the nanoseconds per digest of the fastest
// turns.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []uint64{1_000_000, 100_000_000} {
		for _, keys := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("bytes=%d/block=%d", size, keys), func(b *testing.B) {
				if testing.Short() && size > 1_000_000 {
					b.Skip("seconds")
				}
				benchmarkOpen(b, size, keys)
			})
		}
	}
}

func benchmarkOpen(b *testing.B, size uint64, keys int) {
	name := filepath.Join(quickDir(b), "journal")
	f := blockedBloom(size)
	j := mustOpen(b, name, f)
	j.fsync = func(*os.File) error { return nil }
	digests := make([]hashfam.Digest, int(size)/9/keys*keys)
	for i := range digests {
		digests[i] = digestOf(uint64(i))
	}
	for at := 0; at < len(digests); at += keys {
		f.AddAll(digests[at : at+keys])
		j.Add(digests[at : at+keys]...)
		require.NoError(b, j.Sync(uint64(at)))
	}
	require.Greater(b, j.end.At, j.begin+int64(8*len(digests)), "all digests are in blocks")
	require.NoError(b, j.Close())
	structure := hashfam.Must(f.MarshalBinary())
	least := map[string]time.Duration{}
	measure := func(what string, do func()) {
		begin := time.Now()
		do()
		if d := time.Since(begin); least[what] == 0 || d < least[what] {
			least[what] = d
		}
	}
	b.ResetTimer()
	for range b.N {
		measure("Open", func() { require.NoError(b, mustOpen(b, name, new(bloom.Filter)).Close()) })
		measure("structure", func() { require.NoError(b, new(bloom.Filter).UnmarshalBinary(structure)) })
		measure("AddAll", func() {
			for rest := digests; len(rest) > 0; rest = rest[min(len(rest), batch):] {
				f.AddAll(rest[:min(len(rest), batch)])
			}
		})
	}
	for what, d := range least {
		b.ReportMetric(float64(d.Nanoseconds())/float64(len(digests)), what+"-ns/digest")
	}
}

// BenchmarkGroup lets goroutines add a key and call Sync, again and again.
func BenchmarkGroup(b *testing.B) {
	for where, folder := range benchmarkFolders(b) {
		for _, goroutines := range []int{1, 16, 64, 256} {
			b.Run(fmt.Sprintf("%s/goroutines=%d", where, goroutines), func(b *testing.B) {
				name := filepath.Join(folder, "journal")
				require.NoError(b, os.RemoveAll(name))
				o := hashfam.Must(sharded.New(64, func(int) (*bloom.Filter, error) { return blockedBloom(1 << 16), nil }))
				j := mustOpen(b, name, Shards(o))
				defer j.Close()
				var syncs atomic.Int64
				j.fsync = func(f *os.File) error {
					syncs.Add(1)
					return f.Sync()
				}
				var next atomic.Uint64
				var all sync.WaitGroup
				b.ResetTimer()
				for range goroutines {
					all.Go(func() {
						for i := next.Add(1); i <= uint64(b.N); i = next.Add(1) {
							d := digestOf(i)
							o.Do(d, func(f *bloom.Filter) {
								f.AddDigest(d)
								j.Add(d)
							})
							require.NoError(b, j.Sync(0))
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/float64(max(1, syncs.Load())), "adds/fsync")
			})
		}
	}
}
