package hashfam_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dchest/siphash"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// ascending returns the key 00 01 .. 0f of the SipHash reference vectors.
func ascending() hashfam.Key {
	var k hashfam.Key
	for i := range k {
		k[i] = byte(i)
	}
	return k
}

func drawKey(t *rapid.T) hashfam.Key {
	return hashfam.Key(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "key"))
}

func TestSumIsSipHash(t *testing.T) {
	t.Run("reference vector", func(t *testing.T) {
		input := make([]byte, 15)
		for i := range input {
			input[i] = byte(i)
		}
		require.Equal(t, hashfam.Digest(0xa129ca6149be45e5), hashfam.New(ascending()).Sum(input))
	})
	t.Run("any key and input", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			key := drawKey(t)
			input := rapid.SliceOf(rapid.Byte()).Draw(t, "input")
			h := siphash.New(key[:])
			h.Write(input)
			require.Equal(t, hashfam.Digest(h.Sum64()), hashfam.New(key).Sum(input))
		})
	})
}

func TestKeyFormsAgree(t *testing.T) {
	t.Run("bytes and string", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			f := hashfam.New(drawKey(t))
			key := rapid.SliceOf(rapid.Byte()).Draw(t, "input")
			require.Equal(t, f.Sum(key), f.SumString(string(key)))
		})
	})
	t.Run("every short length", func(t *testing.T) {
		f := hashfam.New(ascending())
		text := strings.Repeat("0123456789abcdef", 20)
		for n := range len(text) {
			require.Equal(t, f.Sum([]byte(text[:n])), f.SumString(text[:n]), n)
		}
	})
	t.Run("a number and its little-endian bytes", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			f := hashfam.New(drawKey(t))
			x := rapid.Uint64().Draw(t, "x")
			require.Equal(t, f.Sum(binary.LittleEndian.AppendUint64(nil, x)), f.SumUint64(x))
		})
	})
	t.Run("the empty key", func(t *testing.T) {
		for _, f := range []hashfam.Family{{}, hashfam.New(ascending())} {
			require.Equal(t, f.Sum(nil), f.Sum([]byte{}))
			require.Equal(t, f.Sum(nil), f.SumString(""))
			require.NotEqual(t, f.Sum(nil), f.Sum([]byte{0}))
		}
	})
	t.Run("many keys at once", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			f := hashfam.New(drawKey(t))
			keys := rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "keys")
			before := rapid.SliceOf(rapid.Map(rapid.Uint64(), func(x uint64) hashfam.Digest {
				return hashfam.Digest(x)
			})).Draw(t, "dst")
			want := append([]hashfam.Digest{}, before...)
			for _, key := range keys {
				want = append(want, f.Sum(key))
			}
			require.Equal(t, want, append([]hashfam.Digest{}, f.SumAll(before, keys)...))
		})
	})
	t.Run("no keys leave dst unchanged", func(t *testing.T) {
		require.Nil(t, hashfam.Family{}.SumAll(nil, nil))
	})
}

func TestFamilies(t *testing.T) {
	t.Run("the zero key is the public family", func(t *testing.T) {
		require.Equal(t, hashfam.Family{}, hashfam.New(hashfam.Key{}))
		require.True(t, hashfam.Family{}.Public())
		require.False(t, hashfam.New(ascending()).Public())
	})
	t.Run("every bit of the key matters", func(t *testing.T) {
		seen := map[hashfam.Family]bool{{}: true}
		digests := map[hashfam.Digest]bool{hashfam.Family{}.SumString("x"): true}
		for bit := range 128 {
			var key hashfam.Key
			key[bit/8] = 1 << (bit % 8)
			f := hashfam.New(key)
			seen[f] = true
			digests[f.SumString("x")] = true
		}
		require.Len(t, seen, 129)
		require.Len(t, digests, 129)
	})
	t.Run("random keys differ", func(t *testing.T) {
		seen := map[hashfam.Key]bool{{}: true}
		for range 1000 {
			seen[hashfam.RandomKey()] = true
		}
		require.Len(t, seen, 1001)
		require.NotEqual(t, hashfam.Random(), hashfam.Random())
		require.False(t, hashfam.Random().Public())
	})
}

func TestDerive(t *testing.T) {
	parents := []hashfam.Family{{}, hashfam.New(ascending()), hashfam.Random()}
	labels := []string{"", "a", "b", "ab", "a\x00", "\x00a", strings.Repeat("long", 1000)}
	seen := map[hashfam.Family]bool{}
	for _, f := range parents {
		seen[f] = true
		for _, label := range labels {
			child := f.Derive(label)
			require.Equal(t, child, f.Derive(label), "deterministic")
			require.NotEqual(t, f.SumString("x"), child.SumString("x"))
			seen[child] = true
			seen[child.Derive(label)] = true
		}
	}
	require.Len(t, seen, len(parents)*(1+2*len(labels)), "all differ")
}

func TestCheckValue(t *testing.T) {
	// Encoded filters contain check values, so the function must never change.
	require.Equal(t, uint64(0x925fb7cf74fec682), hashfam.Family{}.CheckValue())
	require.Equal(t, uint64(0xa68548face08eeeb), hashfam.New(ascending()).CheckValue())
	require.Equal(t, uint64(0x235b634f150971f), hashfam.Family{}.Derive("label").CheckValue())

	seen := map[uint64]bool{hashfam.Family{}.CheckValue(): true}
	for range 1000 {
		f := hashfam.Random()
		require.Equal(t, f.CheckValue(), f.CheckValue())
		seen[f.CheckValue()] = true
	}
	require.Len(t, seen, 1001)
}

func TestPrintingHidesTheKey(t *testing.T) {
	key := hashfam.Key{
		0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97, 0x88,
		0x9a, 0xab, 0xbc, 0xcd, 0xde, 0xef, 0xf9, 0xea,
	}
	f := hashfam.New(key)
	values := []any{
		f, key, &f, &key, f.Hasher(0), struct{ Hasher hashfam.Hasher }{f.Hasher(0)},
		struct{ Family hashfam.Family }{f},
		&struct{ Family hashfam.Family }{f},
		struct{ Key hashfam.Key }{key},
		[]hashfam.Family{f}, map[string]hashfam.Family{"f": f}, map[hashfam.Family]int{f: 1},
		[]hashfam.Key{key}, map[hashfam.Key]int{key: 1},
		fmt.Errorf("wrapped: %v %d", f, key),
	}
	var secrets []string
	for half := range 2 {
		word := key[8*half : 8*half+8]
		secrets = append(secrets, hex.EncodeToString(word), fmt.Sprintf("% x", word), fmt.Sprint(word[:3])[1:11], string(word[:2]))
		for _, x := range []uint64{binary.LittleEndian.Uint64(word), binary.BigEndian.Uint64(word)} {
			for _, base := range []int{2, 8, 10, 16} {
				secrets = append(secrets, strconv.FormatUint(x, base))
			}
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%#x", "% x", "%X", "%s", "%q", "%o", "%b", "%c", "%U", "%30v", "%z"} {
		for _, value := range values {
			shown := fmt.Sprintf(verb, value)
			for _, secret := range secrets {
				require.NotContains(t, shown+strings.ToLower(shown), secret, "%s of a %T", verb, value)
			}
		}
	}
	// Values without methods would show the secrets, so the loop can fail.
	for _, verb := range []string{"%v", "%d", "%x", "%#x", "%b", "%s"} {
		words := fmt.Sprintf(verb, [2]uint64{binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])})
		shown := words + fmt.Sprintf(verb, [16]byte(key)) + fmt.Sprintf(verb, key[:])
		require.True(t, slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(shown, s) }), verb)
	}
	require.Equal(t, "public", fmt.Sprint(hashfam.Family{}))
	require.Equal(t, fmt.Sprintf("keyed:%016x", f.CheckValue()), f.String())
	require.Equal(t, key.String(), fmt.Sprintf("%x", key))
}

var (
	sink    hashfam.Digest
	sinkAll []hashfam.Digest
)

func TestNoAllocation(t *testing.T) {
	f := hashfam.New(ascending())
	none := func(t *testing.T, do func(), hint any) {
		require.Zero(t, testing.AllocsPerRun(10, do), hint)
	}
	lengths := []int{4096}
	for n := range 301 {
		lengths = append(lengths, n)
	}
	t.Run("bytes", func(t *testing.T) {
		for _, n := range lengths {
			key := make([]byte, n)
			none(t, func() { sink ^= f.Sum(key) }, n)
		}
	})
	t.Run("string", func(t *testing.T) {
		if copiesStrings {
			t.Skip("this build copies strings")
		}
		for _, n := range lengths {
			key := strings.Repeat("x", n)
			none(t, func() { sink ^= f.SumString(key) }, n)
		}
	})
	t.Run("uint64", func(t *testing.T) {
		x := uint64(1) // not sink itself: Go 1.26 cannot compile that for s390x
		none(t, func() { x += uint64(f.SumUint64(x)) }, nil)
		sink ^= hashfam.Digest(x)
	})
	t.Run("many keys, enough room", func(t *testing.T) {
		keys := make([][]byte, len(lengths))
		for i, n := range lengths {
			keys[i] = make([]byte, n)
		}
		dst := make([]hashfam.Digest, 0, len(keys))
		none(t, func() { sinkAll = f.SumAll(dst, keys) }, nil)
	})
	t.Run("probes", func(t *testing.T) {
		none(t, func() {
			p := sink.Probe()
			for range 8 {
				sink ^= hashfam.Digest(hashfam.Reduce(uint64(p), 1000))
				p = p.Next()
			}
		}, nil)
	})
	t.Run("deriving under a short label", func(t *testing.T) {
		none(t, func() { f = f.Derive("users") }, nil)
	})
	t.Run("check value", func(t *testing.T) {
		none(t, func() { sink ^= hashfam.Digest(f.CheckValue()) }, nil)
	})
}

func TestProbe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Uint64().Draw(t, "digest")
		p := hashfam.Digest(d).Probe()
		modulus := new(big.Int).Lsh(big.NewInt(1), 64)
		step := new(big.Int).SetUint64(0xD1342543DE82EF95)
		want := new(big.Int).SetUint64(d)
		for i := range 40 {
			want.Mul(want, step).Mod(want, modulus)
			require.Equal(t, want.Uint64(), uint64(p), i)
			p = p.Next()
		}
	})
}

func TestReduce(t *testing.T) {
	exact := func(x, n uint64) uint64 {
		product := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(n))
		return product.Rsh(product, 64).Uint64()
	}
	t.Run("edges", func(t *testing.T) {
		edges := []uint64{0, 1, 2, 3, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}
		for _, x := range edges {
			for _, n := range edges {
				require.Equal(t, exact(x, n), hashfam.Reduce(x, n), "%d %d", x, n)
			}
		}
	})
	t.Run("random", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 10_000 {
			x, n := rng.Uint64(), rng.Uint64()>>rng.IntN(64)
			require.Equal(t, exact(x, n), hashfam.Reduce(x, n), "%d %d", x, n)
		}
	})
	t.Run("range, order and halving", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			x, y := rapid.Uint64().Draw(t, "x"), rapid.Uint64().Draw(t, "y")
			n := rapid.Uint64Min(1).Draw(t, "n")
			require.Less(t, hashfam.Reduce(x, n), n)
			require.LessOrEqual(t, hashfam.Reduce(min(x, y), n), hashfam.Reduce(max(x, y), n))
			even := n &^ 1
			require.Equal(t, hashfam.Reduce(x, even)/2, hashfam.Reduce(x, even/2))
			require.Zero(t, hashfam.Reduce(x, 0))
		})
	})
}

// TestInlining asks the compiler whether the functions that consist of one
// multiplication are inlined: a call would cost more.
func TestInlining(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool")
	}
	build := exec.Command(tool, "build", "-gcflags=-m", ".")
	report, err := build.CombinedOutput()
	require.NoError(t, err, string(report))
	for _, name := range []string{"Probe.Next", "Digest.Probe", "Reduce"} {
		require.Contains(t, string(report), "can inline "+name+"\n")
	}
}
