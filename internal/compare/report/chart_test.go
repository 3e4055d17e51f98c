package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/measure"
)

func TestAFigureThatCannotBeWrittenIsNamedOnce(t *testing.T) {
	dir := t.TempDir()
	for _, ending := range []string{".png", ".svg"} {
		name := filepath.Join(dir, "bits-per-key"+ending)
		require.NoError(t, os.RemoveAll(name))
		require.NoError(t, os.Mkdir(name, 0o755))
		_, err := costChart([]measure.Row{widest()}).save(dir)
		require.Error(t, err)
		assert.Equal(t, 1, strings.Count(err.Error(), name), err)
		require.NoError(t, os.Remove(name))
	}
}
