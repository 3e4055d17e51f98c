package journal

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/checks"
)

// writerVariable names the file that a process uses until it is killed.
const writerVariable = "FILTERFAM_JOURNAL"

// killEach kills a process at random moments, and calls check with the lines
// that it has printed. It does this 20 times, or 1,000 times in the long form,
// half of these with a file on a disk and half in memory. Since the system
// survives, this does not test that blocks are on the disk.
func killEach(t *testing.T, long bool, check func(name string, lines []string)) {
	for i, folder := range []string{t.TempDir(), quickDir(t)} {
		kills := 10
		if long {
			kills = 500
		}
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		name := filepath.Join(folder, "journal")
		for range kills {
			check(name, kill(t, name, rng))
			left, err := filepath.Glob(filepath.Join(folder, ".filterfam-*"))
			require.NoError(t, err)
			require.Empty(t, left, "Open has left temporary files")
		}
	}
}

// kill starts a process and kills it at a random moment after its first line.
func kill(t *testing.T, name string, rng *rand.Rand) (lines []string) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), writerVariable+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Skip("this program cannot start itself: ", err)
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		if lines == nil {
			time.AfterFunc(time.Duration(rng.IntN(25_000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
		lines = append(lines, s.Text())
	}
	require.Error(t, cmd.Wait(), "the process was not killed")
	return lines
}

// An exactFilter is a filter to which numbered operations are applied: two of
// three add a key, and the third deletes one of these.
type exactFilter struct{ *counting.Filter }

func newExactFilter() exactFilter {
	return exactFilter{hashfam.Must(counting.New(counting.Config{Capacity: 3000, FPRate: 0.01}))}
}

// operate applies operation i and records it, unless j is nil.
func (f exactFilter) operate(j *Journal, i uint64) {
	if i%3 != 2 {
		f.AddDigest(digestOf(i))
		if j != nil {
			j.Add(digestOf(i))
		}
		return
	}
	d := digestOf(i - 2)
	if f.DeleteDigest(d) && j != nil {
		j.Delete(d)
	}
}

// After a kill, the filter contains exactly the operations before the position,
// which is not below the last one for which Sync has returned.
func TestKilledConsumersContinueAtTheirPosition(t *testing.T) {
	withLimit(t, 4000)
	if name := os.Getenv(writerVariable); name != "" {
		consumeUntilKilled(t, name)
		return
	}
	models := map[string]exactFilter{}
	done := map[string]uint64{}
	total, later := uint64(0), 0
	killEach(t, checks.Long(t, 2, 0.1), func(name string, lines []string) {
		acknowledged, err := strconv.ParseUint(lines[len(lines)-1], 10, 64)
		require.NoError(t, err, lines)
		if done[name] == 0 {
			models[name] = newExactFilter()
		}
		f := newExactFilter()
		j := mustOpen(t, name, f.Filter)
		position := j.Position()
		require.NoError(t, j.Close())
		require.GreaterOrEqual(t, position, acknowledged)
		if position > acknowledged {
			later++
		}
		for i := done[name]; i < position; i++ {
			models[name].operate(nil, i)
			total++
		}
		done[name] = position
		require.True(t, f.Equal(models[name].Filter), "other keys or counts than at %d", position)
	})
	t.Logf("%d operations, and %d kills after the file was written", total, later)
	require.Positive(t, total)
}

func consumeUntilKilled(t *testing.T, name string) {
	f := newExactFilter()
	j := mustOpen(t, name, f.Filter)
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	i := j.Position()
	fmt.Println(i)
	for {
		n := uint64(rng.IntN(200))
		if rng.IntN(20) == 0 {
			n = 3000 // more than the limit
		}
		for range n {
			f.operate(j, i)
			i++
		}
		if err := j.Sync(i); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(i)
	}
}

const workers = 4

func newCounts() *sharded.Of[*countmin.Sketch] {
	return hashfam.Must(sharded.New(8, func(int) (*countmin.Sketch, error) {
		return countmin.New(countmin.Config{Width: 1 << 13, Depth: 12, CounterBits: 8})
	}))
}

// keyOf returns key i of a worker.
func keyOf(worker int, i uint64) hashfam.Digest { return digestOf(uint64(worker)<<32 | i) }

// countedKeys returns how many keys of each worker have been counted, and the
// sum of all counts.
func countedKeys(o *sharded.Of[*countmin.Sketch]) (keys [workers]uint64, sum uint64) {
	for w := range keys {
		for n := uint64(1); n > 0; keys[w]++ {
			d := keyOf(w, keys[w])
			o.Do(d, func(s *countmin.Sketch) { n = s.CountDigest(d) })
		}
		keys[w]--
	}
	o.Each(func(_ int, s *countmin.Sketch) error {
		sum += s.Total()
		return nil
	})
	return keys, sum
}

// After a kill, every acknowledged key is there, no key is there that was not
// added, and none is counted twice. While goroutines share the writes, new
// files are written in the background all the time.
func TestKilledServicesHaveEveryAcknowledgedKeyOnce(t *testing.T) {
	withLimit(t, 4000)
	if name := os.Getenv(writerVariable); name != "" {
		serveUntilKilled(t, name)
		return
	}
	last := map[string][workers]uint64{}
	total := uint64(0)
	killEach(t, checks.Long(t, 2, 0.1), func(name string, lines []string) {
		acknowledged := last[name]
		for _, line := range lines {
			var w, n uint64
			_, err := fmt.Sscan(line, &w, &n)
			require.NoError(t, err, line)
			acknowledged[w] = n
		}
		o := newCounts()
		j := mustOpen(t, name, Shards(o))
		require.NoError(t, j.Close())
		keys, counts := countedKeys(o)
		sum := uint64(0)
		for w, n := range keys {
			require.GreaterOrEqual(t, n, acknowledged[w])
			require.LessOrEqual(t, n, acknowledged[w]+1)
			sum += n
		}
		require.Equal(t, sum, counts, "a key was counted twice")
		last[name] = keys
		total += sum
		if sum > 20_000 { // before the sketch is too full for exact counts
			require.NoError(t, os.Remove(name))
			last[name] = [workers]uint64{}
		}
	})
	require.Positive(t, total)
}

func serveUntilKilled(t *testing.T, name string) {
	o := newCounts()
	j := mustOpen(t, name, Shards(o))
	keys, _ := countedKeys(o)
	for w, next := range keys {
		go func() {
			for i := next; ; i++ {
				d := keyOf(w, i)
				o.Do(d, func(s *countmin.Sketch) {
					s.AddDigest(d)
					j.Add(d)
				})
				if err := j.Sync(0); err != nil {
					fmt.Println(err)
					return
				}
				os.Stdout.WriteString(fmt.Sprintln(w, i+1)) // one write for each line
			}
		}()
	}
	select {}
}

// No process can open a file while another one replaces it again and again.
func TestAnotherProcessGetsErrInUse(t *testing.T) {
	if name := os.Getenv(writerVariable); name != "" {
		j := mustOpen(t, name, smallBloom())
		for i := uint64(1); ; i++ {
			if err := j.Save(i); err != nil {
				fmt.Println(err)
				return
			}
			if i == 1 {
				fmt.Println("open")
			}
		}
	}
	name := filepath.Join(quickDir(t), "journal")
	requireLocks(t, name)
	tries := 1000
	if checks.Long(t, 0.1, 0.1) {
		tries = 100_000
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), writerVariable+"="+name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Skip("this program cannot start itself: ", err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open", strings.TrimSpace(line))
	for range tries {
		_, err := Open(name, smallBloom())
		require.ErrorIs(t, err, ErrInUse)
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	j := mustOpen(t, name, smallBloom())
	require.Positive(t, j.Position())
	require.NoError(t, j.Close())
}

// requireLocks skips a test where files have no locks. It creates an empty file.
func requireLocks(t *testing.T, name string) {
	file, err := openLocked(name, os.O_RDWR|os.O_CREATE)
	require.NoError(t, err)
	defer file.Close()
	other, err := openLocked(name, os.O_RDWR)
	if err == nil && runtime.GOOS != "linux" {
		require.NoError(t, other.Close())
		t.Skip("this system has no locks for files")
	}
	require.ErrorIs(t, err, ErrInUse)
}

// Another Journal of the same process cannot use the file either, also after it
// was replaced, and can do so after Close.
func TestAnotherJournalGetsErrInUse(t *testing.T) {
	name := filepath.Join(quickDir(t), "journal")
	requireLocks(t, name)
	j := mustOpen(t, name, smallBloom())
	for i := range uint64(3) {
		_, err := Open(name, smallBloom())
		require.ErrorIs(t, err, ErrInUse)
		require.ErrorContains(t, err, name)
		require.NoError(t, j.Save(i))
	}
	require.NoError(t, j.Close())
	require.NoError(t, mustOpen(t, name, smallBloom()).Close())
}
