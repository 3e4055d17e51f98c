package input

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// asReader is the environment variable that makes this program print the number
// of lines in a file, and an error.
const asReader = "INPUT_AS_READER"

func TestMain(m *testing.M) {
	switch name := os.Getenv(asReader); name {
	case "":
	case onlyStart:
		fmt.Println("started")
		return
	default:
		printLines(name)
		return
	}
	os.Exit(m.Run())
}

// onlyStart is a value of asReader for a program that reads nothing.
const onlyStart = "none"

// printLines prints how many lines of a file were read, and the error.
func printLines(name string) {
	n := 0
	err := Each(context.Background(), name, Config{}, func(b Batch) error {
		n += len(b.Lines)
		return nil
	})
	fmt.Println(n, "lines:", err)
}

// limited returns what this program prints about a file if it can use a number
// of bytes of memory.
func limited(t *testing.T, kib int, name string) (out string, ok bool) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v %d && exec %s", kib, self))
	cmd.Env = append(os.Environ(), asReader+"="+name)
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}

// luck is the number of MiB above the least limit up to which it is a matter of
// luck whether Go's runtime gets the memory for its own lists.
const luck = 128

// Under every memory limit, a file is read completely, or an error says what
// does not fit: a line without an end, the window of zstd or the dictionary of
// xz. The program may also crash because Go's runtime itself lacks memory, but
// in this package only under limits that are at most luck above the least one.
func TestLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads large files under many limits")
	}
	long := file(t, "long", "ada\n"+strings.Repeat("x", 100<<20))
	zipped := file(t, "long.gz", gzipped(t, strings.Repeat("x", 100<<20)))
	small := file(t, "small.gz", gzipped(t, "ada\n"))
	wide := file(t, "wide.zst", wideZstd(t))
	block := file(t, "block.bz2", unhex(t, bzip2File))
	large := file(t, "large.xz", unhex(t, xzFile))
	least := leastLimit(t)
	refused := 0
	for _, more := range []int{0, 8, 16, 32, 64, 80, 96, 104, 112, 120, 128, 144, 160, 180, 200, 250, 300, 400, 600, 1000} {
		kib := least + more<<10
		for _, name := range []string{small, long, zipped, wide, block, large} {
			out, ok := limited(t, kib, name)
			if !ok && (more <= luck || !strings.Contains(out, "internal/input.")) {
				continue // Go's runtime itself can lack memory
			}
			require.True(t, ok && strings.Count(out, "\n") == 1, "%s under %d KiB: %.2000s", name, kib, out)
			if strings.HasSuffix(out, " lines: <nil>\n") {
				require.NotEqual(t, "0 lines: <nil>\n", out)
				continue
			}
			refused++
			require.Regexp(t, `^[01] lines: `+name+`: (line at byte \d+ has more than \d+ bytes: a longer one|reading lines) needs [\d.]+ [MG]iB of memory, but (only [\d.]+ [MG]iB are available|the system refuses them; see ulimit -v)\n$|`+
				`: needs a wider window than fits: use zstdcat --long=31 FILE\n$|: needs a larger dictionary than fits in memory: use xzcat FILE\n$`, out)
		}
	}
	require.NotZero(t, refused)
}

// wideZstd returns a zstd file with a window of 64 MiB.
func wideZstd(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(64<<20))
	require.NoError(t, err)
	random := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(random)
	for range 2 {
		_, err = w.Write(random)
		require.NoError(t, err)
		require.NoError(t, w.Flush())
	}
	require.NoError(t, w.Close())
	return b.String()
}

// leastLimit returns about the least limit in KiB under which this program
// starts.
func leastLimit(t *testing.T) int {
	t.Helper()
	least, most := 10_000, 8_000_000
	for most-least > 1_000 {
		half := (least + most) / 2
		if _, ok := limited(t, half, onlyStart); ok {
			most = half
		} else {
			least = half
		}
	}
	return most
}
