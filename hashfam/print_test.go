package hashfam

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

func TestUnmarshalTextRejectsOtherFamilies(t *testing.T) {
	machine.Matters(t)
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
			require.Equal(t, c.receiver, f, "a failed decode changed the family")
			require.ErrorAs(t, err, new(*FieldError))
		case c.text == "public":
			require.Equal(t, Family{}, f)
		default:
			require.Equal(t, keyed, f)
		}
	}
	// A configuration that is stored and read back must not silently get the
	// public family.
	b, err := json.Marshal(struct{ Family Family }{keyed})
	require.NoError(t, err)
	require.Equal(t, `{"Family":"`+keyed.String()+`"}`, string(b))
	require.ErrorIs(t, json.Unmarshal(b, new(struct{ Family Family })), ErrFamily)
}

func TestPrintingHidesTheKey(t *testing.T) {
	key := Key{0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97, 0x88, 0x9a, 0xab, 0xbc, 0xcd, 0xde, 0xef, 0xf9, 0xea}
	f := New(key)
	values := []any{
		f, key, &f, &key, f.Hasher(0), struct{ Hasher Hasher }{f.Hasher(0)},
		struct{ Family Family }{f}, &struct{ Key Key }{key}, []Family{f}, map[Family]int{f: 1}, []Key{key}, map[Key]int{key: 1}, fmt.Errorf("wrapped: %v %d", f, key),
	}
	var secrets []string
	for half := range 2 {
		word := key[8*half : 8*half+8]
		secrets = append(secrets, hex.EncodeToString(word), fmt.Sprintf("% x", word), fmt.Sprint(word[:3])[1:11], string(word[:2]),
			base64.StdEncoding.EncodeToString(word[half:])[:8], fmt.Sprintf("%#v", word)[7:17])
		for _, x := range []uint64{binary.LittleEndian.Uint64(word), binary.BigEndian.Uint64(word)} {
			for _, base := range []int{2, 8, 10, 16} {
				secrets = append(secrets, strconv.FormatUint(x, base))
			}
		}
	}
	for _, value := range values {
		var out strings.Builder
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%#x", "% x", "%X", "%s", "%q", "%o", "%b", "%c", "%U", "%30v", "%z"} {
			fmt.Fprintf(&out, verb+"\n", value)
		}
		text, err := json.Marshal(value)
		fmt.Fprintf(&out, "%s %v\n", text, err)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", value)
		slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", value)
		for _, secret := range secrets {
			require.NotContains(t, out.String()+strings.ToLower(out.String()), secret, "%T", value)
		}
	}
	// Values without these methods reveal the secrets, so the loop above can
	// fail.
	for _, verb := range []string{"%v", "%d", "%x", "%#x", "%#v", "%b", "%s"} {
		words := [2]uint64{binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])}
		shown := fmt.Sprintf(verb+verb+verb, words, [16]byte(key), key[:])
		require.True(t, slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(shown, s) }), verb)
	}
	require.Equal(t, "public", fmt.Sprint(Family{}))
	require.Equal(t, fmt.Sprintf("keyed:%016x", f.CheckValue()), f.String())

	// A stored text would be useless, so marshaling is an error.
	k := key
	for _, text := range []string{`"hashfam.Key(hidden)"`, `""`} {
		require.ErrorIs(t, json.Unmarshal([]byte(text), &k), ErrSecret)
		require.Equal(t, key, k)
	}
	for _, value := range []any{key, &key, struct{ Key Key }{key}} {
		_, err := json.Marshal(value)
		require.ErrorIs(t, err, ErrSecret, "%T", value)
		var out bytes.Buffer
		require.ErrorIs(t, gob.NewEncoder(&out).Encode(value), ErrSecret, "%T", value)
		require.NotContains(t, out.String(), string(key[:]))
	}
	b, err := json.Marshal(f.Hasher(0))
	require.NoError(t, err)
	require.Equal(t, `"`+f.String()+`"`, string(b))
	require.Error(t, json.Unmarshal(b, new(Hasher)), "a Hasher must not become the public one")
}
