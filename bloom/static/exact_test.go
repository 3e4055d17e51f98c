package static

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/data"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A universe is two disjoint lists of keys.
type universe struct {
	name            string
	members, others [][]byte
}

// realUniverses returns pairs of lists in which no key is in both.
func realUniverses() []universe {
	bad, good := data.MaliciousDomains(), data.BenignDomains()
	known, unknown := spelling()
	mail := data.DisposableEmailDomains()
	return []universe{
		{"malicious, benign", bytesOf(bad), bytesOf(good)},
		{"benign, malicious", bytesOf(good), bytesOf(bad)},
		{"words, unknown words of a novel", bytesOf(known), bytesOf(unknown)},
		{"disposable mail, other domains", bytesOf(mail), without(append(bad, good...), mail)},
	}
}

// spelling returns the words of a dictionary, and the words of Moby-Dick that
// are not among them. Both have copies.
func spelling() (known, unknown []string) {
	in := map[string]bool{}
	for _, word := range data.EnglishWords() {
		word = strings.ToLower(word)
		in[word] = true
		known = append(known, word)
	}
	for _, word := range data.Tokens(data.MobyDick()) {
		if !in[word] {
			unknown = append(unknown, word)
		}
	}
	return known, unknown
}

func bytesOf(list []string) [][]byte {
	keys := make([][]byte, len(list))
	for i, s := range list {
		keys[i] = []byte(s)
	}
	return keys
}

// without returns the keys of list that are not in the other list.
func without(list, other []string) (keys [][]byte) {
	in := map[string]bool{}
	for _, s := range other {
		in[s] = true
	}
	for _, s := range list {
		if !in[s] {
			keys = append(keys, []byte(s))
		}
	}
	return keys
}

func TestNoRealKeyIsAnsweredWrong(t *testing.T) {
	for _, u := range realUniverses() {
		e, err := NewExact(ExactConfig{}, u.members, u.others)
		require.NoError(t, err, u.name)
		requireExact(t, u.name, e, hashfam.Family{}.SumAll(nil, u.members), hashfam.Family{}.SumAll(nil, u.others))
		for _, key := range u.members[:1000] {
			require.True(t, e.Contains(key) && e.ContainsString(string(key)), "%s: %s", u.name, key)
		}
		for _, key := range u.others[:1000] {
			require.False(t, e.Contains(key) || e.ContainsString(string(key)), "%s: %s", u.name, key)
		}
	}
}

// requireExact checks the answer for every key, in single calls and in a batch.
func requireExact(t require.TestingT, name string, e *Exact, members, others []hashfam.Digest) {
	for _, d := range members {
		if !e.ContainsDigest(d) {
			require.Fail(t, "a member is missing", "%s: %x", name, d)
		}
	}
	for _, d := range others {
		if e.ContainsDigest(d) {
			require.Fail(t, "another key is taken for a member", "%s: %x", name, d)
		}
	}
	for i, found := range e.ContainsAllDigests(nil, append(members[:len(members):len(members)], others...)) {
		if found != (i < len(members)) {
			require.Fail(t, "the batch is wrong", "%s: key %d", name, i)
		}
	}
}

// The universes of random digests: number of rarer keys, ratio, and whether the
// rarer ones are the members.
var randomCases = []struct {
	rare, ratio int
	inverted    bool
}{
	{100_000, 1, false}, {100_000, 1, true}, {10_000, 1, false},
	{50_000, 2, true}, {30_000, 3, false}, {50_000, 4, false}, {50_000, 5, false}, {20_000, 7, true},
	{10_000, 50, false}, {10_000, 50, true}, {1_000, 1000, false}, {10_000, 31, false}, {10_000, 32, false},
}

// The sizes that are promised: at most 1.025 times the bound at ratio 1, at
// most 1.12 times from ratio 4 on, and at most 0.65 of the bits of CRLite's
// cascade. Every key of both classes is queried.
func TestSizeAndAnswersOfRandomUniverses(t *testing.T) {
	cases := randomCases
	if os.Getenv("FILTERFAM_LONG") != "" {
		cases = append(cases, cases[0])
		for _, c := range []int{1, 5, 50, 1000} {
			more := cases[0]
			more.rare, more.ratio = 1_000_000/max(1, c/10), c
			cases = append(cases, more)
		}
	}
	for _, c := range cases {
		name := fmt.Sprintf("%d keys, ratio %d, inverted %v", c.rare, c.ratio, c.inverted)
		rare, common := randomUniverse(c.rare, c.rare*c.ratio)
		reference := newCascade(t, rare, common)
		members, others := rare, common
		if c.inverted {
			members, others = common, rare
		}
		e := mustExact(t, hashfam.Family{}, members, others)
		requireExact(t, name, e, members, others)

		size := 8 * float64(e.SizeBytes())
		over := size / sizing.ExactBound(uint64(len(rare)), uint64(len(common)))
		share := size / float64(reference.bits())
		t.Logf("%s: %.3f bits per rare key, %.4f of the bound, %.3f of a cascade", name, size/float64(c.rare), over, share)
		require.LessOrEqual(t, share, 0.65, name)
		switch {
		case c.ratio == 1:
			require.LessOrEqual(t, over, 1.025, name)
		case c.ratio >= 4:
			require.LessOrEqual(t, over, 1.12, name)
		}
	}
}

// mustExact builds an Exact from copies of the digests.
func mustExact(t require.TestingT, fam hashfam.Family, members, others []hashfam.Digest) *Exact {
	e, err := NewExactFromDigests(ExactConfig{Family: fam}, clone(members), clone(others))
	require.NoError(t, err)
	return e
}

func clone(digests []hashfam.Digest) []hashfam.Digest {
	return append([]hashfam.Digest(nil), digests...)
}

// Universes of a few keys, with copies of keys, in any order.
func TestSmallUniversesAreExactInAnyOrder(t *testing.T) { rapid.Check(t, smallUniverses) }

func FuzzExact(f *testing.F) { f.Fuzz(rapid.MakeFuzz(smallUniverses)) }

func smallUniverses(t *rapid.T) {
	a := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 400)).Draw(t, "members")
	b := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 400)).Draw(t, "others")
	fam := rapid.SampledFrom([]hashfam.Family{{}, hashfam.New(hashfam.Key{7})}).Draw(t, "family")
	first := rapid.Uint64().Draw(t, "first key")
	digests := make([]hashfam.Digest, a+b)
	for i := range digests {
		digests[i] = fam.SumUint64(first + uint64(i))
	}
	members, others := digests[:a:a], digests[a:]
	e := mustExact(t, fam, members, others)
	requireExact(t, "small", e, members, others)
	require.EqualValues(t, a, e.Params().Members)
	require.EqualValues(t, b, e.Params().Others)

	shuffled := func(list []hashfam.Digest, label string) []hashfam.Digest {
		if len(list) > 0 { // a copy of some key
			list = append(clone(list), rapid.SampledFrom(list).Draw(t, label+", copied"))
		}
		return rapid.Permutation(list).Draw(t, label)
	}
	again := mustExact(t, fam, shuffled(members, "members"), shuffled(others, "others"))
	require.True(t, e.Equal(again))
	require.Equal(t, encoded(t, e), encoded(t, again), "the same keys in another order")
}

func encoded(t require.TestingT, e *Exact) []byte {
	b, err := e.MarshalBinary()
	require.NoError(t, err)
	return b
}

// With one class the answer is the same for all keys.
func TestUniversesWithAnEmptyClass(t *testing.T) {
	digests, _ := randomUniverse(100, 0)
	for n := range 3 {
		all := mustExact(t, hashfam.Family{}, digests[:n], nil)
		none := mustExact(t, hashfam.Family{}, nil, digests[:n])
		for _, d := range digests {
			require.Equal(t, n > 0, all.ContainsDigest(d), "%d members, no others", n)
			require.False(t, none.ContainsDigest(d), "no members, %d others", n)
		}
		require.Zero(t, all.SizeBytes()+none.SizeBytes())
	}
}

func TestOneKeyInEachClass(t *testing.T) {
	for i := range uint64(2000) {
		d := []hashfam.Digest{hashfam.Family{}.SumUint64(2 * i), hashfam.Family{}.SumUint64(2*i + 1)}
		requireExact(t, "1 and 1", mustExact(t, hashfam.Family{}, d[:1], d[1:]), d[:1], d[1:])
	}
}

// A key that is in neither list is taken for one of the rarer class with chance
// 2^-(r+1), r = floor(log2(ratio)). The error of the mean over 200,000 keys is
// at most 0.0011; the tolerance is five times that, and 3 % for the slots that
// are free.
func TestForeignKeys(t *testing.T) {
	for _, c := range []struct {
		rare, ratio, columns int
	}{{20_000, 1, 0}, {20_000, 3, 1}, {20_000, 5, 2}, {5_000, 50, 5}} {
		rare, common := randomUniverse(c.rare, c.rare*c.ratio)
		e, inverted := mustExact(t, hashfam.Family{}, rare, common), mustExact(t, hashfam.Family{}, common, rare)
		const queries = 200_000
		taken := 0
		for i := range uint64(queries) {
			d := hashfam.Family{}.SumUint64(1<<40 + i)
			require.NotEqual(t, e.ContainsDigest(d), inverted.ContainsDigest(d), "the lists are exchanged")
			if e.ContainsDigest(d) {
				taken++
			}
		}
		want := math.Exp2(-float64(c.columns + 1))
		sigma := math.Sqrt(want * (1 - want) / queries)
		t.Logf("ratio %d: %.4f, expected %.4f", c.ratio, float64(taken)/queries, want)
		require.InDelta(t, want, float64(taken)/queries, 5*sigma+0.03*want)
	}
}
