package conform

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// texts checks that a structure round-trips as text, alone and inside of JSON
// and XML, as a pointer and as a value in a struct, and that damaged text is
// detected.
func (e Encoded[T]) texts(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.fill(t, fam)
	text, err := f.MarshalText()
	require.NoError(t, err)
	g := e.Receiver(fam)
	require.NoError(t, g.UnmarshalText(text))
	require.True(t, g.Equal(f))

	type document struct{ Filter T }
	b, err := json.Marshal(document{f})
	require.NoError(t, err)
	d := document{e.Receiver(fam)}
	require.NoError(t, json.Unmarshal(b, &d))
	require.True(t, d.Filter.Equal(f), "JSON")
	value, err := json.Marshal(struct{ Filter any }{reflect.ValueOf(f).Elem().Interface()})
	require.NoError(t, err)
	require.Equal(t, string(b), string(value), "JSON of a value in a struct")
	b, err = xml.Marshal(document{f})
	require.NoError(t, err)
	d = document{e.Receiver(fam)}
	require.NoError(t, xml.Unmarshal(b, &d))
	require.True(t, d.Filter.Equal(f), "XML")

	require.ErrorIs(t, e.Receiver(fam.Derive("another")).UnmarshalText(text), hashfam.ErrFamily)
	before := encode(t, g)
	i := rapid.IntRange(0, len(text)-1).Draw(t, "offset")
	damaged := bytes.Clone(text)
	damaged[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	for _, bad := range [][]byte{nil, text[:i], damaged, []byte("{}")} {
		if damaged[i] != '\n' && damaged[i] != '\r' { // base64 skips them
			require.ErrorIs(t, g.UnmarshalText(bad), hashfam.ErrCorrupt)
		}
	}
	require.Equal(t, before, encode(t, g), "a failed decode changed the receiver")
}

// secret is a key whose bytes show in any form of output.
var secret = hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// secrets checks that no way of printing, logging or marshaling a structure,
// its view or its parameters shows the family's key.
func (e Encoded[T]) secrets(t *rapid.T) {
	fam := hashfam.New(secret)
	f, _ := e.fill(t, fam)
	params := parameters(f)
	values := []any{f, reflect.ValueOf(f).Elem().Interface(), []T{f}, map[string]T{"f": f}, struct{ F T }{f}, params, []any{params}}
	if v := e.viewOf(t, f); v != nil {
		values = append(values, v, reflect.ValueOf(v).Elem().Interface())
	}
	if e.Shown != nil {
		values = append(values, e.Shown(fam)...)
	}
	for _, v := range values {
		out := shown(t, v)
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
func shown(t require.TestingT, v any) string {
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
