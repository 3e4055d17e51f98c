package advice_test

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/compare/advice"
)

// unasked are the types in the tree for needs that the calculator does not ask
// about.
var unasked = map[string]any{
	"static.Exact": static.Exact{}, "perfect.Function": perfect.Function{}, "bloom.Rotating": bloom.Rotating{},
	"countmin.HeavyHitters": countmin.HeavyHitters{}, "countmin.TopK": countmin.TopK{}, "countmin.Window": countmin.Window{},
}

// isOf reports whether a choice is of a type, by the constructor that it names.
func isOf(c advice.Choice, typeName string) bool {
	name, _, _ := strings.Cut(c.Literal, "(")
	pkg, short, _ := strings.Cut(typeName, ".")
	return name == pkg+".New"+short || name == pkg+".New" && (short == "Filter" || short == "Sketch")
}

// Every type at the end of the tree in docs/choosing.md has the needs that lead
// there, as the calculator takes them. It is the calculator's first choice, or,
// if another question decides, one of its choices.
func TestTheTreeAgreesWithTheCalculator(t *testing.T) {
	text, err := os.ReadFile("../../../docs/figures/choose.svg")
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
	ends, unknown := 0, 0
	for _, x := range tree.Texts {
		switch {
		case x.Class != "type":
			continue
		case x.First+x.Also == "":
			assert.Contains(t, unasked, x.Name)
			unknown++
		default:
			var needs advice.Needs
			require.NoError(t, json.Unmarshal([]byte(x.First+x.Also), &needs))
			choices, err := advice.For(needs)
			require.NoError(t, err)
			agrees := isOf(choices[0], x.Name)
			for _, c := range choices {
				agrees = agrees || x.Also != "" && isOf(c, x.Name)
			}
			assert.True(t, agrees, "%s is not among %s for %+v", x.Name, names(choices), needs)
		}
		ends++
	}
	assert.Equal(t, 16, ends)
	assert.Len(t, unasked, unknown)
}
