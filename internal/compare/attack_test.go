package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/report"
)

func TestTheFlagAttacks(t *testing.T) {
	before := attack.Battles
	t.Cleanup(func() { attack.Battles = before })
	attack.Battles = attack.Battles[1:2]
	code, stdout, stderr := compare(t, "-attack", "-quick", "-format", "json")
	require.Equal(t, exitOK, code, stderr)
	assert.Empty(t, stderr)
	var doc struct {
		Machine report.Machine
		Attacks []attack.Finding
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	assert.Len(t, doc.Attacks, attack.Duels(attack.Battles))
	for _, f := range doc.Attacks {
		assert.Equal(t, f.Module != "", f.Version != "", "this program knows the versions of its libraries")
	}
	assert.Equal(t, "go run -C internal/compare . -o '' -attack -quick -format json", doc.Machine.Command)
}

// docs/security.md quotes the tables as they are: every figure is the same in
// every run. On other processors rounding may change the size of a filter by a
// bit.
func TestTheSecurityDocumentQuotesTheTables(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Skip("attacks for three seconds, on amd64")
	}
	code, stdout, stderr := compare(t, "-attack", "-format", "markdown")
	require.Equal(t, exitOK, code, stderr)
	text, err := os.ReadFile(filepath.Join(docsDir, "security.md"))
	require.NoError(t, err)
	tables := 0
	for part := range strings.SplitSeq(stdout, "\n\n") {
		if strings.HasPrefix(part, "| attack |") {
			tables++
			assert.True(t, strings.Contains(string(text), part+"\n"), "it has not:\n%s", part)
		}
	}
	assert.Equal(t, len(attack.Battles), tables)
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, "Libraries: ") {
			assert.True(t, strings.Contains(strings.Join(strings.Fields(string(text)), " "), strings.TrimSpace(line)), "it has not: %s", line)
		}
	}
}
