package advice_test

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/advice"
	"github.com/filterfam/filterfam/internal/checks"
)

// choices returns the recommended structures.
func choices(t *testing.T, n advice.Needs) []advice.Choice {
	t.Helper()
	list, err := advice.For(n)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

func names(choices []advice.Choice) string {
	var list []string
	for _, c := range choices {
		list = append(list, c.Structure)
	}
	return strings.Join(list, " ")
}

// Without a rate, the lowest rate within the memory comes first.
func TestBestStructureComesFirst(t *testing.T) {
	for _, c := range []struct {
		needs advice.Needs
		want  string
		rate  float64 // if needs has none
	}{
		{advice.Needs{Keys: 1_000_000, Rate: 0.03}, "bloom cuckoo-compact bloom-blocked cuckoo", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.001}, "cuckoo-compact cuckoo bloom bloom-blocked", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.001, Fixed: true}, "static perfect cuckoo-compact cuckoo bloom bloom-blocked", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.03, Fixed: true}, "static cuckoo-compact perfect bloom bloom-blocked cuckoo", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Delete: true}, "cuckoo-compact cuckoo counting", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Guess: true}, "bloom-scalable cuckoo-scalable", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Guess: true, Delete: true}, "cuckoo-scalable", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Guess: true, Fixed: true}, "static perfect bloom-scalable cuckoo-scalable", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Fixed: true, Delete: true}, "cuckoo-compact cuckoo counting", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Counts: true}, "counting count-min", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Delete: true, Counts: true}, "counting", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Guess: true, Counts: true}, "bloom-scalable cuckoo-scalable", 0},
		{advice.Needs{Keys: 1_000_000, Rate: 0.01, Guess: true, Delete: true, Counts: true}, "cuckoo-scalable", 0},
		{advice.Needs{Keys: 100_000_000, Memory: 100_000_000}, "bloom bloom-blocked cuckoo-compact cuckoo", 0.0216},
		{advice.Needs{Keys: 100_000_000, Memory: 100_000_000, Fixed: true}, "static perfect bloom bloom-blocked cuckoo-compact cuckoo", 0.0045},
		{advice.Needs{Keys: 50_000_000, Memory: 100_000_000, Delete: true}, "cuckoo-compact cuckoo counting", 0.00011},
	} {
		got := choices(t, c.needs)
		assert.Equal(t, c.want, names(got), "%+v", c.needs)
		assert.InEpsilon(t, cmp.Or(c.needs.Rate, c.rate), got[0].Rate, 0.1, "%+v", c.needs)
		for _, choice := range got {
			assert.True(t, choice.Rate == c.needs.Rate || c.needs.Rate == 0 && choice.Bytes <= c.needs.Memory, "%+v", choice)
			assert.InDelta(t, 8*float64(choice.Bytes)/float64(c.needs.Keys), choice.BitsPerKey, 1e-9)
		}
	}
}

// Users will paste the literal, so it must compile and have the promised size.
func TestLiteralHasPromisedSize(t *testing.T) {
	for _, needs := range []advice.Needs{
		{Keys: 1, Rate: 0.01}, {Keys: 12_345, Rate: 0.0007}, {Keys: 100_000, Rate: 1e-6}, {Keys: 1000, Rate: 0.1, Counts: true},
		{Keys: 12_345, Rate: 0.001, Guess: true}, {Keys: 12_345, Rate: 0.001, Memory: 20_000, Guess: true},
		{Keys: 100_000, Rate: 0.02, Fixed: true}, {Keys: 100_000, Rate: 1e-6, Fixed: true},
		{Keys: 100_000, Memory: 100_000, Fixed: true}, {Keys: 100_000, Memory: 300_000, Delete: true}, {Keys: 100_000, Memory: 100 << 20}, {Keys: 10_000, Memory: 100_000, Guess: true},
		{Rate: 0.001, Memory: 100_000}, {Rate: 0.01, Memory: 100_000, Fixed: true, Delete: true},
		{Keys: 100_000, Rate: 0.001, Memory: 100_000, Fixed: true}, {Keys: 100_000, Rate: 0.001, Memory: 100_000}, {Keys: 100_000, Rate: 0.001, Memory: 300_000, Delete: true},
	} {
		digests := make([]hashfam.Digest, needs.Keys)
		for i := range digests {
			digests[i] = hashfam.Family{}.SumUint64(uint64(i))
		}
		for _, c := range choices(t, needs) {
			bytes := build(t, c.Literal, digests)
			if strings.Contains(c.Literal, ", digests") { // the size depends on the keys
				assert.InEpsilon(t, c.Bytes, bytes, 0.015, c.Literal)
				continue
			}
			assert.Equal(t, c.Bytes, bytes, c.Literal)
			assert.Equal(t, needs.Guess && needs.Memory > 0, needs.Guess && strings.Contains(c.Literal, "MemoryBytes"), c.Literal)
			if needs.Memory > 0 {
				assert.LessOrEqual(t, c.Bytes, needs.Memory, c.Literal)
			}
		}
	}
}

// build executes a literal and returns the size of the structure.
func build(t *testing.T, literal string, digests []hashfam.Digest) uint64 {
	t.Helper()
	switch name, _, _ := strings.Cut(literal, "("); name {
	case "static.New":
		return sizeOf(t, literal, func(c static.Config) (*static.Filter, error) { return static.New(t.Context(), c, digests) })
	case "perfect.NewFilter":
		return sizeOf(t, literal, func(c perfect.FilterConfig) (*perfect.Filter, error) {
			return perfect.NewFilter(t.Context(), c, digests, nil)
		})
	case "bloom.New":
		return sizeOf(t, literal, bloom.New)
	case "counting.New":
		return sizeOf(t, literal, counting.New)
	case "bloom.NewScalable":
		return sizeOf(t, literal, bloom.NewScalable)
	case "cuckoo.NewScalable":
		return sizeOf(t, literal, cuckoo.NewScalable)
	case "cuckoo.New":
		return sizeOf(t, literal, cuckoo.New)
	}
	return sizeOf(t, literal, countmin.New)
}

// config matches the arguments of a call. As JSON, a literal's fields have
// quoted names, no underscores in numbers, and other constants.
var (
	config = regexp.MustCompile(`\((?:context.Background\(\), )?([\w.]+)\{(.*)\}(?:, digests(?:, nil)?)?\)$`)
	field  = regexp.MustCompile(`(\w+):`)
	values = strings.NewReplacer("_", "", "bloom.Blocked", `"blocked"`)
)

// sizeOf calls build with the Config in a literal, and returns the size.
func sizeOf[C any, S interface{ SizeBytes() uint64 }](t *testing.T, literal string, build func(C) (S, error)) uint64 {
	t.Helper()
	var c C
	found := config.FindStringSubmatch(literal)
	require.NotNil(t, found, literal)
	require.Equal(t, fmt.Sprintf("%T", c), found[1])
	d := json.NewDecoder(strings.NewReader("{" + values.Replace(field.ReplaceAllString(found[2], `"$1":`)) + "}"))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&c), literal)
	s, err := build(c)
	require.NoError(t, err, literal)
	return s.SizeBytes()
}

func TestLittleMemoryRaisesTheRate(t *testing.T) {
	list := choices(t, advice.Needs{Keys: 1_000_000, Rate: 0.001, Memory: 1_000_000})
	best := list[0]
	assert.InDelta(t, 0.0214, best.Rate, 0.001, "8 bits per key: 2^-(8 ln 2)")
	p, err := bloom.Config{Capacity: 1_000_000, FPRate: 0.98 * best.Rate}.Params()
	require.NoError(t, err)
	assert.Greater(t, p.SizeBytes(), uint64(1_000_000), "a lower rate needs more")
	assert.True(t, slices.IsSortedFunc(list, func(a, b advice.Choice) int { return cmp.Compare(a.Rate, b.Rate) }))
	assert.Contains(t, best.Literal, "MemoryBytes: 1_000_000")
}

// Without a number of keys, the structure with room for the most keys comes
// first. Slightly more keys would not fit.
func TestMemoryAndRateGiveMostKeys(t *testing.T) {
	for _, c := range []struct {
		needs advice.Needs
		want  string
	}{
		{advice.Needs{Rate: 0.01, Memory: 64e6}, "bloom cuckoo-compact bloom-blocked cuckoo"},
		{advice.Needs{Rate: 0.001, Memory: 64e6, Guess: true}, "cuckoo-compact cuckoo bloom bloom-blocked"},
		{advice.Needs{Rate: 0.001, Memory: 64e6, Fixed: true}, "static perfect cuckoo-compact cuckoo bloom bloom-blocked"},
		{advice.Needs{Rate: 0.01, Memory: 64e6, Delete: true}, "cuckoo-compact cuckoo counting"},
		{advice.Needs{Rate: 0.01, Memory: 64e6, Counts: true}, "counting count-min"},
	} {
		got := choices(t, c.needs)
		assert.Equal(t, c.want, names(got), "%+v", c.needs)
		for _, choice := range got {
			assert.LessOrEqual(t, choice.Bytes, c.needs.Memory)
			assert.Equal(t, c.needs.Rate, choice.Rate)
			for keys, fits := range map[uint64]bool{choice.Keys: true, choice.Keys + choice.Keys/1000: false} {
				needs := c.needs
				needs.Keys, needs.Guess = keys, false
				same := choices(t, needs)
				i := slices.IndexFunc(same, func(x advice.Choice) bool { return x.Structure == choice.Structure })
				assert.Equal(t, fits, same[i].Rate == c.needs.Rate, "%+v %+v", needs, choice)
			}
		}
	}
	got := advice.Form{Keys: " ", Rate: "1", Memory: "64"}.Answer()
	require.NotEmpty(t, got.Choices)
	assert.Equal(t, "bloom.New(bloom.Config{FPRate: 0.01, MemoryBytes: 67_108_864})", got.Choices[0].Literal)
	assert.InEpsilon(t, 56_000_000, got.Choices[0].Keys, 0.01)
	assert.Contains(t, advice.Form{Rate: "1e-300", Memory: "1"}.Answer().Fields, "rate")
}

func TestImpossibleNeedsAreExplained(t *testing.T) {
	for needs, want := range map[advice.Needs]string{
		{Rate: 0.01}: "0 keys", {Keys: 1}: "rate 0", {Keys: 1, Rate: 1}: "rate 1", {Keys: 1, Rate: math.NaN()}: "rate NaN",
		{Keys: 1_000_000, Memory: 1000}:                 "1,000,000 keys do not fit in 0.000954 MiB",
		{Keys: 1_000_000, Memory: 100_000}:              "1,000,000 keys do not fit in 0.0954 MiB",
		{Keys: 1_000_000, Rate: 0.01, Memory: 1000}:     "1,000,000 keys do not fit in 0.000954 MiB",
		{Keys: math.MaxUint64, Rate: 0.01}:              "Capacity",
		{Keys: math.MaxUint64, Rate: 0.01, Guess: true}: "Expected/2^63",
	} {
		_, err := advice.For(needs)
		require.ErrorIs(t, err, advice.ErrNeeds, "%+v", needs)
		assert.ErrorContains(t, err, want)
	}
}

// The memory that an error names is sufficient.
func TestErrorsNameASufficientMemory(t *testing.T) {
	for _, needs := range []advice.Needs{
		{Keys: 1_000_000, Memory: 1000}, {Keys: 1_000_000, Memory: 1000, Fixed: true}, {Keys: 50, Memory: 1, Delete: true},
		{Keys: 1_000_000, Rate: 0.01, Memory: 1000, Guess: true}, {Rate: 0.01, Memory: 5, Fixed: true}, {Rate: 1e-9, Memory: 7, Fixed: true},
	} {
		_, err := advice.For(needs)
		require.ErrorIs(t, err, advice.ErrNeeds)
		_, named, found := strings.Cut(err.Error(), "want at least ")
		require.True(t, found, err)
		var mib float64
		_, scanErr := fmt.Sscanf(named, "%g MiB", &mib)
		require.NoError(t, scanErr, err)
		more := needs
		more.Memory = uint64(mib * (1 << 20))
		choices(t, more)
	}
}

func TestFiltersAreListedForAllOperations(t *testing.T) {
	const all = "bloom bloom-blocked counting cuckoo cuckoo-compact perfect static"
	for _, needs := range []advice.Needs{
		{Keys: 1_000_000, Rate: 0.001},
		{Keys: 1_000_000, Memory: 1 << 20},
		{Rate: 0.01, Memory: 64 << 20},
		{Keys: 1_000_000, Rate: 0.01, Memory: 1 << 20},
		{Keys: 1_000_000, Rate: 0.001, Guess: true, Counts: true},
	} {
		list, err := advice.Filters(needs)
		require.NoError(t, err, "%+v", needs)
		require.Equal(t, all, strings.Join(slices.Sorted(strings.SplitSeq(names(list), " ")), " "), "%+v", needs)
		require.Equal(t, "static", list[0].Structure, "%+v", needs)
		needs.Guess, needs.Counts = false, false
		for _, choice := range choices(t, needs) {
			require.Contains(t, list, choice, "%+v", needs)
		}
	}
	_, err := advice.Filters(advice.Needs{Keys: 1_000_000, Memory: 1000})
	require.ErrorIs(t, err, advice.ErrNeeds)
}

// The mean count is the total divided by the number of keys.
func TestSketchErrorIsWithinTheMeanCount(t *testing.T) {
	for _, keys := range []uint64{1, 2, 7, 999, 1001, 12_345, 999_000, 1_000_000, 1_003_000} {
		for _, c := range choices(t, advice.Needs{Keys: keys, Rate: 0.01, Counts: true}) {
			var epsilon float64
			if n, _ := fmt.Sscanf(c.Literal, "countmin.New(countmin.Config{Epsilon: %g,", &epsilon); n == 1 {
				require.LessOrEqual(t, epsilon*float64(keys), 1.0, "%d keys", keys)
				require.Greater(t, epsilon*float64(keys+1), 0.99, "%d keys", keys)
			}
		}
	}
}

// unasked contains what the calculator does not offer, but the tree does.
var unasked = map[string]any{
	"static.NewExact": static.NewExact, "perfect.Function": perfect.Function{}, "bloom.Rotating": bloom.Rotating{},
	"countmin.HeavyHitters": countmin.HeavyHitters{}, "countmin.Window": countmin.Window{},
}

// isOf reports whether the constructor in a choice returns the given type.
func isOf(c advice.Choice, typeName string) bool {
	name, _, _ := strings.Cut(c.Literal, "(")
	pkg, short, _ := strings.Cut(typeName, ".")
	return name == pkg+".New"+short || name == pkg+".New" && (short == "Filter" || short == "Sketch")
}

// Each type in the tree in docs/choosing.md has attributes with the needs that
// lead to it. The type must be the calculator's first choice or, if another
// question decides, one of its choices.
func TestTreeAgreesWithTheCalculator(t *testing.T) {
	text, err := os.ReadFile("../../docs/figures/choose.svg")
	require.NoError(t, err)
	var tree struct {
		Texts []struct {
			Class string `xml:"class,attr"`
			First string `xml:"data-first,attr"`
			Also  string `xml:"data-also,attr"`
			Name  string `xml:",chardata"`
		} `xml:"text"`
	}
	require.NoError(t, xml.Unmarshal(text, &tree))
	ends, unknown := 0, map[string]bool{}
	for _, x := range tree.Texts {
		switch {
		case x.Class != "type":
			continue
		case x.First+x.Also == "":
			assert.Contains(t, unasked, x.Name)
			unknown[x.Name] = true
		default:
			var needs advice.Needs
			require.NoError(t, json.Unmarshal([]byte(x.First+x.Also), &needs))
			list := choices(t, needs)
			if x.First != "" {
				list = list[:1]
			}
			agrees := slices.ContainsFunc(list, func(c advice.Choice) bool { return isOf(c, x.Name) })
			assert.True(t, agrees, "%s is not among %s for %+v", x.Name, names(list), needs)
		}
		ends++
	}
	assert.Equal(t, 16, ends)
	assert.Len(t, unasked, len(unknown))
}

func TestFormIsRead(t *testing.T) {
	for _, c := range []struct {
		form advice.Form
		want advice.Needs
	}{
		{advice.Form{Keys: "1000", Rate: "1", Guess: true}, advice.Needs{Keys: 1000, Rate: 0.01, Guess: true}},
		{advice.Form{Keys: "1000", Rate: "0.5%"}, advice.Needs{Keys: 1000, Rate: 0.005}},
		{advice.Form{Keys: "1000", Rate: " 2.5 % "}, advice.Needs{Keys: 1000, Rate: 0.025}},
		{advice.Form{Keys: "1,000,000", Rate: "2.5", Delete: true}, advice.Needs{Keys: 1_000_000, Rate: 0.025, Delete: true}},
		{advice.Form{Keys: "1_000_000", Rate: ".5", Fixed: true}, advice.Needs{Keys: 1_000_000, Rate: 0.005, Fixed: true}},
		{advice.Form{Keys: "1 000 000", Rate: "5."}, advice.Needs{Keys: 1_000_000, Rate: 0.05}},
		{advice.Form{Keys: "1\u202f000", Rate: " 1 "}, advice.Needs{Keys: 1000, Rate: 0.01}},
		{advice.Form{Keys: "1.5e6", Rate: "1e-9"}, advice.Needs{Keys: 1_500_000, Rate: 1e-11}},
		{advice.Form{Keys: "1e+3", Rate: "1E0", Memory: "1.5"}, advice.Needs{Keys: 1000, Rate: 0.01, Memory: 3 << 19}},
		{advice.Form{Keys: "7", Rate: "7", Memory: " ", Counts: true}, advice.Needs{Keys: 7, Rate: 0.07, Counts: true}},
		{advice.Form{Keys: "1e6", Rate: " ", Memory: "100"}, advice.Needs{Keys: 1_000_000, Memory: 100 << 20}},
	} {
		got := c.form.Answer()
		assert.Empty(t, got.Fields, "%+v", c.form)
		assert.Equal(t, c.want, got.Needs, "%+v", c.form)
	}
}

func TestUnreadableFieldIsNamed(t *testing.T) {
	for field, texts := range map[string][]string{
		"keys": {"0", "-1", "+1", "10M", "abc", "1e30", "1e-3", "1.5", "1.5e0", "1,5", "1,0000", "1.000.000", "1,000_000",
			"0x10", "NaN", "1e999", "100000000000001", "99999999999999999999999"},
		"rate":   {"0", "100", "-1", "2,5", "1%%", "%", "100%", "abc", "NaN", "1e400", "1e-400", "1_0", "1 0", "0x1p-2", "1e", "."},
		"memory": {"0", "-1", "10M", "abc", "1,5", "1e30", "1e-9", "Inf"},
	} {
		for _, text := range texts {
			form := advice.Form{Keys: "1000", Rate: "1", Memory: "1"}
			*map[string]*string{"keys": &form.Keys, "rate": &form.Rate, "memory": &form.Memory}[field] = text
			got := form.Answer()
			require.Len(t, got.Fields, 1, "%s %q", field, text)
			assert.Regexp(t, `^".*": want a .*, such as `, got.Fields[field], "%s %q", field, text)
			assert.Empty(t, got.Choices)
			assert.Empty(t, got.Error)
		}
	}
	assert.Equal(t, `"1e30": want a whole number from 1 to 1e14, such as 1000000, 1,000,000 or 1e6, or an empty field if rate and memory are set`, advice.Form{Keys: "1e30", Rate: "1"}.Answer().Fields["keys"])
	assert.Regexp(t, "^the field is empty: want a percentage .* or an empty field if the memory is set$", advice.Form{Keys: "1"}.Answer().Fields["rate"])
	assert.Len(t, advice.Form{Keys: "x", Rate: "x", Memory: "x"}.Answer().Fields, 3, "one message per field")
}

func TestNounsAgreeWithTheirNumbers(t *testing.T) {
	plural := regexp.MustCompile(`\b1 [a-z]+s\b`)
	one := 0
	for _, keys := range []uint64{1, 2, 1000} {
		for _, rate := range []float64{0.9, 0.5, 0.01} {
			list := choices(t, advice.Needs{Keys: keys, Rate: rate, Counts: true, Delete: true})
			for _, c := range append(list, choices(t, advice.Needs{Keys: keys, Rate: rate, Fixed: true})...) {
				assert.NotRegexp(t, plural, c.Params)
				one += strings.Count(c.Params, " 1 hash")
			}
		}
	}
	assert.Positive(t, one, "a filter has one hash")
	_, err := advice.For(advice.Needs{Keys: 1, Memory: 1, Counts: true})
	assert.NotRegexp(t, plural, fmt.Sprint(err))
}

func TestImpossibleFormIsExplainedOnce(t *testing.T) {
	for field, form := range map[string]advice.Form{
		"keys": {Keys: "1e14", Rate: "1"}, "rate": {Keys: "1e6", Rate: "1e-300", Guess: true},
	} {
		got := form.Answer()
		assert.Empty(t, got.Choices, "%+v", form)
		assert.Empty(t, got.Error, "%+v", form)
		assert.Len(t, got.Fields, 1)
		assert.Regexp(t, `^"1e.*": want [^:]+$`, got.Fields[field])
	}
	got := advice.Form{Keys: "1e6", Rate: "1", Memory: "0.001"}.Answer()
	assert.Equal(t, 1, strings.Count(got.Error, "1,000,000 keys do not fit in 0.001 MiB"), got.Error)
}

// The page has one unit for a field and for the error beside it.
func TestErrorsUseTheUnitOfTheField(t *testing.T) {
	for _, keys := range []string{"1", "1e6", "1e13"} {
		got := advice.Form{Keys: keys, Rate: "1e-300", Delete: true}.Answer()
		var percent float64
		_, err := fmt.Sscanf(got.Fields["rate"], `"1e-300": want at least %g for this number of keys`, &percent)
		require.NoError(t, err, got.Fields)
		require.NotEmpty(t, advice.Form{Keys: keys, Rate: fmt.Sprint(percent), Delete: true}.Answer().Choices, keys)
		require.Empty(t, advice.Form{Keys: keys, Rate: fmt.Sprint(0.98 * percent), Delete: true}.Answer().Choices, keys)
	}
}

func TestCountsReachTheLargestUint64(t *testing.T) {
	n, ok := advice.ParseCount("18446744073709551615")
	assert.True(t, ok)
	assert.Equal(t, uint64(math.MaxUint64), n)
	for _, text := range []string{"18446744073709551616", "1e20", "9007199254740993.0e1"} {
		_, ok := advice.ParseCount(text)
		assert.False(t, ok, text)
	}
}

// docs/choosing.md contains the bits that a tenth of the rate costs: the mean
// from 10% to 1e-6, and for Blocked filters the least and the most.
func TestChoosingShowsTheBitsForATenthOfTheRate(t *testing.T) {
	const keys = 1_000_000
	sizes := map[string]func(rate float64) uint64{
		"bloom": func(rate float64) uint64 {
			return hashfam.Must(bloom.Config{Capacity: keys, FPRate: rate}.Params()).SizeBytes()
		},
		"blocked": func(rate float64) uint64 {
			return hashfam.Must(bloom.Config{Capacity: keys, FPRate: rate, Layout: bloom.Blocked}.Params()).SizeBytes()
		},
		"cuckoo": func(rate float64) uint64 {
			return hashfam.Must(cuckoo.Config{Capacity: keys, FPRate: rate, Compact: true}.Params()).SizeBytes()
		},
		"static": func(rate float64) uint64 { return hashfam.Must(static.Config{FPRate: rate}.EstimatedBytes(keys, 0)) },
		"counting": func(rate float64) uint64 {
			return hashfam.Must(counting.Config{Capacity: keys, FPRate: rate}.Params()).SizeBytes()
		},
	}
	mean, least, most := map[string]float64{}, math.Inf(1), 0.0
	for name, size := range sizes {
		mean[name] = 8 * (float64(size(1e-6)) - float64(size(0.1))) / keys / 5
	}
	for _, rate := range []float64{0.1, 0.01, 1e-3, 1e-4, 1e-5} {
		more := 8 * (float64(sizes["blocked"](rate/10)) - float64(sizes["blocked"](rate))) / keys
		least, most = min(least, more), max(most, more)
	}
	checks.Documented(t, "choosing.md", "needs %.1f more bits per key in a Bloom filter (with the Blocked layout, from %.1f for the first to %.1f for the last), %.1f in a compact cuckoo or static filter, and %.1f in a counting filter",
		mean["bloom"], least, most, mean["cuckoo"], mean["counting"])
	require.InDelta(t, mean["cuckoo"], mean["static"], 0.05)
}

// docs/choosing.md says from how many keys on no filter is smaller than a
// static one.
func TestChoosingShowsTheSmallestEncoding(t *testing.T) {
	const keys = 800
	checks.Documented(t, "choosing.md", "For %d or more keys and rates from 1e-6 to 10%%, no Bloom or cuckoo filter is smaller", keys)
	for _, n := range []uint64{keys, keys + 1, 900, 1_000, 2 * keys, 5_000, 100_000} {
		for rate := 1e-6; rate <= 0.1; rate *= 1.05 {
			size := hashfam.Must(static.Config{FPRate: rate}.EstimatedBytes(n, 0))
			assert.LessOrEqual(t, size, hashfam.Must(bloom.Config{Capacity: n, FPRate: rate}.Params()).SizeBytes(), "%d keys, %g", n, rate)
			assert.LessOrEqual(t, size, hashfam.Must(cuckoo.Config{Capacity: n, FPRate: rate, Compact: true}.Params()).SizeBytes(), "%d keys, %g", n, rate)
		}
	}
}
