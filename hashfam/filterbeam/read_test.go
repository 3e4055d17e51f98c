package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

// A line may have exactly as many bytes as the error of a longer one says.
func TestALineOfTheGreatestLength(t *testing.T) {
	line := bytes.Repeat([]byte("x"), maxLine)
	for _, end := range []string{"", "\n", "\r\n"} {
		s := newScanner(bytes.NewReader(append([]byte("ada\n"), append(line, end...)...)), 0)
		var keys [][]byte
		for {
			require.NoError(t, s.next(), "%q", end)
			if len(s.keys) == 0 {
				break
			}
			for _, key := range s.keys {
				keys = append(keys, bytes.Clone(key))
			}
		}
		require.Len(t, keys, 2)
		require.True(t, bytes.Equal(line, keys[1]))
		long := newScanner(bytes.NewReader(append([]byte("x"), append(line, end...)...)), 0)
		require.ErrorContains(t, long.next(), "has more than 16777216 bytes", "%q", end)
	}
}

// readPieceOf reads a piece of a file of which the listing said size bytes. It
// splits the piece first.
func readPieceOf(t *testing.T, name string, size int64, pieces ...offsetrange.Restriction) (tally, error) {
	t.Helper()
	p := bloomPlan(bloom.Blocked)
	f := &readFn{bundle{Spec: p.spec}}
	drop := func(int, []byte) {}
	f.StartBundle(drop)
	for _, r := range pieces {
		if err := f.ProcessElement(t.Context(), f.CreateTracker(r), name, size, drop); err != nil {
			return f.tally, err
		}
	}
	return f.tally, nil
}

// A file that has become longer than listed is an error, whatever the place of
// its lines.
func TestAFileThatIsLongerThanListed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	for _, text := range []string{"ada\ngrace\nedsger\n", "ada\ngraceedsger\n", "ada\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := readPieceOf(t, name, 10, offsetrange.Restriction{Start: 0, End: 10})
		require.ErrorContains(t, err, "10 bytes, as listed", "%q", text)
	}
}

// A runner may split a piece before its first line is claimed. The file is
// counted once.
func TestAFileThatIsSplitAtItsStartIsCountedOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.txt")
	require.NoError(t, os.WriteFile(name, []byte("ada\ngrace\n"), 0o600))
	f := &readFn{}
	tracker := f.CreateTracker(offsetrange.Restriction{Start: 0, End: 10})
	primary, residual, err := tracker.TrySplit(0)
	require.NoError(t, err)
	sum, err := readPieceOf(t, name, 10, primary.(offsetrange.Restriction), residual.(offsetrange.Restriction))
	require.NoError(t, err)
	require.Equal(t, [totals]uint64{keysRead: 2, itemsRead: 2, filesRead: 1, bytesRead: 10, plainRead: 10}, sum.Totals)
}
