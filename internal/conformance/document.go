package conformance

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	byteRow  = regexp.MustCompile(`(?m)^\| (\d+) \|([^|]*)\|`)
	zeros    = regexp.MustCompile("`00` x (\\d+)")
	noDigits = strings.NewReplacer(" ", "", "`", "", "...", "")
)

// RequireDocumented checks that docs/format.md shows encoded byte by byte, as
// the example in the section of a kind, such as "Kind 1". "`00` x 8" stands for
// eight zeros. A row with an ellipsis leaves out the bytes up to the next one.
func RequireDocumented(t *testing.T, kind string, encoded []byte) {
	t.Helper()
	docs, err := filepath.Glob("../docs/format.md")
	for up := ".."; len(docs) == 0 && len(up) < 30; up += "/.." {
		docs, err = filepath.Glob(up + "/docs/format.md")
	}
	require.NoError(t, err)
	text, err := os.ReadFile(docs[0])
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(text), "\n## "+kind+":")
	section, _, _ = strings.Cut(section, "\n## ")
	_, rows, found := strings.Cut(section, "byte by byte\n")
	require.True(t, found, "no example of %s", kind)
	end, gap := 0, false
	for _, row := range byteRow.FindAllStringSubmatch(rows, -1) {
		offset, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		require.True(t, offset == end || gap, "there are no bytes before offset %d", offset)
		shown, err := shownBytes(row[2])
		require.NoError(t, err)
		end, gap = offset+len(shown), strings.Contains(row[2], "...")
		require.LessOrEqual(t, end, len(encoded))
		require.Equal(t, encoded[offset:end], shown, "offset %d", offset)
	}
	require.Equal(t, len(encoded), end)
}

// shownBytes returns the bytes that a cell shows.
func shownBytes(cell string) ([]byte, error) {
	cell = zeros.ReplaceAllStringFunc(cell, func(run string) string {
		n, _ := strconv.Atoi(zeros.FindStringSubmatch(run)[1])
		return strings.Repeat("00", n)
	})
	return hex.DecodeString(noDigits.Replace(cell))
}
