package sharded_test

import (
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// Shards are encoded one by one. To encode them all together is an error, not
// an empty object.
func TestShardsAreNotEncodedTogether(t *testing.T) {
	o := lists(t, 2)
	type field struct{ Seen sharded.Of[*list] }
	for _, v := range []any{o, *o, field{*o}, &field{*o}, []any{*o}, map[string]any{"seen": o}} {
		_, err := json.Marshal(v)
		require.ErrorContains(t, err, "sharded: shards are encoded one by one", "%T", v)
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
	_, err := xml.Marshal(field{*o})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Error(t, gob.NewEncoder(io.Discard).Encode(o))
}

func TestPrintingShardsNeverShowsAKey(t *testing.T) {
	key := hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	o, err := sharded.New(2, func(int) (counting.Config, error) { return counting.Config{Family: hashfam.New(key)}, nil })
	require.NoError(t, err)
	const want = "sharded.Of(2 shards)"
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
		for _, v := range []any{o, *o} {
			require.Equal(t, want, fmt.Sprintf(verb, v))
		}
		for _, v := range []any{struct{ Of *sharded.Of[counting.Config] }{o}, struct{ Of sharded.Of[counting.Config] }{*o}} {
			for _, half := range []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908} {
				require.NotContains(t, fmt.Sprintf(verb, v), fmt.Sprint(half), verb)
				require.NotContains(t, fmt.Sprintf(verb, v), fmt.Sprintf("%x", half), verb)
			}
		}
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "a", o, "b", *o)
	require.Contains(t, log.String(), fmt.Sprintf("a=%q b=%q", want, want))
}
