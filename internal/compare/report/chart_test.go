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

func TestAPageWithoutACalculatorSaysWhy(t *testing.T) {
	r := Report{Results: &measure.Results{Data: &measure.Dataset{About: "No keys."}}}
	name, err := r.writePage(t.TempDir(), calculator{}, assert.AnError, costChart(nil))
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(text), "The calculator is missing: "+assert.AnError.Error()))
	assert.False(t, strings.Contains(string(text), "<script"))
}

func TestAFigureThatCannotBeWrittenIsNamedOnce(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "bits-per-key.svg")
	require.NoError(t, os.Mkdir(name, 0o755))
	_, err := costChart([]measure.Row{widest()}).save(dir)
	require.Error(t, err)
	assert.Equal(t, 1, strings.Count(err.Error(), name), err)
}
