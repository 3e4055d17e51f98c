package hashfam

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/cpu"
)

// A way is a set of vector instructions that SumAll can use.
type way struct {
	name         string
	avx2, avx512 bool
}

var ways = []way{
	{"AVX-512", true, true},
	{"AVX2", true, false},
	{"individually", false, false},
}

// set makes SumAll use only these instructions until the test ends. It skips
// the test if the machine does not support them.
func (w way) set(t testing.TB) {
	if w.avx2 && !cpu.AVX2 || w.avx512 && !cpu.AVX512 {
		t.Skip("not supported by this build or machine")
	}
	t.Cleanup(setLanes(w.avx2, w.avx512))
}

// eachWay runs a test with each set of instructions that the machine supports.
func eachWay(t *testing.T, test func(*testing.T)) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			w.set(t)
			test(t)
		})
	}
}

// numbers returns n pseudo-random numbers.
func numbers(n int) []uint64 {
	rng := rand.New(rand.NewPCG(10, 11))
	list := make([]uint64, n)
	for i := range list {
		list[i] = rng.Uint64()
	}
	return list
}

// asStrings returns keys as strings.
func asStrings(keys [][]byte) []string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = string(key)
	}
	return list
}

// noise returns n pseudo-random bytes.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// one returns the expected result of SumAll, computed by Family.Sum.
func one(f Family, keys [][]byte) []Digest {
	want := make([]Digest, len(keys))
	for i, key := range keys {
		want[i] = f.Sum(key)
	}
	return want
}

// requireSums checks the results of SumAll and SumAllStrings.
func requireSums(t require.TestingT, f Family, keys [][]byte, hint ...any) {
	want := one(f, keys)
	if got := f.SumAll(nil, keys); !slices.Equal(want, got) {
		require.Equal(t, want, got, hint...)
	}
	if got := f.SumAllStrings(nil, asStrings(keys)); !slices.Equal(want, got) {
		require.Equal(t, want, got, hint...)
	}
}

// Keys of all lengths, where one key at the start or end of either half of a
// group has another length.
func TestSumAllOfAllLengths(t *testing.T) {
	machine.Matters(t)
	eachWay(t, func(t *testing.T) {
		f, text := New(ascending()), noise(16*130)
		for n := range 123 {
			for _, m := range []int{0, 1, 7, n / 2, n + 1, n + 7, 130} {
				for _, place := range []int{0, 7, 8, 15} {
					keys := slices.Collect(slices.Chunk(text, 130))
					for i := range keys {
						keys[i] = keys[i][:n]
					}
					keys[place] = keys[place][:m]
					requireSums(t, f, keys, "lengths %d, but %d at %d", n, m, place)
				}
			}
		}
	})
}

// Similar lengths, which share a group, and very different lengths, at any
// alignment. In half of the batches, up to five keys are much longer.
func TestSumAllOfMixedLengths(t *testing.T) {
	machine.Matters(t)
	eachWay(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 9))
		text := noise(2000)
		for range 4_000 {
			f := New(Key(text[rng.IntN(1000):][:16]))
			shortest, spread := rng.IntN(300)>>rng.IntN(6), 1+rng.IntN(1<<rng.IntN(10))
			keys := make([][]byte, rng.IntN(36))
			for i := range keys {
				n := shortest + rng.IntN(spread)
				start := rng.IntN(len(text) - n)
				keys[i] = text[start : start+n : start+n]
			}
			for range min(len(keys), rng.IntN(2)*rng.IntN(6)) {
				keys[rng.IntN(len(keys))] = text[:rng.IntN(len(text))]
			}
			requireSums(t, f, keys, "%d keys from %d by %d", len(keys), shortest, spread)
		}
	})
}

func TestSumAllOfEmptyAndLongKeys(t *testing.T) {
	machine.Matters(t)
	eachWay(t, func(t *testing.T) {
		f := New(ascending())
		text := noise(1<<17 + 128)
		requireSums(t, f, slices.Repeat([][]byte{nil, text[:9], {}, text[:20]}, 8))
		requireSums(t, f, make([][]byte, 32))
		for _, n := range []int{255, 256, 257, 511, 512, 1000, 1<<16 - 1, 1 << 16, 1 << 17} {
			for _, step := range []int{0, 1, 8} {
				var same, mixed [][]byte
				for i := range 16 {
					same = append(same, text[i*step:][:n])
					mixed = append(mixed, text[:n+i*step])
				}
				requireSums(t, f, same, n)
				requireSums(t, f, mixed, n)
			}
		}
	})
}

// requireAppended checks that all appends want to its argument, writes nothing
// else, and does not reallocate if there is enough room.
func requireAppended(t *testing.T, want []Digest, all func([]Digest) []Digest) {
	const before, after, mark = 3, 20, 0x5e5e5e5e5e5e5e5e
	room := slices.Repeat([]Digest{mark}, before+len(want)+after)
	filled := slices.Clone(room)
	copy(filled[before:], want)
	got := all(room[:before])
	require.Len(t, got, before+len(want))
	require.Same(t, &room[0], &got[0])
	require.Equal(t, filled, room)

	tight := slices.Repeat([]Digest{mark}, before)
	require.Equal(t, filled[:before+len(want)], all(slices.Clip(tight)))
	require.Equal(t, filled[before+len(want):][:before], tight)
}

func TestSumAllWritesOnlyWhatItAppends(t *testing.T) {
	machine.Matters(t)
	eachWay(t, func(t *testing.T) {
		f := New(ascending())
		text := noise(400)
		for n := range 41 {
			for _, length := range []int{0, 5, 16, -1} {
				keys := make([][]byte, n)
				for i := range keys {
					keys[i] = text[i:][:length&(16+i%24)]
				}
				headers, strs := slices.Clone(keys), asStrings(keys)
				want := one(f, keys)
				requireAppended(t, want, func(dst []Digest) []Digest { return f.SumAll(dst, keys) })
				requireAppended(t, want, func(dst []Digest) []Digest { return f.SumAllStrings(dst, strs) })
				require.Equal(t, headers, keys)
			}
		}
		require.Equal(t, noise(400), text, "keys must not change")
		require.Nil(t, f.SumAll(nil, nil))
		require.Nil(t, f.SumAllStrings(nil, nil))
		require.Nil(t, f.SumAllUint64(nil, nil))
	})
}

func TestSumAllUint64MatchesSumUint64(t *testing.T) {
	machine.Matters(t)
	eachWay(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(14, 15))
		keys := numbers(9000)
		copy(keys, []uint64{0, 1, 1<<64 - 1, 1 << 63, 0xff, 8 << 56})
		sizes := []int{4095, 4096, 4097, 4100, 4112, 8192, 9000}
		for n := range 100 {
			sizes = append(sizes, n)
		}
		for _, n := range sizes {
			f := New(Key(noise(16 + rng.IntN(1000))[:16]))
			want := make([]Digest, n)
			for i, key := range keys[:n] {
				want[i] = f.SumUint64(key)
			}
			if n > 100 {
				require.True(t, slices.Equal(want, f.SumAllUint64(nil, keys[:n])), n)
				continue
			}
			requireAppended(t, want, func(dst []Digest) []Digest { return f.SumAllUint64(dst, keys[:n]) })
		}
		require.Equal(t, numbers(9000)[6:], keys[6:], "keys must not change")
	})
}

// FuzzSumAll cuts text into keys. Each byte in lengths is the length of a key,
// modulo the number of remaining bytes. The words of text are also used as
// numbers.
func FuzzSumAll(f *testing.F) {
	f.Add(uint64(0), uint64(0), noise(300), []byte{16, 16, 16, 16, 16, 16, 16, 16, 16})
	f.Add(uint64(1), uint64(2), noise(300), []byte{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3})
	f.Add(uint64(3), uint64(4), noise(500), []byte{30, 35, 40, 45, 50, 55, 60, 65})
	f.Add(uint64(5), uint64(6), noise(500), []byte{0, 0, 0, 200, 0, 0, 0, 0, 1})
	f.Add(uint64(7), uint64(8), noise(700), []byte{1, 2, 3, 250, 4, 5, 6, 7, 8, 9, 255, 10, 11, 12, 13, 14, 15, 16})
	f.Fuzz(func(t *testing.T, k0, k1 uint64, text, lengths []byte) {
		var key Key
		binary.LittleEndian.PutUint64(key[:8], k0)
		binary.LittleEndian.PutUint64(key[8:], k1)
		family := New(key)
		var numbers []uint64
		var digests []Digest
		for word := range slices.Chunk(text[:len(text)&^7], 8) {
			numbers = append(numbers, binary.LittleEndian.Uint64(word))
			digests = append(digests, family.Sum(word))
		}
		var keys [][]byte
		for _, length := range lengths {
			n := int(length) % (len(text) + 1)
			keys = append(keys, text[:n])
			text = text[n:]
		}
		eachWay(t, func(t *testing.T) {
			requireSums(t, family, keys)
			require.Equal(t, digests, family.SumAllUint64(nil, numbers))
		})
	})
}
