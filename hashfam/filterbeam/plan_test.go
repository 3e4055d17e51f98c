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

// A keyed family is found by its name. The plan does not contain its key, and a
// worker that has another key, or none, fails.
func TestKeyedFamiliesAreFoundByName(t *testing.T) {
	c := bloomConfig(bloom.Blocked)
	c.Family = hashfam.New(hashfam.Key{9})
	_, err := Bloom(c)
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "RegisterFamily")

	c.Family = testFamily
	p := must(Bloom(c))
	keys := testKeys(1000)
	pattern := writeKeys(t, t.TempDir(), keys, 3)
	frame, _ := runJob(t, p, prismRunner, files(pattern))
	require.Equal(t, frameOf(bloom.New, c)(keys), frame)
	require.NotContains(t, string(must(json.Marshal(p.spec))), "010203")
	p.spec.Check++
	require.ErrorContains(t, fails(t, p, pattern), ErrFamily.Error())
	p.spec.Family = "unknown"
	require.ErrorContains(t, fails(t, p, pattern), ErrFamily.Error())
	_, err = p.spec.family()
	require.ErrorIs(t, err, ErrFamily)
}

// A family needs a new name and a function that opens it. This is checked when
// it is registered, and not when a plan needs it.
func TestRegisterFamilyChecksItsArguments(t *testing.T) {
	open := func() (hashfam.Family, error) { return testFamily, nil }
	require.ErrorIs(t, RegisterFamily("", open), ErrParams)
	require.ErrorIs(t, RegisterFamily("test", open), ErrParams)
	require.ErrorIs(t, RegisterFamily("nil", nil), ErrParams)
	c := bloomConfig(bloom.Classic)
	c.Family = hashfam.New(hashfam.Key{7})
	_, err := Bloom(c)
	require.ErrorIs(t, err, ErrParams)
}

// Plans, results of Combine and errors do not contain the family's key, {0xa1,
// 0xa2, ...}.
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
