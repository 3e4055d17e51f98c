package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

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

// BenchmarkAdd adds keys to a filter of 100 MB, without a journal, and with a
// Sync for each 10,000 keys, which the time includes.
func BenchmarkAdd(b *testing.B) {
	const bytes, every = 100_000_000, 10_000
	b.Run("plain", func(b *testing.B) {
		f := blockedBloom(bytes)
		for i := range uint64(b.N) {
			f.AddDigest(digestOf(i))
		}
	})
	for where, folder := range benchmarkFolders(b) {
		b.Run("journal="+where, func(b *testing.B) {
			name := filepath.Join(folder, "journal")
			require.NoError(b, os.RemoveAll(name))
			f := blockedBloom(bytes)
			j := mustOpen(b, name, f)
			defer j.Close()
			before := sizeOf(b, name)
			b.ResetTimer()
			for i := range uint64(b.N) {
				d := digestOf(i)
				f.AddDigest(d)
				j.Add(d)
				if i%every == every-1 {
					require.NoError(b, j.Sync(i))
				}
			}
			b.StopTimer()
			if after := sizeOf(b, name); b.N >= every && after > before {
				b.ReportMetric(float64(after-before)/float64(b.N/every*every), "bytes/key")
			}
		})
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

// BenchmarkOpen reads a journal whose blocks have as many bytes as the
// structure, beside AddAll with the same digests in batches.
func BenchmarkOpen(b *testing.B) {
	sizes := []uint64{1_000_000, 100_000_000}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		for _, keys := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("bytes=%d/block=%d", size, keys), func(b *testing.B) { benchmarkOpen(b, size, keys) })
		}
	}
}

func benchmarkOpen(b *testing.B, size uint64, keys int) {
	name := filepath.Join(quickDir(b), "journal")
	f := blockedBloom(size)
	j := mustOpen(b, name, f)
	j.fsync = func(*os.File) error { return nil }
	digests := make([]hashfam.Digest, int(size)/8/keys*keys)
	for i := range digests {
		digests[i] = digestOf(uint64(i))
	}
	blocks := len(digests)/keys*9/10 + 1
	for i := range blocks {
		f.AddAll(digests[i*keys : (i+1)*keys])
		j.Add(digests[i*keys : (i+1)*keys]...)
		require.NoError(b, j.Sync(uint64(i)))
	}
	digests = digests[:blocks*keys]
	require.NoError(b, j.Close())
	b.Run("Open", func(b *testing.B) {
		for range b.N {
			j := mustOpen(b, name, blockedBloom(64))
			require.Positive(b, j.end.At-j.begin-int64(8*len(digests)))
			require.NoError(b, j.Close())
		}
		perDigest(b, len(digests))
	})
	b.Run("structure", func(b *testing.B) { // the part of Open before the blocks
		frame := filepath.Join(b.TempDir(), "structure")
		require.NoError(b, hashfam.WriteFile(frame, f))
		b.ResetTimer()
		for range b.N {
			file, err := os.Open(frame)
			require.NoError(b, err)
			_, err = new(bloom.Filter).ReadFrom(file)
			require.NoError(b, err)
			require.NoError(b, file.Close())
		}
		perDigest(b, len(digests))
	})
	b.Run("AddAll", func(b *testing.B) {
		g := blockedBloom(size)
		for range b.N {
			for rest := digests; len(rest) > 0; {
				n := min(len(rest), batch)
				g.AddAll(rest[:n])
				rest = rest[n:]
			}
		}
		perDigest(b, len(digests))
	})
}

func perDigest(b *testing.B, digests int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(digests), "ns/digest")
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
