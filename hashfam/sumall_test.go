package hashfam_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// eachWay runs a test of SumAll as this machine does it, and again hashing one
// key after the other.
func eachWay(t *testing.T, test func(*testing.T)) {
	t.Run("as the machine can", test)
	t.Run("one by one", func(t *testing.T) {
		defer hashfam.SetGroups(hashfam.SetGroups(false))
		test(t)
	})
}

// noise returns n bytes that are no pattern.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// one returns what SumAll is to append, from Family.Sum.
func one(f hashfam.Family, keys [][]byte) []hashfam.Digest {
	want := make([]hashfam.Digest, len(keys))
	for i, key := range keys {
		want[i] = f.Sum(key)
	}
	return want
}

func TestSumAllOfTheReferenceVector(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		key := make([]byte, 15)
		for i := range key {
			key[i] = byte(i)
		}
		for _, d := range hashfam.New(ascending()).SumAll(nil, slices.Repeat([][]byte{key}, 16)) {
			require.Equal(t, hashfam.Digest(0xa129ca6149be45e5), d)
		}
	})
}

// One key of every length at every place among seven keys of every length.
func TestSumAllOfAllLengths(t *testing.T) {
	const longest, group = 130, 8
	eachWay(t, func(t *testing.T) {
		f := hashfam.New(ascending())
		text := noise(group * longest)
		keys := make([][]byte, group)
		want := make([]hashfam.Digest, group)
		dst := make([]hashfam.Digest, 0, group)
		var sums [group][longest + 1]hashfam.Digest
		for i := range group {
			for n := range longest + 1 {
				sums[i][n] = f.Sum(text[i*longest:][:n])
			}
		}
		for n := range longest + 1 {
			for place := range group {
				for m := range longest + 1 {
					for i := range keys {
						keys[i] = text[i*longest:][:n]
						want[i] = sums[i][n]
					}
					keys[place] = text[place*longest:][:m]
					want[place] = sums[place][m]
					if got := f.SumAll(dst, keys); !slices.Equal(want, got) {
						require.Equal(t, want, got, "lengths %d, but %d at %d", n, m, place)
					}
				}
			}
		}
	})
}

// Eight different lengths near each other, which share a group.
func TestSumAllOfMixedLengths(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 9))
		text := noise(2000)
		for range 20_000 {
			key := hashfam.Key(text[rng.IntN(1000):][:16])
			f := hashfam.New(key)
			shortest, spread := rng.IntN(300), 1+rng.IntN(64)
			keys := make([][]byte, rng.IntN(21))
			for i := range keys {
				n := shortest + rng.IntN(spread)
				start := rng.IntN(len(text) - n)
				keys[i] = text[start : start+n : start+n]
			}
			if want, got := one(f, keys), f.SumAll(nil, keys); !slices.Equal(want, got) {
				require.Equal(t, want, got, "%d keys from %d by %d", len(keys), shortest, spread)
			}
		}
	})
}

func TestSumAllOfLongKeys(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		f := hashfam.New(ascending())
		text := noise(1<<17 + 64)
		for _, n := range []int{255, 256, 257, 511, 512, 1000, 1<<16 - 1, 1 << 16, 1 << 17} {
			for _, step := range []int{0, 1, 8} {
				var same, mixed [][]byte
				for i := range 8 {
					same = append(same, text[i*step:][:n])
					mixed = append(mixed, text[:n+i*step])
				}
				require.Equal(t, one(f, same), f.SumAll(nil, same), n)
				require.Equal(t, one(f, mixed), f.SumAll(nil, mixed), n)
			}
		}
	})
}

// Nothing but the elements appended is written, and nothing before them changes.
func TestSumAllWritesOnlyWhatItAppends(t *testing.T) {
	const before, after, mark = 3, 20, 0x5e5e5e5e5e5e5e5e
	eachWay(t, func(t *testing.T) {
		text := noise(400)
		for n := range 41 {
			for _, length := range []int{0, 5, 16, -1} {
				keys := make([][]byte, n)
				for i := range keys {
					keys[i] = text[i:][:length&(16+i%24)]
				}
				headers := slices.Clone(keys)
				room := slices.Repeat([]hashfam.Digest{mark}, before+n+after)
				want := slices.Clone(room)
				copy(want[before:], one(hashfam.Family{}, keys))
				got := hashfam.Family{}.SumAll(room[:before], keys)
				require.Len(t, got, before+n)
				require.Same(t, &room[0], &got[0], "what has room is not moved")
				require.Equal(t, want, room)
				require.Equal(t, headers, keys)

				tight := slices.Clip(slices.Clone(room[:before]))
				require.Equal(t, want[:before+n], hashfam.Family{}.SumAll(tight, keys))
				require.Equal(t, slices.Repeat([]hashfam.Digest{mark}, before), tight)
			}
		}
		require.Equal(t, noise(400), text, "keys are only read")
	})
}

func TestSumAllOfKeysThatShareMemory(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		f := hashfam.New(ascending())
		text := noise(100)
		var overlapping, nested, twins [][]byte
		for i := range 40 {
			overlapping = append(overlapping, text[i:i+24])
			nested = append(nested, text[:i])
			twins = append(twins, text[:16:16])
		}
		empty := make([][]byte, 16)
		empty[3] = []byte{}
		some := slices.Repeat([][]byte{nil, text[:9], {}, text[:20]}, 4)
		for _, keys := range [][][]byte{overlapping, nested, twins, empty, some} {
			require.Equal(t, one(f, keys), f.SumAll(nil, keys))
		}
	})
}

// drawKeys draws keys of lengths near each other or far apart, as slices of one
// text, so that what lies around a key differs from what is in it.
func drawKeys(t *rapid.T) [][]byte {
	text := rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "text")
	longest := rapid.IntRange(0, len(text)).Draw(t, "longest")
	shortest := rapid.IntRange(0, longest).Draw(t, "shortest")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []byte {
		n := rapid.IntRange(shortest, longest).Draw(t, "length")
		start := rapid.IntRange(0, len(text)-n).Draw(t, "start")
		return text[start : start+n]
	}), 0, 40).Draw(t, "keys")
}

func TestSumAllIsSum(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			f, keys := hashfam.New(drawKey(t)), drawKeys(t)
			require.Equal(t, one(f, keys), append([]hashfam.Digest{}, f.SumAll(nil, keys)...))
		})
	})
}

// FuzzSumAll cuts a text into keys: each byte of lengths is one, modulo what is
// left.
func FuzzSumAll(f *testing.F) {
	f.Add(uint64(0), uint64(0), noise(300), []byte{16, 16, 16, 16, 16, 16, 16, 16, 16})
	f.Add(uint64(1), uint64(2), noise(300), []byte{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3})
	f.Add(uint64(3), uint64(4), noise(500), []byte{30, 35, 40, 45, 50, 55, 60, 65})
	f.Add(uint64(5), uint64(6), noise(500), []byte{0, 0, 0, 200, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, k0, k1 uint64, text, lengths []byte) {
		var key hashfam.Key
		binary.LittleEndian.PutUint64(key[:8], k0)
		binary.LittleEndian.PutUint64(key[8:], k1)
		family := hashfam.New(key)
		var keys [][]byte
		for _, length := range lengths {
			n := int(length) % (len(text) + 1)
			keys = append(keys, text[:n])
			text = text[n:]
		}
		got := family.SumAll(nil, keys)
		if want := one(family, keys); !slices.Equal(want, got) {
			require.Equal(t, want, got)
		}
	})
}

// Keys and digests on the stack stay there.
func TestSumAllAllocatesNothing(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		f := hashfam.New(ascending())
		for n := range 33 {
			require.Zero(t, testing.AllocsPerRun(10, func() {
				var (
					text    [64]byte
					keys    [32][]byte
					digests [32]hashfam.Digest
				)
				for i := range keys {
					keys[i] = text[i : i+16+i%3]
				}
				sink ^= f.SumAll(digests[:0], keys[:n])[:32][n/2]
			}), n)
		}
	})
}
