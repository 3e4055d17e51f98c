package conformance

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// texts checks that a structure round-trips as text inside of JSON and XML, as
// a pointer and as a value in a struct, and that damaged text is detected.
func (s Frames[S]) texts(t *rapid.T, f S, _ []string) {
	type document struct{ Filter S }
	b, err := json.Marshal(document{f})
	require.NoError(t, err)
	value, err := json.Marshal(struct{ Filter any }{s.Shown(f)[0]})
	require.NoError(t, err)
	require.Equal(t, string(b), string(value), "JSON of a value in a struct")
	x, err := xml.Marshal(document{f})
	require.NoError(t, err)
	fromJSON, fromXML := document{s.Receiver(f.Family())}, document{s.Receiver(f.Family())}
	require.NoError(t, json.Unmarshal(b, &fromJSON))
	require.NoError(t, xml.Unmarshal(x, &fromXML))
	require.True(t, fromJSON.Filter.Equal(f) && fromXML.Filter.Equal(f))
	text, err := f.MarshalText()
	require.NoError(t, err)
	for _, bad := range []string{"", "{}", string(text[1:]), string(text[:len(text)-1]), "?" + string(text[1:])} {
		require.ErrorIs(t, f.UnmarshalText([]byte(bad)), hashfam.ErrCorrupt)
	}
	must(t, fromXML.Filter.Equal(f), "a failed decode changed the receiver")
}

// secret is a key whose bytes show in any form of output.
var secret = hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// secrets checks that no way of printing, logging or marshaling a structure,
// its view or its parameters shows the family's key.
func (s Frames[S]) secrets(t *rapid.T, _ S, _ []string) {
	fam := hashfam.New(secret)
	f, _ := s.draw(t, fam)
	values := append(s.Shown(f), f, []S{f}, map[string]S{"f": f}, struct{ F S }{f}, []any{s.Shown(f)})
	if v, _ := s.open(encode(t, f), fam); v != nil {
		values = append(values, v.shown...)
	}
	for _, v := range values {
		out := shown(v)
		for _, half := range []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908} {
			require.NotContains(t, out, fmt.Sprint(half), "%T", v)
			require.NotContains(t, out, fmt.Sprintf("%x", half), "%T", v)
		}
		for _, wrong := range []string{"0 1 2 3 4 5 6 7", "0,1,2,3,4,5,6,7", "!ERROR", "PANIC"} {
			require.NotContains(t, out, wrong, "%T", v)
		}
	}
}

// shown returns v as all verbs print it, as JSON, and as loggers write it.
func shown(v any) string {
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
		fmt.Fprintf(&out, verb+"\n", v)
	}
	b, err := json.Marshal(v)
	fmt.Fprintf(&out, "%s %v\n", b, err)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
	slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
	return out.String()
}

// pureReads reads in several goroutines at the same time. The race detector
// finds a read that writes; so does a comparison of the encodings if the
// detector is off. Merging a structure into another one only reads it.
func (s Frames[S]) pureReads(t *rapid.T, f S, keys []string) {
	keys = append(keys, drawSet(t)...)
	before := encode(t, f)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, form := range slices.Concat(questionsOf(f, s.Questions)...) {
				form.do(keys...)
			}
			s.Reads(f)
			shown(f)
			f.Equal(f)
			f.WriteTo(io.Discard)
			if s.Clone != nil && s.Merge != nil {
				s.Merge(s.Clone(f), f)
			}
		})
	}
	wg.Wait()
	requireBytes(t, before, encode(t, f), "a read changed the structure")
}

// allocations checks that no query of a key of any form and length allocates,
// and no insertion of a key that is in the structure already. The exception is
// the copy of a string in a build with the tag purego.
func (s Frames[S]) allocations(t *rapid.T, f S, _ []string) {
	key := strings.Repeat("k", rapid.IntRange(0, 300).Draw(t, "length"))
	keys := slices.Repeat([]string{key}, 40) // hashed in blocks, not one by one
	fam, forms := f.Family(), slices.Concat(questionsOf(f, s.Questions)...)
	if s.Builders == nil {
		f = s.Like(f)
		for range 8 {
			s.Add(f)[0].do(keys...) // counters of one byte are widened here
		}
		forms = append(slices.Concat(questionsOf(f, s.Questions)...), s.Add(f)...)
		if s.ContainsOrAdd != nil {
			forms = append(forms, s.ContainsOrAdd(f)...)
		}
	}
	copies := testing.AllocsPerRun(5, func() { fam.SumString(key) })
	for _, form := range forms {
		for _, keys := range [][]string{keys[:1], keys[:2], keys} {
			want, call := 0.0, form.Bind(keys)
			if strings.HasSuffix(form.Name, "String") {
				want = copies * float64(len(keys))
			}
			require.LessOrEqual(t, leastAllocs(func() { call() }), want, "allocations of %s for %d keys", form.Name, len(keys))
		}
	}
	if s.Ask != nil {
		ask, b, d := s.Ask(fam), encode(t, f), fam.SumString(key)
		require.Zero(t, leastAllocs(func() { ask(b, d) }), "allocations of a question to a frame")
	}
}

// leastAllocs returns how often do allocates, the least of three counts: they
// include what the runtime allocates meanwhile.
func leastAllocs(do func()) float64 {
	least := testing.AllocsPerRun(5, do)
	for tries := 1; least > 0 && tries < 3; tries++ {
		least = min(least, testing.AllocsPerRun(5, do))
	}
	return least
}
