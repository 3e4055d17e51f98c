package static

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// exactBuilders returns every way to build an Exact whose others are a drawn
// number of keys, which are longer than those of the suite.
func exactBuilders(t *rapid.T, fam hashfam.Family) []func([][]byte) (*Exact, error) {
	c := ExactConfig{Family: fam, Workers: 1}
	several := ExactConfig{Family: fam, Workers: 3}
	n := rapid.SampledFrom([]int{0, 1, 5, 50, 400}).Draw(t, "others")
	others := make([][]byte, n)
	for i := range others {
		others[i] = fmt.Appendf(nil, "%0*d", 301, i)
	}
	reversed := append(slices.Clone(others), others[:n/2]...) // with copies
	slices.Reverse(reversed)
	return []func([][]byte) (*Exact, error){
		func(keys [][]byte) (*Exact, error) { return NewExact(c, keys, others) },
		func(keys [][]byte) (*Exact, error) { return NewExact(several, keys, reversed) },
		func(keys [][]byte) (*Exact, error) {
			return NewExactFromDigests(c, fam.SumAll(nil, keys), fam.SumAll(nil, reversed))
		},
		func(keys [][]byte) (*Exact, error) {
			return NewExactFromDigests(several, fam.SumAll(nil, keys), fam.SumAll(nil, others))
		},
	}
}

var exactSuite = conformance.Built[*Exact]{
	Encoded: conformance.Encoded[*Exact]{
		Fresh:         conformance.FromKeys(exactBuilders),
		Receiver:      NewExactReceiver,
		Has:           (*Exact).Contains,
		HasString:     (*Exact).ContainsString,
		HasDigest:     (*Exact).ContainsDigest,
		HasAll:        (*Exact).ContainsAll,
		HasAllDigests: (*Exact).ContainsAllDigests,
		HasAllStrings: (*Exact).ContainsAllStrings,
		HasAllUint64:  (*Exact).ContainsAllUint64,
		HasUint64:     (*Exact).ContainsUint64,
		Reads: func(e *Exact) {
			e.SizeBytes()
			e.Params()
			_ = e.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			for i, n := range []uint64{1 << 35, 1 << 40, 1 << 36} { // 5 columns
				binary.LittleEndian.PutUint64(params[8*i:], n)
			}
			params[24], params[25] = 2, 2
			return 1 << 35
		},
		View: func(data []byte, fam hashfam.Family) (conformance.Viewed[*Exact], error) {
			return conformance.ViewOf[*Exact](NewExactView(data, fam))
		},
		ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) { return ReadExactParams(r, fam) },
		Params:     func(e *Exact) (any, hashfam.Family) { return e.Params(), e.Params().Family },
		Shown: func(e *Exact) []any {
			return []any{e.params, ExactConfig{Family: e.params.Family}, ExactView{exact: *e}}
		},
		Golden: []conformance.Golden[*Exact]{
			{File: "exact.bin", Build: goldenExact(hashfam.Family{}, 100, 120)},
			{File: "exact-inverted.bin", Build: goldenExact(hashfam.Family{}, 1500, 100)},
			{File: "exact-empty.bin", Build: goldenExact(hashfam.Family{}, 0, 5)},
			{File: "exact-keyed.bin", Build: goldenExact(hashfam.New(hashfam.Key{1, 2, 3}), 50, 300)},
		},
	},
	Builders: exactBuilders,
}

// goldenExact returns a function that builds an Exact of numbered keys.
func goldenExact(fam hashfam.Family, members, others int) func() *Exact {
	return func() *Exact {
		e, err := NewExact(ExactConfig{Family: fam}, distinctKeys(members, "member "), distinctKeys(others, "other "))
		if err != nil {
			panic(err)
		}
		return e
	}
}

func TestExactConformance(t *testing.T) { exactSuite.Run(t) }

func FuzzExactMembership(f *testing.F)  { conformance.Fuzz(f, exactSuite.Membership) }
func FuzzExactSameSet(f *testing.F)     { conformance.Fuzz(f, exactSuite.SameSet) }
func FuzzExactRoundTrip(f *testing.F)   { conformance.Fuzz(f, exactSuite.RoundTrip) }
func FuzzExactDamage(f *testing.F)      { conformance.Fuzz(f, exactSuite.Damage) }
func FuzzExactMutations(f *testing.F)   { exactSuite.FuzzMutations(f) }
func FuzzExactLyingLength(f *testing.F) { conformance.Fuzz(f, exactSuite.LyingLength) }
func FuzzExactViews(f *testing.F)       { conformance.Fuzz(f, exactSuite.Views) }
func FuzzExactStreams(f *testing.F)     { conformance.Fuzz(f, exactSuite.Streams) }
func FuzzExactDecode(f *testing.F)      { exactSuite.FuzzDecode(f) }
func FuzzExactProgram(f *testing.F)     { exactSuite.FuzzProgram(f) }
