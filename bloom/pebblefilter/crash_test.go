package pebblefilter

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// crashing names the directory of the database that a child process writes.
const crashing = "PEBBLEFILTER_CRASH"

// A process that writes is killed again and again. After each kill, what it
// acknowledged is there: keys with their values, and deleted keys not.
func TestKilledWhileWriting(t *testing.T) {
	if dir := os.Getenv(crashing); dir != "" {
		writeForever(t, dir)
	}
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(26, 9))
	acknowledged := 0
	for range 5 {
		acknowledged = writeUntilKilled(t, dir, acknowledged, 20+rng.IntN(200))
		db := open(t, dir, crashOptions())
		for i := range acknowledged * keysOfStep {
			want, found := string(value(i, i)), string(seek(t, db, key(i), true))
			if deleted(i) && (i/keysOfStep < acknowledged-1 || found == "") {
				want = "" // the step after the last may be there
			}
			require.Equal(t, want, found, "key %d, step %d", i, acknowledged)
		}
		names, _ := tables(t, db)
		require.NotEmpty(t, names[6])
		closeDB(t, db)
	}
}

const keysOfStep = 20

// deleted reports whether the step after that of key i deletes the key.
func deleted(i int) bool { return i%5 == 2 }

func crashOptions() *pebble.Options {
	last := mustBloom(bloom.Blocked, 0.05)
	return small(mustStatic(0.01), map[int]pebble.FilterPolicy{6: last})
}

// writeUntilKilled runs a child that writes from step on, kills it after the
// given number of acknowledgments, and returns the step after the last one.
func writeUntilKilled(t *testing.T, dir string, step, acknowledgments int) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileWriting$")
	child.Env = append(os.Environ(), crashing+"="+dir, crashing+"_STEP="+strconv.Itoa(step))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		done, err := strconv.Atoi(lines.Text())
		require.NoError(t, err)
		require.Equal(t, step, done)
		step++
		if acknowledgments--; acknowledgments == 0 {
			require.NoError(t, child.Process.Kill()) // SIGKILL
		}
	}
	require.Error(t, child.Wait())
	require.LessOrEqual(t, acknowledgments, 0, "the child ended by itself")
	return step
}

// writeForever is the child: it writes for as long as it lives.
func writeForever(t *testing.T, dir string) {
	step, err := strconv.Atoi(os.Getenv(crashing + "_STEP"))
	require.NoError(t, err)
	db := open(t, dir, crashOptions())
	for ; ; step++ {
		b := db.NewBatch()
		for i := step * keysOfStep; i < (step+1)*keysOfStep; i++ {
			require.NoError(t, b.Set(key(i), value(i, i), nil))
			if before := i - keysOfStep; before >= 0 && deleted(before) {
				require.NoError(t, b.Delete(key(before), nil))
			}
		}
		require.NoError(t, db.Apply(b, pebble.Sync))
		fmt.Println(step)
	}
}
