package report

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const docsDir = "../../../docs"

// The section is in the document, and every table keeps the promise.
func TestTheCapacityOfSmallFiltersIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docsDir, "accuracy.md"))
	require.NoError(t, err)
	require.Contains(t, string(text), capacityText())
	rows := capacityTable(1)
	require.Greater(t, len(rows.lines), 30)
	for _, l := range rows.lines {
		require.Len(t, l.Cells, len(rows.Columns))
		most, err := strconv.ParseFloat(l.Cells[len(l.Cells)-1], 64)
		require.NoError(t, err)
		require.Less(t, most, 1e-6)
	}
}
