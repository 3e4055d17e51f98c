package filterbeam

import (
	"encoding/json"
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
