package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

func TestNumbers(t *testing.T) {
	for text, want := range map[string]Number{"1": 1, "1000000": 1e6, "1e9": 1e9, "2.5e3": 2500, "1k": 1000, "2.5M": 2_500_000, "3G": 3e9, "281474976710656": 1 << 48} {
		var n Number
		require.NoError(t, n.Set(text))
		require.Equal(t, want, n)
		require.Equal(t, fmt.Sprint(uint64(want)), n.String())
	}
	for _, text := range []string{"", "0", "-1", "1.5", "NaN", "Inf", "1e15", "ten", "k", "1.0005k", "1KB"} {
		require.ErrorContains(t, new(Number).Set(text), "want a whole number from 1 to 2^48", text)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{"1": 1, "1e6": 1e6, "64M": 64 << 20, "1.5k": 1536, "2GiB": 2 << 30, "3 T": 0, "1tb": 1 << 40, "7B": 7} {
		var s Size
		err := s.Set(text)
		if want == 0 {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, s, text)
		require.Equal(t, fmt.Sprint(uint64(want)), s.String())
	}
	for _, text := range []string{"", "0", "-1M", "NaN", "1P", "1e15", "512T", "M"} {
		require.ErrorContains(t, new(Size).Set(text), "want a number of bytes up to 2^48", text)
	}
}

func TestRates(t *testing.T) {
	for text, want := range map[string]Rate{"0.01": 0.01, "1%": 0.01, "1e-6": 1e-6, "0.5%": 0.005, "2": 2} {
		var r Rate
		require.NoError(t, r.Set(text))
		require.Equal(t, want, r, text)
	}
	for _, text := range []string{"", "%", "1 %", "one"} {
		require.ErrorContains(t, new(Rate).Set(text), "want a number such as 0.01, or 1%", text)
	}
}

// Errors about a key do not contain it.
func TestFamilies(t *testing.T) {
	fam, err := Family([]byte("000102030405060708090a0B0c0d0e0f\r\n"), "KEY")
	require.NoError(t, err)
	require.Equal(t, hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), fam)
	for text, want := range map[string]string{
		"1234": "KEY: 4 bytes, want 32 hexadecimal digits", strings.Repeat("xy", 16): "KEY: not hexadecimal", strings.Repeat("0", 32): "KEY: all zeros",
	} {
		_, err := Family([]byte(text), "KEY")
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), text)
	}
}

func TestRatesUpToTwiceTheWantedOne(t *testing.T) {
	require.NoError(t, CheckRate("-n 9", 10, 0.02, 0.01, ""))
	require.EqualError(t, CheckRate("-n 9", 1000, 0.021, 0.01, "-n 1000"),
		"-n 9 is too small for 1000 keys: the rate is 2.1%, more than twice 1%; want -n 1000")
}

func TestACapacityIsRewrittenAsAFlag(t *testing.T) {
	full := fmt.Errorf("worker 3: %w", Full(Capacity, 1003, CapacityFor(1<<64-1)))
	require.EqualError(t, full, "worker 3: the Capacity is too small for 1003 keys; want a Capacity for 18446744073709551615 keys")
	require.Equal(t, "worker 3: -n 100 is too small for 1003 keys; want -n 18446744073709551615", CapacityAsFlag(full.Error(), "-n 100"))
	high := CheckRate(Capacity, 1003, 0.5, 0.01, CapacityFor(1003)).Error()
	require.Equal(t, "-n 100 is too small for 1003 keys: the rate is 50%, more than twice 1%; want -n 1003, or -force", CapacityAsFlag(high+", or -force", "-n 100"))
	require.Equal(t, "another error of 3 keys", CapacityAsFlag("another error of 3 keys", "-n 100"))
}

func TestMessagesAreLinesInTheWordsOfTheFlags(t *testing.T) {
	_, notThere := os.Open("Capacity\nFPRate")
	require.ErrorIs(t, notThere, fs.ErrNotExist)
	for want, err := range map[string]error{
		"-n 0, want above n/2^64 at -fpr 0.5": &hashfam.FieldError{
			Package: "bloom", Err: hashfam.ErrParams, Field: "Config.Capacity", Value: 0, Allowed: "above Capacity/2^64 at Config.FPRate 0.5"},
		"x: -k 0, want above 0": fmt.Errorf("x: %w", &hashfam.FieldError{
			Package: "countmin", Err: hashfam.ErrParams, Field: "HeavyConfig.K", Value: 0, Allowed: "above 0"}),
		"-fpr 0, want above n/2^64": &hashfam.FieldError{
			Package: "bloom", Err: hashfam.ErrParams, Field: "Config.FPRate", Value: 0, Allowed: "above Capacity/2^64"},
		"-delta 0, want above 1/(2^64 epsilon)": &hashfam.FieldError{
			Package: "countmin", Err: hashfam.ErrParams, Field: "Config.Delta", Value: 0, Allowed: "above 1/(2^64 Epsilon)"},
		"corrupt encoding: checksum 1, want 2": &hashfam.FieldError{
			Package: "bloom", Err: hashfam.ErrCorrupt, Field: "checksum", Value: 1, Allowed: "2"},
		"Capacity FPRate: no such file or directory": notThere,
		"one two": errors.New("one\ntwo"),
		"a b: -k 0, want above 0": fmt.Errorf("a\nb: %w", &hashfam.FieldError{
			Package: "countmin", Err: hashfam.ErrParams, Field: "HeavyConfig.K", Value: 0, Allowed: "above 0"}),
	} {
		require.Equal(t, want, Message(err, "-"))
		require.Equal(t, strings.NewReplacer("-fpr", "--fpr", "-delta", "--delta").Replace(want), Message(err, "--"))
	}
}
