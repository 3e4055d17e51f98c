package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// secret is a key whose bytes show in any form of output.
var secret = hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// secrets checks that no way of printing, logging or marshaling a structure,
// its view or its parameters shows the family's key.
func (s Suite[T]) secrets(t *rapid.T, _ T, _ [][]byte) {
	fam := hashfam.New(secret)
	f, _ := s.fill(t, fam)
	params := parameters(f)
	values := []any{f, reflect.ValueOf(f).Elem().Interface(), []T{f}, map[string]T{"f": f}, struct{ F T }{f}, params, []any{params}}
	if v := s.viewOf(t, f); v != nil {
		values = append(values, v, reflect.ValueOf(v).Elem().Interface())
	}
	if s.Shown != nil {
		values = append(values, s.Shown(fam)...)
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
