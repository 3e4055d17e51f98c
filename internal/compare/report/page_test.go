package report

import (
	"bytes"
	"context"
	"os"
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

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var warning bytes.Buffer
	_, err = r.WriteFiles(ctx, t.TempDir(), &warning)
	require.NoError(t, err)
	assert.Regexp(t, `: interrupted before it was compiled\n$`, warning.String())
}
