package bloom_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// frontier returns the links seen so far: the filter in the file, or a new
// filter if there is no file.
func frontier(name string) (*bloom.Concurrent, error) {
	seen, err := load(name)
	if errors.Is(err, fs.ErrNotExist) {
		seen, err = bloom.New(bloom.Config{Capacity: 10_000_000, MemoryBytes: 16 << 20, Layout: bloom.Blocked})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err) // the file is unreadable or damaged, and stays as it is
	}
	return bloom.NewConcurrentFrom(seen), nil
}

// checkpoint saves the links seen so far. The queue is saved after the snapshot
// was taken, and before the snapshot is in the file.
func checkpoint(name string, seen *bloom.Concurrent, saveQueue func() error) error {
	snapshot := seen.Snapshot()
	if err := saveQueue(); err != nil {
		return err
	}
	return hashfam.WriteFile(name, snapshot)
}

// fetchAll calls fetch once for each link, in eight goroutines.
func fetchAll(seen *bloom.Concurrent, links <-chan string, fetch func(link string)) (done chan struct{}) {
	var fetchers sync.WaitGroup
	for range 8 {
		fetchers.Go(func() {
			for link := range links {
				if !seen.ContainsOrAddString(link) {
					fetch(link)
				}
			}
		})
	}
	done = make(chan struct{})
	go func() { fetchers.Wait(); close(done) }()
	return done
}

// crawl fetches the new links, until links is closed.
func crawl(name string, links <-chan string, fetch func(link string), saveQueue func() error) error {
	seen, err := frontier(name)
	if err != nil {
		return err
	}
	done := fetchAll(seen, links, fetch)
	for tick := time.Tick(10 * time.Minute); ; {
		select {
		case <-tick:
			if err := checkpoint(name, seen, saveQueue); err != nil {
				log.Print(err) // the file of the last checkpoint stays
			}
		case <-done:
			return checkpoint(name, seen, saveQueue)
		}
	}
}

// crawled crawls the links and returns the number of fetched links.
func crawled(name string, links ...string) (fetched int64, err error) {
	queue := make(chan string, len(links))
	for _, link := range links {
		queue <- link
	}
	close(queue)
	var n atomic.Int64
	err = crawl(name, queue, func(string) { n.Add(1) }, func() error { return nil })
	return n.Load(), err
}

func TestCrawlerFetchesEachLinkOnceAndKeepsDamagedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "seen")
	for _, want := range []int64{2, 0} { // the second time after a restart
		got, err := crawled(name, "/", "/a", "/")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	damaged, err := os.ReadFile(name)
	require.NoError(t, err)
	damaged[1000] ^= 1
	require.NoError(t, os.WriteFile(name, damaged, 0o600))
	for _, links := range [][]string{nil, {"/b"}} {
		_, err = crawled(name, links...)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		kept, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(damaged, kept), "the damaged file was overwritten")
	}
	_, err = crawled(filepath.Dir(name)) // a directory cannot be read
	var path *fs.PathError
	require.ErrorAs(t, err, &path)
	require.NotErrorIs(t, err, hashfam.ErrCorrupt)
	require.FileExists(t, name)
}

// A crash must not lose more than the last ten minutes.
func TestCrawlerSavesEveryTenMinutes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "seen")
	synctest.Test(t, func(t *testing.T) {
		links, queues := make(chan string), 0
		go crawl(name, links, func(string) {}, func() error { queues++; return nil })
		links <- "/"
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		seen, err := load(name)
		require.NoError(t, err)
		require.True(t, seen.ContainsString("/"))
		require.Equal(t, 1, queues)
		close(links)
		synctest.Wait()
		require.Equal(t, 2, queues)
	})
}
