package hashfam

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

func TestOnlyThePublicOrTheReceiversFamilyIsDecoded(t *testing.T) {
	keyed, other := New(Key{1}), New(Key{2})
	for _, c := range []struct {
		receiver Family
		text     string
		want     error
	}{
		{Family{}, "public", nil},
		{keyed, "public", nil},
		{keyed, keyed.String(), nil},
		{Family{}, keyed.String(), ErrFamily},
		{other, keyed.String(), ErrFamily},
		{Family{}, "", ErrCorrupt},
		{Family{}, "Public", ErrCorrupt},
		{Family{}, "keyed:", ErrCorrupt},
		{Family{}, keyed.String() + "0", ErrCorrupt},
		{Family{}, "keyed:000000000000000g", ErrCorrupt},
		{keyed, "keyed:" + strings.ToUpper(keyed.String()[6:]), ErrCorrupt},
	} {
		f := c.receiver
		err := f.UnmarshalText([]byte(c.text))
		require.ErrorIs(t, err, c.want, "%v reads %q", c.receiver, c.text)
		switch {
		case err != nil:
			require.Equal(t, c.receiver, f, "a failed read changed the family")
			var fe *FieldError
			require.True(t, errors.As(err, &fe))
		case c.text == "public":
			require.True(t, f.Public())
		default:
			require.Equal(t, keyed, f)
		}
	}
}

// The configuration of a keyed filter that is stored as JSON and read back must
// not silently become that of a public filter.
func TestAKeyedFamilyInJSONIsNotLostSilently(t *testing.T) {
	type config struct {
		Family Family
	}
	for _, fam := range []Family{{}, New(Key{1})} {
		b, err := json.Marshal(config{fam})
		require.NoError(t, err)
		require.Equal(t, `{"Family":"`+fam.String()+`"}`, string(b))
		var c config
		err = json.Unmarshal(b, &c)
		if fam.Public() {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrFamily)
		c = config{fam}
		require.NoError(t, json.Unmarshal(b, &c), "the receiver already has the family")
		require.Equal(t, fam, c.Family)
	}
	for _, b := range []string{`{"Family":{}}`, `{"Family":""}`, `{"Family":1}`} {
		require.Error(t, json.Unmarshal([]byte(b), new(config)), b)
	}
}

func TestNoOutputShowsAKey(t *testing.T) {
	key := Key{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}
	for _, v := range []any{key, &key, []Key{key}, map[string]Key{"k": key}, struct{ K Key }{key}} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
			if _, direct := v.(*Key); direct || verb != "%d" && verb != "%x" {
				fmt.Fprintf(&out, verb+"\n", v)
			}
		}
		b, err := json.Marshal(v)
		require.NoError(t, err)
		out.Write(b)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
		require.Contains(t, out.String(), "hidden")
		for _, secret := range []string{"10 11 12", "10,11,12", "0a0b0c", "0a 0b", "CgsMDQ", "0xa, 0xb"} {
			require.NotContains(t, out.String(), secret, "%T", v)
		}
	}
	text, err := key.MarshalText()
	require.NoError(t, err)
	k := key
	require.ErrorIs(t, k.UnmarshalText(text), ErrSecret)
	require.Equal(t, key, k)
	b, err := json.Marshal(key)
	require.NoError(t, err)
	require.ErrorIs(t, json.Unmarshal(b, &k), ErrSecret)
}

func TestShardsAreEvenAndBounded(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 64, 1000} {
		counts := make([]int, n)
		for i := range uint64(100_000) {
			counts[Family{}.SumUint64(i).Shard(n)]++
		}
		chi2 := 0.0
		for _, c := range counts {
			d := float64(c) - 1e5/float64(n)
			chi2 += d * d / (1e5 / float64(n))
		}
		// Six standard deviations above the mean or more.
		require.Less(t, chi2, float64(n-1)+6*float64(n)+30, "%d shards", n)
	}
	for _, n := range []int{0, -1, -1 << 31} {
		require.Zero(t, Digest(1<<63).Shard(n))
	}
}
