package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/attack"
)

func TestTheAttacksAreShownInEveryForm(t *testing.T) {
	findings, err := attack.Fight(t.Context(), attack.Battles, attack.Quick, func() {})
	require.NoError(t, err)
	r := Attacks{Findings: findings}
	for line := range strings.Lines(r.text(100)) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
	assert.NotContains(t, r.text(100), "Left out")
	assert.Contains(t, r.text(80), "Left out")

	var out bytes.Buffer
	require.NoError(t, Write(&out, r, "json", 0))
	var doc struct{ Attacks []attack.Finding }
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc))
	assert.Equal(t, findings, doc.Attacks)

	out.Reset()
	require.NoError(t, Write(&out, r, "csv", 0))
	records, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	assert.Len(t, records, 1+attack.Duels(attack.Battles))
	assert.Equal(t, "section,attack,target,module,version,knows,members,hashes,queries,honest,outcome,key,table", strings.Join(records[0], ","))
}

func TestAnInterruptShowsTheAttacksSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := 0
	findings, err := attack.Fight(ctx, attack.Battles, attack.Quick, func() {
		if done++; done == 3 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, findings, 3)
	text := Attacks{Findings: findings}.text(100)
	assert.Regexp(t, `(?m)^pollute .* - +- +stops it$`, text)
	assert.NotContains(t, text, "Counting filters")
	assert.Empty(t, Attacks{}.markdown(), "no table, so no legend")
	ours := Attacks{Findings: findings[:2]}
	assert.NotContains(t, ours.text(100)+ours.markdown(), "Libraries")
}
