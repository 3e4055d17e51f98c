package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/attack"
)

func TestTheTablesOfAttacksFit(t *testing.T) {
	findings, err := attack.Fight(attack.Battles, attack.Quick, func() {})
	require.NoError(t, err)
	r := Attacks{Findings: findings}
	for line := range strings.Lines(plainText(r, 100)) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
	assert.NotContains(t, plainText(r, 100), "Left out")
	assert.Contains(t, plainText(r, 80), "Left out")
}
