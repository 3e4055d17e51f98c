package input

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/lines"
)

func columns(t require.TestingT, delimiter, list string) Columns {
	c, err := NewColumns(delimiter, list)
	require.NoError(t, err)
	return c
}

// keysOf returns the keys of the lines of a text.
func keysOf(t require.TestingT, name, text string, c Config) (keys []string) {
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	all, err := read(name, c)
	require.NoError(t, err)
	for _, l := range all {
		keys = append(keys, l.key)
	}
	return keys
}

// printed returns the lines that a program prints for a text.
func printed(t require.TestingT, text, program string, args ...string) (lines []string) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// drawLines draws lines with fields. The last one has an end.
func drawLines(t *rapid.T) string {
	parts := rapid.SliceOf(rapid.SampledFrom([]string{"\n", ",", ",", " ", "\t", "  ", "a", "bc", "\u00e9", "\xff", ";"}))
	return strings.Join(parts.Draw(t, "text"), "") + "\n"
}

var lists = rapid.SampledFrom([]string{"1", "2", "3", "1,3", "3,1", "2-", "-2", "2-3", "1-2,4-", "1,2", "2,2-3", "1-", "4-,2", "9"})

// With a delimiter, keys are what cut prints.
func TestKeysAreThoseOfCut(t *testing.T) {
	if _, err := exec.LookPath("cut"); err != nil {
		t.Skip(err)
	}
	name := file(t, "list", "")
	rapid.Check(t, func(t *rapid.T) {
		text := drawLines(t)
		list := lists.Draw(t, "list")
		delimiter := rapid.SampledFrom([]string{",", " ", "\t", ";"}).Draw(t, "delimiter")
		want := printed(t, text, "cut", "-d", delimiter, "-f", list)
		require.Equal(t, want, keysOf(t, name, text, Config{Empty: true, Key: columns(t, delimiter, list)}))
	})
}

// Without a delimiter, keys are what awk prints, but a range without an end is
// the rest of the line.
func TestKeysAreThoseOfAwk(t *testing.T) {
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip(err)
	}
	name := file(t, "list", "")
	programs := map[string]string{"1": "1", "2": "2", "3": "3", "1,3": "1 3", "3,1": "1 3", "-2": "1 2", "2-3": "2 3", "1,2": "1 2", "2,2-3": "2 3", "9": "9"}
	const join = `{ n = split(list, want, " "); s = ""; for (i = 1; i <= n; i++) if (want[i] <= NF) s = s (i > 1 ? " " : "") $want[i]; print s }`
	rapid.Check(t, func(t *rapid.T) {
		text := drawLines(t)
		list := names(programs).Draw(t, "list")
		want := printed(t, text, "awk", "-v", "list="+programs[list], join)
		require.Equal(t, want, keysOf(t, name, text, Config{Empty: true, Key: columns(t, "", list)}))
	})
}

func TestKeysOfExamples(t *testing.T) {
	name := file(t, "list", "")
	for _, test := range []struct{ delimiter, list, line, want string }{
		{"", "2-", "      3 apple  pie ", "apple  pie "},
		{"", "1,3-", "a  b  c  d ", "a c  d "},
		{"", "1-2,4-", "a  b  c  d\te", "a b d\te"},
		{"", "1,2-", "a  b  c", "a  b  c"},
		{"", "1-2", "a\tb\tc", "a b"},
		{"", "1-2", "a \tb c", "a b"},
		{"", "2", "a", ""},
		{"", "1", "  ", ""},
		{`\t`, "2", "a\tb\tc", "b"},
		{"\u00a7", "2", "a\u00a7b\u00a7c", "b"},
		{"\u00a7", "1,3", "a\u00a7b\u00a7c", "a\u00a7c"},
		{",", "2", "no delimiter", "no delimiter"},
		{",", "3", "a,b", ""},
		{",", "1,3", ",b,c", ",c"},
		{",", "", "a,b", "a,b"},
	} {
		got := keysOf(t, name, test.line+"\r\n", Config{Empty: true, Key: columns(t, test.delimiter, test.list)})
		require.Equal(t, []string{test.want}, got, "%q", test)
	}
	nul := Config{NUL: true, Key: columns(t, "", "2")}
	require.Equal(t, []string{"b"}, keysOf(t, name, "a\nb\x00", nul))
}

// A line whose key is empty is skipped like an empty line.
func TestEmptyKeysAreSkipped(t *testing.T) {
	name := file(t, "list", "")
	text := "a,b\nc,\n\n,\nd,e\n"
	require.Equal(t, []string{"b", "e"}, keysOf(t, name, text, Config{Key: columns(t, ",", "2")}))
	require.Equal(t, []string{"b", "", "", "", "e"}, keysOf(t, name, text, Config{Key: columns(t, ",", "2"), Empty: true}))
	all, err := texts(name, Config{Key: columns(t, ",", "2")})
	require.NoError(t, err)
	require.Equal(t, []string{"a,b", "d,e"}, all)
	calls := 0
	require.NoError(t, os.WriteFile(name, []byte("c,\n,\n"), 0o600))
	require.NoError(t, Each(context.Background(), name, Config{Key: columns(t, ",", "2")}, func(Batch) error {
		calls++
		return nil
	}))
	require.Zero(t, calls)
}

func TestColumnsThatAreInvalid(t *testing.T) {
	for _, list := range []string{"0", "a", "-", ",", "1,", "2-1", "1-2-3", "-0", "+1-", "99999999999999999999", "1 2"} {
		_, err := NewColumns(",", list)
		require.ErrorContains(t, err, "want fields from 1, such as 2, 1,3 or 2-", list)
	}
	for _, delimiter := range []string{",,", "\\n", "ab"} {
		_, err := NewColumns(delimiter, "1")
		require.ErrorContains(t, err, "want a single character", delimiter)
	}
}

// Keys are equal if they differ only by case, as for strings.EqualFold.
func TestFoldedKeysAreEqualIfOnlyCaseDiffers(t *testing.T) {
	letters := rapid.SampledFrom([]rune("aAbB\u00e9\u00c9\u00dfsS\u017fkK\u212a\u01c4\u01c5\u01c6\u0130iI\u0131\u03c3\u03c2\u03a3\U00010400\U00010428\ufffd1 "))
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringOf(letters).Draw(t, "a")
		b := rapid.StringOf(letters).Draw(t, "b")
		for _, other := range []string{b, strings.ToUpper(a), strings.ToLower(a), strings.ToTitle(a)} {
			equal := bytes.Equal(appendFolded(nil, []byte(a)), appendFolded(nil, []byte(other)))
			require.Equal(t, strings.EqualFold(a, other), equal, "%q and %q", a, other)
		}
		folded := appendFolded(nil, []byte(a))
		require.Equal(t, folded, appendFolded(nil, folded))
		if isFolded([]byte(a)) {
			require.Equal(t, a, string(folded))
		}
	})
	name := file(t, "list", "")
	require.Equal(t, []string{"ada", "\xff\xfea", "gr\u00c4ce", "alan"}, keysOf(t, name, "Ada\n\xff\xfeA\ngr\u00c4ce\nalan\n", Config{Fold: true}))
	all, err := texts(name, Config{Fold: true, Key: columns(t, "", "1")})
	require.NoError(t, err)
	require.Equal(t, "Ada", all[0], "the line itself stays")
}

// Lines have the weights that one of their fields contains.
func TestWeightsAreRead(t *testing.T) {
	for _, test := range []struct {
		delimiter, list, text string
		weight                int
		want                  []line
	}{
		{"", "", "      3 apple pie\n     12 b\n", 1, []line{{"      3 apple pie", "apple pie", 3}, {"     12 b", "b", 12}}},
		{":", "", "00ff:7\n0000:18446744073709551615\n", 2, []line{{"00ff:7", "00ff", 7}, {"0000:18446744073709551615", "0000", 1<<64 - 1}}},
		{",", "3", "5,x,a\n6,y,b\n", 1, []line{{"5,x,a", "a", 5}, {"6,y,b", "b", 6}}},
		{",", "", "a,5,b\n", 2, []line{{"a,5,b", "a,b", 5}}},
		{",", "1", "a,0\nb,2\nc,00\n", 2, []line{{"b,2", "b", 2}}},
	} {
		c := Config{Key: columns(t, test.delimiter, test.list), Weight: test.weight}
		got, err := read(file(t, "list", test.text), c)
		require.NoError(t, err)
		require.Equal(t, test.want, got)
	}
	for text, want := range map[string]string{
		"a": "has no field 2, want one with the weight", "a:": `the weight is "", want a whole number`, "a:-": `the weight is "-"`, "a:-1": `the weight is "-1"`,
		"a:1.5": `the weight is "1.5"`, "a:x": `the weight is "x"`, "a: 1": `the weight is " 1"`, "a:18446744073709551616": `the weight "18446744073709551616" is above 2^64-1`,
	} {
		name := file(t, "list", "b:2\n"+text+"\nc:3\n")
		got, err := read(name, Config{Key: columns(t, ":", "1"), Weight: 2})
		require.ErrorContains(t, err, name+": line at byte 4: "+want)
		require.Equal(t, []line{{"b:2", "b", 2}}, got, "the lines before it")
	}
}

// Lines with columns allocate no memory.
func TestKeysAllocateNothing(t *testing.T) {
	text := strings.Repeat("Ada Lovelace,1815,London\nalan turing,1912,london\n", 10_000)
	for _, c := range []Config{
		{}, {Key: columns(t, ",", "2")}, {Key: columns(t, ",", "1,3"), Fold: true}, {Key: columns(t, "", "1-2"), Fold: true}, {Key: columns(t, ",", "1"), Weight: 2},
	} {
		name := file(t, "list", text)
		allocated := testing.AllocsPerRun(3, func() {
			require.NoError(t, Each(context.Background(), name, c, func(Batch) error { return nil }))
		})
		require.Less(t, allocated, 300.0, "allocations for 20,000 lines, %v", c)
	}
}

// Keys that are not a part of their line are made in the same buffer for each
// batch.
func TestTheBufferOfKeysIsUsedAgain(t *testing.T) {
	k := newKeys(Config{Fold: true})
	all := lines.NewReader(strings.NewReader("Ada\nGrace\n"), lines.Config{MaxLine: MaxLine})
	require.NoError(t, all.Next())
	for range 1000 {
		_, err := k.of(all)
		require.NoError(t, err)
	}
	require.Less(t, cap(k.made), 100)
}
