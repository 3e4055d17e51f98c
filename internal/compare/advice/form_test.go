package advice_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/compare/advice"
)

func TestFormIsRead(t *testing.T) {
	for _, c := range []struct {
		form advice.Form
		want advice.Needs
	}{
		{advice.Form{Keys: "1000", Rate: "1"}, advice.Needs{Keys: 1000, Rate: 0.01}},
		{advice.Form{Keys: "1,000,000", Rate: "2.5"}, advice.Needs{Keys: 1_000_000, Rate: 0.025}},
		{advice.Form{Keys: "1_000_000", Rate: ".5"}, advice.Needs{Keys: 1_000_000, Rate: 0.005}},
		{advice.Form{Keys: "1 000 000", Rate: "5."}, advice.Needs{Keys: 1_000_000, Rate: 0.05}},
		{advice.Form{Keys: "1\u202f000", Rate: " 1 "}, advice.Needs{Keys: 1000, Rate: 0.01}},
		{advice.Form{Keys: "1.5e6", Rate: "1e-9"}, advice.Needs{Keys: 1_500_000, Rate: 1e-11}},
		{advice.Form{Keys: "1e+3", Rate: "1E0", Memory: "1.5"}, advice.Needs{Keys: 1000, Rate: 0.01, Memory: 3 << 19}},
		{advice.Form{Keys: "7", Rate: "7", Memory: " ", Counts: true}, advice.Needs{Keys: 7, Rate: 0.07, Counts: true}},
		{advice.Form{Keys: "1e6", Rate: " ", Memory: "100"}, advice.Needs{Keys: 1_000_000, Memory: 100 << 20}},
		{advice.Form{Keys: "7", Rate: "7", Guess: true}, advice.Needs{Keys: 7, Rate: 0.07, Guess: true}},
		{advice.Form{Keys: "7", Rate: "7", Delete: true}, advice.Needs{Keys: 7, Rate: 0.07, Delete: true}},
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
		"rate":   {"0", "100", "-1", "2,5", "1%", "abc", "NaN", "1e400", "1e-400", "1_0", "1 0", "0x1p-2", "1e", "."},
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
	assert.Contains(t, advice.Form{Keys: "1"}.Answer().Fields["rate"], "or an empty field if the memory is set")
	assert.Len(t, advice.Form{Keys: "x", Rate: "x", Memory: "x"}.Answer().Fields, 3, "one message per field")
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
	assert.Equal(t, 1, strings.Count(got.Error, "1,000,000 keys do not fit in 1,049 bytes"), got.Error)
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
