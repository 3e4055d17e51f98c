package data

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func counts(list []string) map[string]int {
	n := map[string]int{}
	for _, line := range list {
		n[line]++
	}
	return n
}

func TestListsHaveTheirKnownLengths(t *testing.T) {
	for _, c := range []struct {
		name            string
		list            []string
		total, distinct int
		key             string // which occurs most often, in streams
		most            int
	}{
		{"malicious domains", MaliciousDomains(), 18147, 18147, "", 0},
		{"benign domains", BenignDomains(), 19717, 19717, "", 0},
		{"English words", EnglishWords(), 104334, 104334, "", 0},
		{"disposable mail domains", DisposableEmailDomains(), 8335, 8335, "", 0},
		{"passwords", Passwords(), 10000, 10000, "", 0},
		{"weblog paths", WeblogPaths(), 10000, 1498, "/favicon.ico", 807},
		{"requests", RequestsWeb12(), 95607, 13756, "", 0},
		{"words of a novel", Tokens(MobyDick()), 219047, 16956, "the", 14534},
	} {
		n := counts(c.list)
		assert.Len(t, c.list, c.total, c.name)
		assert.Len(t, n, c.distinct, c.name)
		assert.Zero(t, n[""], c.name)
		assert.Equal(t, c.most, n[c.key], c.name)
	}
	assert.Equal(t, lines(text("benign-domains-top.txt.gz")), BenignDomains()[:10000], "in the order of rank")
	bad := counts(MaliciousDomains())
	for _, domain := range BenignDomains() {
		require.Zero(t, bad[domain], domain)
	}
}

func TestTokensAreRunsOfLetters(t *testing.T) {
	for text, want := range map[string][]string{
		"":                 nil,
		" 12 -- \n":        nil,
		"Call me Ishmael.": {"call", "me", "ishmael"},
		"naïve":            {"na", "ve"},
		"\u212a kelvin":    {"kelvin"}, // in lower case the Kelvin sign is k in Unicode, but not in ASCII
		"a\xffb":           {"a", "b"},
		"z{[A`@Z":          {"z", "a", "z"},
	} {
		assert.ElementsMatch(t, want, Tokens(text), "%q", text)
	}
}

func TestParallelPassagesAreNamesOfPassages(t *testing.T) {
	text := make(map[string]string)
	for _, p := range Passages() {
		text[p.ID] = p.Text
	}
	require.Len(t, text, 30)
	require.Len(t, ParallelPassages(), 15)
	for _, pair := range ParallelPassages() {
		assert.NotEqual(t, pair[0], pair[1])
		assert.NotEmpty(t, text[pair[0]], pair)
		assert.NotEmpty(t, text[pair[1]], pair)
	}
}
