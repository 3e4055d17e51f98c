package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// No output shows the key of the family, {4, 5, 6, 0, ...}: neither that of a
// pointer, nor of a value, nor of what contains one.
func TestNoOutputShowsTheKey(t *testing.T) {
	dir, digests := files(t, "bloom")
	f := open(t, dir)
	_, err := f.ContainsDigest(digests[0]) // a part is in memory
	require.NoError(t, err)
	shown := fmt.Sprintf("parts.Filter(bloom, parts: 3, family: %v)", family)
	for _, v := range []any{f, *f, []*Filter{f}, struct{ Filter Filter }{*f}, map[string]any{"f": *f}} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q", "%30v"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		fmt.Fprintln(&out, v)
		require.Equal(t, 9, strings.Count(out.String(), shown), "%T: %s", v, out.String())
		slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
		b, err := json.Marshal(v)
		fmt.Fprintf(&out, "%s %v\n", b, err)
		requireNoKey(t, out.String())
	}
	requireNoKey(t, fmt.Sprint((*Filter)(nil)))
}

// requireNoKey checks that text does not contain the key, as a number or as
// bytes.
func requireNoKey(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{"394500", "60504", "4 5 6", "4,5,6", "040506"} {
		require.NotContains(t, text, secret)
	}
	require.NotContains(t, text, "PANIC")
}

// A filter cannot be encoded: its files are its encoding. An error is better
// than {}.
func TestJSONIsRefused(t *testing.T) {
	dir, _ := files(t, "static")
	f := open(t, dir)
	for _, v := range []any{f, *f, struct{ Filter Filter }{*f}, []*Filter{f}} {
		_, err := json.Marshal(v)
		require.True(t, errors.Is(err, errors.ErrUnsupported), "%T: %v", v, err)
	}
}
