package perfect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

const payloadAt = 128 // offset of the payload in a frame with 2 to 9 levels

// requireInRange checks that all indexes are below Len, for single calls and
// for batches.
func requireInRange(t *testing.T, f *Function, digests []hashfam.Digest) {
	for i, index := range f.IndexAll(nil, digests) {
		if index >= f.Len() || f.IndexDigest(digests[i]) != index {
			require.Fail(t, "out of range", "index %d of %d", index, f.Len())
		}
	}
}

// When somebody changes the seeds, the list or the header of a frame and
// corrects the checksum, decoding must return an error, or a function whose
// indexes are all in range.
func TestForgedFrames(t *testing.T) {
	machine.Matters(t)
	digests := random(3000, 1)
	f := build1(t, Config{}, digests)
	good, err := f.MarshalBinary()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(f.levels), 3)
	r := rand.New(rand.NewPCG(1, 2))
	queries := append(random(100, 2), digests[:300]...)
	decoded, rounds := 0, 1000
	if checks.Long(t, 2, 0.1) {
		rounds = 200_000
	}
	for range rounds {
		b := bytes.Clone(good)
		for range 1 + r.IntN(4) {
			forge(r, b)
		}
		if g := new(Function); g.UnmarshalBinary(frametest.Seal(b)) == nil {
			decoded++
			requireInRange(t, g, queries)
		}
	}
	require.Greater(t, decoded, rounds/20, "the changes are too coarse to test anything")
}

// forge makes a random change to a frame.
func forge(r *rand.Rand, b []byte) {
	switch at := 24 + r.IntN(len(b)-32); r.IntN(5) {
	case 0:
		b[at] = byte(r.Uint64())
	case 1: // a bucket that is bumped
		b[payloadAt+r.IntN(690)] = 0
	case 2: // a number in the header
		at = 24 + 8*r.IntN(8)
		binary.LittleEndian.PutUint64(b[at:], binary.LittleEndian.Uint64(b[at:])+r.Uint64N(3)-1)
	case 3: // the list: the same number of ones at other positions
		i, j := len(b)-9-r.IntN(300), len(b)-9-r.IntN(300)
		b[i], b[j] = b[j], b[i]
	case 4:
		clear(b[at:min(at+r.IntN(64), len(b)-8)])
	}
}

func TestDecodersRejectInvalidHeaders(t *testing.T) {
	machine.Matters(t)
	good, err := build1(t, Config{}, random(3000, 1)).MarshalBinary()
	require.NoError(t, err)
	for want, change := range map[string]func(params []byte){
		"Params.Keys = 18446744073709551615, want at most 1099511627776": func(p []byte) { binary.LittleEndian.PutUint64(p, 1<<64-1) },
		"Params.Compact = 2, want 0 or 1":                                func(p []byte) { p[8] = 2 },
		"parameter length = 56, want 48 for 3 levels":                    func(p []byte) { p[9]-- },
		"parameter length = 56, want 216 for 24 levels":                  func(p []byte) { p[9] = 24 },
		"number of levels = 25, want at most 24":                         func(p []byte) { p[9] = 25 },
		"byte 11 of the parameters = 1, want 0":                          func(p []byte) { p[11] = 1 },
		"seed of the last level = 1048576, want below 1048576":           func(p []byte) { binary.LittleEndian.PutUint32(p[12:], 1<<20) },
		"bits per slot in 1/65536 = 458752, want 0 in a function":        func(p []byte) { p[18] = 7 },
		"Params.ValueBits = 1, want 0 in a function":                     func(p []byte) { p[20] = 1 },
		"byte 21 of the parameters = 1, want 0":                          func(p []byte) { p[21] = 1 },
		"keys of level 2 = 1073741824, want at most 291, as in the previous level": func(p []byte) {
			binary.LittleEndian.PutUint64(p[32:], 1<<30)
		},
		"payload length = 992, want 1000": func(p []byte) { p[24]++ },
	} {
		b := bytes.Clone(good)
		change(b[frametest.Params:])
		b = frametest.Seal(b)
		require.ErrorIs(t, new(Function).UnmarshalBinary(b), hashfam.ErrCorrupt, want)
		_, err := ReadParams(bytes.NewReader(b), hashfam.Family{})
		require.EqualError(t, err, "perfect: corrupt encoding: "+want)
	}
}

func TestEqualComparesTheWholeLayout(t *testing.T) {
	f := build1(t, Config{}, random(20, 1))
	for name, change := range map[string]func(*shape){
		"keys":    func(l *shape) { l.keys++ },
		"compact": func(l *shape) { l.compact = true },
		"seed":    func(l *shape) { l.seed++ },
		"bumped":  func(l *shape) { l.bumped = append([]uint64{20}, l.bumped...) },
		"slots":   func(l *shape) { l.slot.width++ },
	} {
		g := &Function{f.stored}
		require.True(t, f.Equal(g), name)
		change(&g.shape)
		require.False(t, f.Equal(g), name)
	}
}

// These are the largest valid values, and the first invalid ones.
func TestLayoutLimits(t *testing.T) {
	machine.Matters(t)
	nines := slices.Repeat([]uint64{9}, maxLevels-1)
	for _, c := range []struct {
		l    shape
		want string
	}{
		{shape{keys: 8}, ""},
		{shape{keys: 9}, "keys of level 0 = 9, want at most 8 in the last level"},
		{shape{keys: 1 << 40, bumped: []uint64{8}}, ""},
		{shape{keys: 1<<40 + 1, bumped: []uint64{8}}, "Params.Keys = 1099511627777, want at most 1099511627776"},
		{shape{keys: 9, bumped: append(nines, 8)}, ""},
		{shape{keys: 9, bumped: []uint64{9, 9}}, "keys of level 2 = 9, want at most 8 in the last level"},
		{shape{keys: 9, bumped: []uint64{8, 8}}, "keys of level 1 = 8, want above 8 except in the last level"},
		{shape{keys: 9, bumped: []uint64{10, 8}}, "keys of level 1 = 10, want at most 9, as in the previous level"},
		{shape{seed: 1<<20 - 1}, ""},
		{shape{seed: 1 << 20}, "seed of the last level = 1048576, want below 1048576"},
	} {
		if err := c.l.check(frame.PerfectFunction); c.want == "" {
			require.NoError(t, err, "%+v", c.l)
		} else {
			require.EqualError(t, err, "perfect: corrupt encoding: "+c.want)
		}
	}
	for seed, want := range map[uint32]bool{maxLastSeeds - 20: true, maxLastSeeds: false} {
		l := lastLevel{n: 2, seed: seed}
		require.Equal(t, want, l.search(random(2, 1)))
		require.Equal(t, want, (&shape{keys: 2, seed: l.seed}).check(frame.PerfectFunction) == nil)
	}
	require.NoError(t, checkLen(maxKeys))
	require.EqualError(t, checkLen(maxKeys+1),
		"perfect: invalid parameters: number of keys = 1099511627777, want at most 1099511627776")
}

// Decoding checks each number in the list of free places.
func TestDecodersRejectInvalidLists(t *testing.T) {
	machine.Matters(t)
	f := build1(t, Config{}, random(3001, 1))
	list, at := f.shape.newList(), uint64(0)
	for _, l := range f.levels {
		at += uint64(len(l.seeds))
	}
	high := at + list.lowBytes()
	for name, change := range map[string]func(b []byte){
		"":                      func([]byte) {},
		"no numbers":            func(b []byte) { clear(b[at:]) },
		"one number is missing": func(b []byte) { b[high] &= b[high] - 1 },
		"too many numbers":      func(b []byte) { b[high+20] = 0xFF },
		"a bit after the list":  func(b []byte) { b[at+list.bytes()] = 1 },
	} {
		b := bytes.Clone(f.mapped)
		change(b)
		_, err := f.shape.mapping(b)
		require.Equal(t, name != "", errors.Is(err, hashfam.ErrCorrupt), name)
	}
}

// listOf returns a list that contains numbers, which must be ascending.
func listOf(t require.TestingT, numbers []uint64, limit uint64) eliasFano {
	l := newEliasFano(uint64(len(numbers)), limit)
	l.setBytes(make([]byte, l.bytes()))
	for i, v := range numbers {
		l.put(uint64(i), v)
	}
	require.NoError(t, l.mark())
	return l
}

func TestListReturnsItsNumbers(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Uint64Range(1, 1<<rapid.IntRange(0, 40).Draw(t, "bits")).Draw(t, "limit")
		numbers := rapid.SliceOfN(rapid.Uint64Range(0, limit-1), 0, 700).Draw(t, "numbers")
		for range rapid.IntRange(0, 300).Draw(t, "repeated") { // long runs of zeros and ones
			numbers = append(numbers, limit-1, 0)
		}
		slices.Sort(numbers)
		if uint64(len(numbers)) > 8*limit {
			numbers = numbers[:8*limit]
		}
		l := listOf(t, numbers, limit)
		for i, v := range numbers {
			require.Equal(t, v, l.at(uint64(i)), "number %d", i)
		}
		require.Zero(t, l.at(uint64(len(numbers))))
	})
}

// SizeBytes includes the marks.
func TestListHasOneMarkPer256Numbers(t *testing.T) {
	machine.Matters(t)
	for n, marks := range map[int]uint64{1: 1, 255: 1, 256: 1, 257: 2, 511: 2, 512: 2, 513: 3} {
		l := listOf(t, make([]uint64, n), 1000)
		require.EqualValues(t, marks, len(l.marks), "%d numbers", n)
		require.EqualValues(t, marks, cap(l.marks), "%d numbers", n)
		s := shape{keys: 1000, bumped: []uint64{uint64(n)}}
		require.Equal(t, s.bytes()+8*marks, s.params(hashfam.Family{}).bytes, "%d numbers", n)
	}
}

func TestNumbersAtTheLimitAreCorrupt(t *testing.T) {
	machine.Matters(t)
	l := newEliasFano(3, 25)
	l.setBytes(make([]byte, l.bytes()))
	for i, v := range []uint64{0, 24, 25} {
		l.put(uint64(i), v)
	}
	require.EqualError(t, l.mark(), "perfect: corrupt encoding: number 2 in the list = 25, want below 25")
}

// Three numbers with three low bits each use nine bits.
func TestBitsAfterTheLowBitsAreCorrupt(t *testing.T) {
	machine.Matters(t)
	size := newEliasFano(3, 24)
	require.EqualValues(t, 3, size.width)
	for bit := range 16 {
		l := size
		l.setBytes(make([]byte, l.bytes()))
		l.high[0] = 0b111
		l.low[bit/8] |= 1 << (bit % 8)
		if err := l.mark(); bit < 9 {
			require.NoError(t, err, "bit %d", bit)
		} else {
			require.EqualError(t, err, fmt.Sprintf(
				"perfect: corrupt encoding: bits after the low bits of the list = %02x, want zeros", 1<<(bit-8)))
		}
	}
}
