package filterbeam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// Neither a plan, nor what Combine returns, nor an error shows the key of the
// family, {0xa1, 0xa2, ...}.
func TestNoOutputShowsTheKey(t *testing.T) {
	key := hashfam.Key{0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8}
	c := bloomConfig(bloom.Blocked)
	c.Family = hashfam.New(key)
	_, unknown := Bloom(c)
	require.ErrorIs(t, unknown, ErrParams)
	require.NoError(t, RegisterFamily(t.Name(), func() (hashfam.Family, error) { return c.Family, nil }))
	p := must(Bloom(c))
	combine := must(Combine[string](p))
	for _, v := range []any{p, &p, []Plan{p}, struct{ Plan Plan }{p}, unknown, combine} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		b, err := json.Marshal(v)
		require.NoError(t, err)
		out.Write(b)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
		for _, secret := range []string{"12152865349844574881", "a8a7a6a5a4a3a2a1", "a1a2a3a4", "161 162 163", "161,162,163"} {
			require.NotContains(t, out.String(), secret, "%T", v)
		}
	}
}
