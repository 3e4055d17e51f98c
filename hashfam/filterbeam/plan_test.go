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

var testFamily = hashfam.New(hashfam.Key{1, 2, 3})

func init() {
	if err := RegisterFamily("test", func() (hashfam.Family, error) { return testFamily, nil }); err != nil {
		panic(err)
	}
}

// A keyed family is found by its name. The plan does not contain its key.
func TestAKeyedFamily(t *testing.T) {
	c := bloomConfig(bloom.Blocked)
	c.Family = hashfam.New(hashfam.Key{9})
	_, err := Bloom(c)
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "RegisterFamily")

	c.Family = testFamily
	p := must(Bloom(c))
	want, err := bloom.New(c)
	require.NoError(t, err)
	keys := testKeys(1000)
	want.AddAll(want.Family().SumAll(nil, keys))
	got := bloom.NewReceiver(testFamily)
	require.NoError(t, got.UnmarshalBinary(runFiles(t, p, writeKeys(t, t.TempDir(), keys, 3))))
	require.True(t, want.Equal(got))
	text, err := json.Marshal(p.spec)
	require.NoError(t, err)
	require.NotContains(t, string(text), "010203")
}

// A worker that knows another key, or none, fails.
func TestAWorkerWithAnotherFamilyFails(t *testing.T) {
	c := bloomConfig(bloom.Blocked)
	c.Family = testFamily
	p := must(Bloom(c))
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	p.spec.Check++
	require.ErrorContains(t, fails(t, p, pattern), ErrFamily.Error())
	p.spec.Family = "unknown"
	require.ErrorContains(t, fails(t, p, pattern), ErrFamily.Error())
	_, err := p.spec.family()
	require.ErrorIs(t, err, ErrFamily)
}

func TestAFamilyNeedsANameOfItsOwn(t *testing.T) {
	open := func() (hashfam.Family, error) { return testFamily, nil }
	require.ErrorIs(t, RegisterFamily("", open), ErrParams)
	require.ErrorIs(t, RegisterFamily("test", open), ErrParams)
}

// A family that cannot be opened is refused when it is registered, not when a
// plan needs it.
func TestAFamilyNeedsAFunctionThatOpensIt(t *testing.T) {
	require.ErrorIs(t, RegisterFamily("nil", nil), ErrParams)
	c := bloomConfig(bloom.Classic)
	c.Family = hashfam.New(hashfam.Key{7})
	_, err := Bloom(c)
	require.ErrorIs(t, err, ErrParams)
}

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
