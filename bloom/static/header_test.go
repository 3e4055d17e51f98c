package static

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// The header alone tells that a payload is too long for the keys, so that
// SizeBytes of the parameters can be relied on before the payload is read.
func TestAHeaderClaimsNoMorePayloadThanItsKeysTake(t *testing.T) {
	f := golden(Config{FPRate: 0.01}, 1000)()
	filter, err := f.MarshalBinary()
	require.NoError(t, err)
	exact := encoded(t, goldenExact(hashfam.Family{}, 100, 1000)())
	p := f.Params()
	_, most := ribbon.Bounds(p.Columns, p.Keys, p.Layers)
	read := map[string]func([]byte) (uint64, error){
		"Filter": func(b []byte) (uint64, error) {
			p, err := ReadParams(bytes.NewReader(b), hashfam.Family{})
			return p.SizeBytes(), err
		},
		"Exact": func(b []byte) (uint64, error) {
			p, err := ReadExactParams(bytes.NewReader(b), hashfam.Family{})
			return p.SizeBytes(), err
		},
	}
	for _, c := range []struct {
		structure string
		frame     []byte
		payload   uint64
		ok        bool
	}{
		{"Filter", filter, p.Bytes, true},
		{"Filter", filter, most, true},
		{"Filter", filter, most + 8, false},
		{"Filter", filter, 1 << 40, false},
		{"Exact", exact, uint64(len(exact) - 72), true},
		{"Exact", exact, 4096, false},
		{"Exact", exact, 1 << 40, false},
	} {
		b := bytes.Clone(c.frame)
		binary.LittleEndian.PutUint64(b[16:], c.payload)
		conformance.Reseal(b)
		size, err := read[c.structure](b)
		if c.ok {
			require.NoError(t, err)
			require.Equal(t, c.payload, size)
			continue
		}
		require.ErrorIs(t, err, ErrCorrupt, "%s of %d bytes", c.structure, c.payload)
		require.ErrorContains(t, err, "payload length")
	}
}

// A Builder in JSON is an error, not {}: what it holds would be lost.
func TestABuilderHasNoJSON(t *testing.T) {
	b, err := NewBuilder(Config{FPRate: 0.01})
	require.NoError(t, err)
	b.AddString("key")
	for _, v := range []any{b, *b, struct{ Keys Builder }{*b}} {
		_, err := json.Marshal(v)
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
}
