package journal_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
)

// A frontier contains the links that were seen and the queue of links to fetch.
// It is used by one goroutine. The position in the journal is the version of
// the queue that belongs to the links.
type frontier struct {
	folder  string
	seen    *bloom.Filter
	j       *journal.Journal
	queue   []string
	version uint64
}

// openFrontier returns the links and the queue of the last save.
func openFrontier(folder string) (*frontier, error) {
	config := bloom.Config{Capacity: 10_000_000, MemoryBytes: 16 << 20, Layout: bloom.Blocked}
	seen, err := bloom.New(config)
	if err != nil {
		return nil, err
	}
	params := seen.Params()
	j, err := journal.Open(filepath.Join(folder, "seen"), seen)
	if err != nil {
		return nil, err
	}
	f := &frontier{folder: folder, seen: seen, j: j, version: j.Position()}
	if err := f.readQueue(params); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return f, nil
}

func (f *frontier) readQueue(params bloom.Params) error {
	if f.seen.Params() != params {
		return errChanged
	}
	if f.version == 0 {
		return nil // a new file
	}
	text, err := os.ReadFile(f.queueName(f.version))
	f.queue = strings.Fields(string(text))
	return err
}

func (f *frontier) queueName(version uint64) string {
	return filepath.Join(f.folder, fmt.Sprint("queue-", version))
}

// found adds a link to the queue when it is found for the first time.
func (f *frontier) found(link string) {
	d := f.seen.Family().SumString(link)
	if !f.seen.ContainsOrAddDigest(d) {
		f.j.Add(d)
		f.queue = append(f.queue, link)
	}
}

// save is called every second. It can be interrupted anywhere, because the
// position says which queue belongs to the links.
func (f *frontier) save() error {
	saved := f.j.Position()
	f.version++ // also after an error, because the last version may be in the file
	text := strings.NewReader(strings.Join(f.queue, "\n"))
	if err := hashfam.WriteFile(f.queueName(f.version), text); err != nil {
		return err
	}
	if err := f.j.Sync(f.version); err != nil {
		return err
	}
	for version := saved; version < f.version; version++ {
		os.Remove(f.queueName(version))
	}
	return nil
}

// After a crash, a crawler continues with the links and the queue of its last
// save.
func Example_crawler() {
	inTemporaryFolder(func(folder string) {
		f, err := openFrontier(folder)
		if err != nil {
			fmt.Println(err)
			return
		}
		f.found("/")
		f.found("/a")
		fmt.Println(f.save())
		f.queue = f.queue[1:] // "/" was fetched
		f.found("/b")
		f.j.Close() // as after a crash

		f, err = openFrontier(folder)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer f.j.Close()
		f.found("/a")
		f.found("/b")
		fmt.Println(f.queue)
	})
	// Output:
	// <nil>
	// [/ /a /b]
}

// The queue and the links are always those of the same save.
func TestCrawlersContinueWithTheirLastSave(t *testing.T) {
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	saved := map[string]bool{}
	var queue []string
	for range 4 {
		f, err := openFrontier(folder)
		require.NoError(t, err)
		require.Equal(t, queue, f.queue)
		for i := range 3000 {
			link := fmt.Sprint("/", i)
			require.Equal(t, saved[link], f.seen.ContainsString(link))
		}
		found := maps.Clone(saved)
		for range 5 {
			for range 100 {
				link := fmt.Sprint("/", rng.IntN(3000))
				f.found(link)
				found[link] = true
			}
			f.queue = f.queue[min(len(f.queue), 30):] // fetched
			if rng.IntN(2) == 0 {
				require.NoError(t, f.save())
				queue = slices.Clone(f.queue)
				saved = maps.Clone(found)
			}
		}
		require.NoError(t, f.j.Close())
	}
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 2)
}
