package data

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestListsHaveTheirKnownLengths(t *testing.T) {
	for _, c := range []struct {
		name string
		list []string
		want int
	}{
		{"malicious domains", MaliciousDomains(), 18147},
		{"benign domains", BenignDomains(), 19717},
		{"English words", EnglishWords(), 104334},
		{"disposable mail domains", DisposableEmailDomains(), 8335},
		{"passwords", Passwords(), 10000},
	} {
		assert.Len(t, c.list, c.want, c.name)
		assert.Len(t, set(c.list), c.want, "%s: a line occurs twice", c.name)
		for _, line := range c.list {
			require.NotEmpty(t, line, c.name)
			require.NotContains(t, line, "\r", c.name)
		}
	}
	assert.Len(t, lines(text("benign-domains-top.txt.gz")), 10000)
	assert.Len(t, lines(text("benign-domains-random.txt.gz")), 9793)
}

func TestBenignDomainsBeginInRankOrder(t *testing.T) {
	assert.Equal(t, lines(text("benign-domains-top.txt.gz")), BenignDomains()[:10000])
}

func TestNoDomainIsBothMaliciousAndBenign(t *testing.T) {
	bad := set(MaliciousDomains())
	for _, domain := range BenignDomains() {
		_, both := bad[domain]
		require.False(t, both, domain)
	}
}

func TestCallersMayModifyAList(t *testing.T) {
	MaliciousDomains()[0] = "changed"
	assert.NotEqual(t, "changed", MaliciousDomains()[0])
}

func TestTokensAreRunsOfLetters(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" 12 -- \n", nil},
		{"Call me Ishmael.", []string{"call", "me", "ishmael"}},
		{"don't", []string{"don", "t"}},
		{"naïve", []string{"na", "ve"}},
		{"\u212a kelvin", []string{"kelvin"}}, // in lower case the Kelvin sign is k in Unicode, but not in ASCII
		{"a\xffb", []string{"a", "b"}},
		{"z{[A`@Z", []string{"z", "a", "z"}},
	} {
		assert.ElementsMatch(t, c.want, Tokens(c.text), "%q", c.text)
	}
}

func TestMobyDickKnownAnswers(t *testing.T) {
	tokens := Tokens(MobyDick())
	count := make(map[string]int)
	for _, token := range tokens {
		count[token]++
	}
	assert.Len(t, tokens, 219047)
	assert.Len(t, count, 16956)
	for word, want := range map[string]int{"the": 14534, "of": 6624, "and": 6447, "a": 4747, "to": 4627, "in": 4184} {
		assert.Equal(t, want, count[word], word)
	}
	for share, want := range map[int]int{50: 5, 100: 9, 1000: 132, 10000: 977} {
		frequent := 0
		for _, c := range count {
			if c*share >= len(tokens) {
				frequent++
			}
		}
		assert.Equal(t, want, frequent, "words that make up at least 1/%d of the text", share)
	}

	dictionary := make(map[string]struct{})
	for _, word := range EnglishWords() {
		dictionary[strings.ToLower(word)] = struct{}{}
	}
	unknown := 0
	for word := range count {
		if _, ok := dictionary[word]; !ok {
			unknown++
		}
	}
	assert.Equal(t, 2159, unknown, "words of the novel that are not in the dictionary")
}

func TestParallelPassagesAreNamesOfPassages(t *testing.T) {
	text := make(map[string]string)
	for _, p := range Passages() {
		text[p.ID] = p.Text
	}
	require.Len(t, text, 30)
	pairs := ParallelPassages()
	assert.Len(t, pairs, 15)
	seen := make(map[[2]string]bool)
	for _, pair := range pairs {
		assert.False(t, seen[pair], "%v occurs twice", pair)
		seen[pair] = true
		assert.NotEqual(t, pair[0], pair[1])
		for _, id := range pair {
			assert.NotEmpty(t, text[id], id)
		}
	}
}

func set(list []string) map[string]struct{} {
	s := make(map[string]struct{}, len(list))
	for _, x := range list {
		s[x] = struct{}{}
	}
	return s
}

func TestStreamsHaveTheirKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		name                   string
		stream                 []string
		total, distinct, least int
		top                    map[string]int // all keys with at least that count
	}{
		{"weblog paths", WeblogPaths(), 10000, 1498, 197, map[string]int{
			"/favicon.ico": 807, "/style2.css": 546, "/reset.css": 538, "/images/jordan-80.png": 533,
			"/images/web/2009/banner.png": 516, "/blog/tags/puppet?flav=rss20": 488,
			"/projects/xdotool/": 224, "/?flav=rss20": 217, "/": 197,
		}},
		{"requests", RequestsWeb12(), 95607, 13756, 956, map[string]int{}},
	} {
		counts, top := map[string]int{}, map[string]int{}
		for _, key := range c.stream {
			counts[key]++
		}
		for key, count := range counts {
			if count >= c.least {
				top[key] = count
			}
		}
		assert.Len(t, c.stream, c.total, c.name)
		assert.Len(t, counts, c.distinct, c.name)
		assert.Equal(t, c.top, top, c.name)
	}
}
