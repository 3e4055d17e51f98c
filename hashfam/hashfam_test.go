package hashfam

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dchest/siphash"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// ascending returns the key 00 01 .. 0f, which the SipHash reference vectors
// use.
func ascending() Key {
	var k Key
	for i := range k {
		k[i] = byte(i)
	}
	return k
}

func drawKey(t *rapid.T) Key {
	return Key(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "key"))
}

func TestSumIsSipHash(t *testing.T) {
	machine.Matters(t)
	key := ascending() // its first 15 bytes are the input of the reference vector
	require.Equal(t, Digest(0xa129ca6149be45e5), New(key).Sum(key[:15]))
	rapid.Check(t, func(t *rapid.T) {
		key, input := drawKey(t), rapid.SliceOf(rapid.Byte()).Draw(t, "input")
		h := siphash.New(key[:])
		h.Write(input)
		require.Equal(t, Digest(h.Sum64()), New(key).Sum(input))
	})
}

func TestKeyFormsAgree(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		f, key := New(drawKey(t)), rapid.SliceOf(rapid.Byte()).Draw(t, "input")
		require.Equal(t, f.Sum(key), f.SumString(string(key)))
		x := rapid.Uint64().Draw(t, "x")
		require.Equal(t, f.Sum(binary.LittleEndian.AppendUint64(nil, x)), f.SumUint64(x))
	})
	require.Equal(t, Family{}.Sum(nil), Family{}.SumString(""))
	require.NotEqual(t, Family{}.Sum(nil), Family{}.Sum([]byte{0}))
}

func TestEveryBitOfTheKeySelectsTheFamily(t *testing.T) {
	require.Equal(t, Family{}, New(Key{}))
	seen := map[Digest]bool{Family{}.SumString("x"): true}
	for bit := range 128 {
		var key Key
		key[bit/8] = 1 << (bit % 8)
		seen[New(key).SumString("x")] = true
	}
	require.Len(t, seen, 129)
}

func TestDerivedFamiliesDiffer(t *testing.T) {
	parents := []Family{{}, New(ascending()), Random()}
	labels := []string{"", "a", "b", "ab", "a\x00", "\x00a", strings.Repeat("long", 1000)}
	seen := map[Family]bool{}
	for _, f := range parents {
		seen[f] = true
		for _, label := range labels {
			child := f.Derive(label)
			require.Equal(t, child, f.Derive(label), "deterministic")
			seen[child], seen[child.Derive(label)] = true, true
		}
	}
	require.Len(t, seen, len(parents)*(1+2*len(labels)), "all differ")
}

func TestCheckValuesAreFixedAndDiffer(t *testing.T) {
	// Encoded filters contain check values, so this function must never change.
	require.Equal(t, uint64(0x925fb7cf74fec682), Family{}.CheckValue())
	require.Equal(t, uint64(0xa68548face08eeeb), New(ascending()).CheckValue())
	require.Equal(t, uint64(0x235b634f150971f), Family{}.Derive("label").CheckValue())

	seen := map[uint64]bool{Family{}.CheckValue(): true}
	for range 1000 { // also a test of random keys
		seen[Random().CheckValue()] = true
	}
	require.Len(t, seen, 1001)
}

var (
	sink    Digest
	sinkAll []Digest
)

// Keys and digests must not escape to the heap. Lookups with a Hasher use the
// instructions for small or for large structures.
func TestHashingDoesNotAllocate(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		f, x := New(ascending()), uint64(1) // not sink itself: Go 1.26 cannot compile that for s390x
		for n := range 50 {
			require.Zero(t, testing.AllocsPerRun(10, func() {
				var (
					text    [300]byte
					keys    [50][]byte
					numbers [50]uint64
					digests [150]Digest
				)
				for i := range keys {
					keys[i] = text[i : i+16+i%3]
				}
				dst := f.SumAll(digests[:0], keys[:n])
				sink ^= f.SumAllUint64(dst, numbers[:n])[:150][n/2] ^ f.Sum(text[:6*n])
				sink ^= f.Hasher(0).Sum(text[:6*n]) ^ f.Hasher(1<<40).Sum(text[:6*n])
				x += uint64(f.SumUint64(x)) + f.Derive("users").CheckValue()
			}), n)
		}
	})
}

// docs/choosing.md says so about keys that stay in the process.
func TestComparableKeysDoNotAllocate(t *testing.T) {
	type visit struct {
		user uint64
		page string
	}
	seed := maphash.MakeSeed()
	require.Zero(t, testing.AllocsPerRun(10, func() { sink ^= Digest(maphash.Comparable(seed, visit{17, "home"})) }))
}

func TestReduceIsTheHighHalfOfTheProduct(t *testing.T) {
	machine.Matters(t)
	exact := func(x, n uint64) uint64 {
		product := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(n))
		return product.Rsh(product, 64).Uint64()
	}
	rapid.Check(t, func(t *rapid.T) { // often draws the smallest and largest numbers
		x, y := rapid.Uint64().Draw(t, "x"), rapid.Uint64().Draw(t, "y")
		n := rapid.Uint64Min(1).Draw(t, "n")
		require.Equal(t, exact(x, n), Reduce(x, n))
		require.LessOrEqual(t, Reduce(min(x, y), n), Reduce(max(x, y), n))
		even := n &^ 1
		require.Equal(t, Reduce(x, even)/2, Reduce(x, even/2))
		require.Zero(t, Reduce(x, 0))
	})
	require.Equal(t, uint64(math.MaxUint64-1), Reduce(math.MaxUint64, math.MaxUint64))
}

// A call would take longer than the multiplication that these functions need.
func TestShortFunctionsAreInlined(t *testing.T) {
	machine.Inlined(t, "Probe.Next", "Digest.Probe", "Reduce")
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
		// At least six standard deviations above the mean.
		require.Less(t, chi2, float64(n-1)+6*float64(n)+30, "%d shards", n)
	}
	for _, n := range []int{0, -1, -1 << 31} {
		require.Zero(t, Digest(1<<63).Shard(n))
	}
}

func TestProbeAndDigestAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint64().Draw(t, "x")
		require.Equal(t, Digest(x), Digest(x).Probe().Digest())
		require.Equal(t, Probe(x), Probe(x).Digest().Probe())
	})
}

func TestMustPanicsWithTheError(t *testing.T) {
	require.Equal(t, 7, Must(7, nil))
	require.PanicsWithValue(t, ErrParams, func() { Must(7, ErrParams) })
}
