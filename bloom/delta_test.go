package bloom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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

// with returns a filter with the given keys.
func with(t *testing.T, p Params, keys ...string) *Filter {
	f := mustNew(t, p)
	for _, key := range keys {
		f.AddString(key)
	}
	return f
}

// deltaOf returns the delta that changes old to f.
func deltaOf(t *testing.T, f, old *Filter) []byte {
	delta, err := f.AppendDelta(nil, old)
	require.NoError(t, err)
	return delta
}

// source returns a function that changes random bits of a filter, one, some or
// nearly all, and returns the new state.
func source(t *testing.T, p Params) func(*rand.Rand) *Filter {
	f := mustNew(t, p)
	flip := func(i uint64) { f.words[i/64] ^= 1 << (i % 64) }
	return func(r *rand.Rand) *Filter {
		fraction := []float64{0, 0.001, 0.03, 0.3, 1}[r.IntN(5)]
		for range 1 + r.IntN(1+int(fraction*float64(p.Bits))) {
			flip(r.Uint64N(p.Bits))
		}
		if r.IntN(20) == 0 {
			for i := range p.Bits {
				flip(i)
			}
		}
		return f.Clone()
	}
}

// requireSmall checks the size of a delta: 72 bytes plus 1.1 times the minimum,
// which is log2 of the number of ways to choose the changed bits, rounded up to
// a word; and not more than the whole filter. The code is random. If m is up to
// 9,000 no code is longer, and if m is larger the probability is below 1e-12.
func requireSmall(t *testing.T, delta []byte, next, last *Filter) {
	lg := func(n uint64) float64 { v, _ := math.Lgamma(float64(n) + 1); return v / math.Ln2 }
	m, n := next.params.Bits, next.differing(last)
	size, least := float64(8*(len(delta)-72)), lg(m)-lg(n)-lg(m-n)
	if size > 1.1*least+64 || uint64(len(delta)) > 72+next.SizeBytes() {
		t.Fatalf("%v: %d bits change: the delta has 72 bytes and %v bits, want up to 1.1 * %v", next, n, size, least)
	}
}

// requireRejected checks that f rejects a delta for one of the given reasons
// and does not change.
func requireRejected(t *testing.T, f *Filter, delta []byte, reasons ...error) {
	t.Helper()
	before := f.Clone()
	err := f.ApplyDelta(delta)
	require.True(t, slices.ContainsFunc(reasons, func(reason error) bool { return errors.Is(err, reason) }), "%v", err)
	require.True(t, f.Equal(before), "a rejected delta changed the filter")
}

// Two servers that exchange deltas have equal filters after every step. They
// reject deltas that are lost, repeated, overtaken, damaged or for another
// filter.
func TestDeltasKeepTwoServersEqual(t *testing.T) {
	steps := 300
	if checks.Long(t, 1, 0.1) {
		steps = 100_000
	}
	for i, p := range []Params{
		{Bits: 8999, Hashes: 7},
		{Bits: 61, Hashes: 2, Family: hashfam.New(hashfam.Key{1})},
		{Bits: 9100, Hashes: 7, Layout: Partitioned, Family: hashfam.New(hashfam.Key{2})},
		{Bits: 18 * 512, Hashes: 6, Layout: Blocked},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) { exchange(t, source(t, p), steps, uint64(i)) })
	}
}

// exchange sends a delta in each step.
func exchange(t *testing.T, change func(*rand.Rand) *Filter, steps int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	sent := change(r)
	received := sent.Clone()
	var earlier []byte
	for range steps {
		next := change(r)
		delta := deltaOf(t, next, sent)
		requireSmall(t, delta, next, sent)
		misdeliver(t, r, received, delta, earlier)
		if next.Equal(sent) {
			continue
		}
		if r.IntN(20) == 0 { // lost, so the next delta is rejected
			later := change(r)
			requireRejected(t, received, deltaOf(t, later, next), hashfam.ErrIncompatible)
			next, received = later, later.Clone()
		} else {
			require.NoError(t, received.ApplyDelta(delta))
			requireRejected(t, received, delta, hashfam.ErrIncompatible)
			earlier = delta
		}
		sent = next
		require.True(t, received.Equal(sent), "the servers differ")
	}
}

// misdeliver applies deltas that must be rejected: an earlier delta, damaged
// ones, also with correct checksums, and deltas for other filters.
func misdeliver(t *testing.T, r *rand.Rand, f *Filter, delta, earlier []byte) {
	if earlier != nil && !bytes.Equal(earlier[32:40], delta[32:40]) { // the state has not come back
		requireRejected(t, f, earlier, hashfam.ErrIncompatible)
	}
	bad := bytes.Clone(delta)
	bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
	requireRejected(t, f, bad, hashfam.ErrCorrupt)
	requireRejected(t, f, delta[:r.IntN(len(delta))], hashfam.ErrCorrupt)
	if bad = frametest.Seal(bad); !bytes.Equal(bad, delta) {
		requireRejected(t, f, bad, hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily, hashfam.ErrIncompatible)
	}
	p := f.params
	p.Bits += 512 * uint64(p.Hashes)
	requireRejected(t, mustNew(t, p), delta, hashfam.ErrIncompatible)
	p.Family = p.Family.Derive("other")
	requireRejected(t, mustNew(t, p), delta, hashfam.ErrFamily)
}

// The files have bits that are set and cleared, bits that stay because most
// others change, and no changed bits.
func TestGoldenDeltas(t *testing.T) {
	machine.Matters(t)
	var keys []string
	for i := range 3000 {
		keys = append(keys, fmt.Sprint("key ", i))
	}
	for file, c := range map[string]struct {
		params   Params
		from, to []string
	}{
		"delta.bin":         {Params{Bits: 10_000, Hashes: 7}, keys[:100], keys[50:150]},
		"delta-flip.bin":    {Params{Bits: 1001, Hashes: 7, Layout: Partitioned}, keys[:300], nil},
		"delta-blocked.bin": {Params{Bits: 1024, Hashes: 4, Layout: Blocked, Family: keyed}, keys[:10], keys},
		"delta-empty.bin":   {Params{Bits: 64, Hashes: 1}, keys[:1], keys[:1]},
	} {
		f, g := with(t, c.params, c.from...), with(t, c.params, c.to...)
		delta := deltaOf(t, g, f)
		require.NoError(t, f.ApplyDelta(delta))
		require.True(t, f.Equal(g))
		frametest.Golden(t, file, delta)
	}
}

// A delta needs memory in proportion to its length, whatever it claims, and to
// m/1024.
func TestDeltaMemoryIsProportionalToItsLength(t *testing.T) {
	p := Params{Bits: 1 << 26, Hashes: 7}
	f, g := mustNew(t, p), with(t, p, "key")
	delta, err := []byte(nil), error(nil)
	const most = 3<<26/1024 + 6<<16 // some builds convert 64 KiB at a time
	require.Less(t, checks.LeastAllocated(3, func() { delta, err = g.AppendDelta(nil, f) }), uint64(most))
	require.NoError(t, err)
	for _, field := range []int{16, 24} { // the length of the payload, the number of changed bits
		bad := frametest.Set(delta, map[int]uint64{field: 1 << 26})
		require.Less(t, checks.LeastAllocated(3, func() { err = f.ApplyDelta(bad) }), uint64(most))
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
}

// Errors say what differs, and return dst unchanged.
func TestDeltaErrorsNameTheDifference(t *testing.T) {
	f, g := mustNew(t, Params{Bits: 100, Hashes: 2}), mustNew(t, Params{Bits: 100, Hashes: 3})
	delta := deltaOf(t, f, f)
	claim := func(changed uint64) error {
		h := deltaFormat.New(f.params.Family, deltaParams{Changed: changed, Base: f.fingerprint()}, 0)
		return f.ApplyDelta(frame.Append(nil, h, frame.Numbers([]uint64{})))
	}
	dst, different := f.AppendDelta([]byte("dst"), g)
	require.Equal(t, "dst", string(dst))
	dst, zero := new(Filter).AppendDelta([]byte("dst"), new(Filter))
	require.Equal(t, "dst", string(dst))
	for text, err := range map[string]error{
		"bloom: incompatible structures: Params.Hashes = 3, want 2": different,
		"Params.Bits = 0, want 1 to ":                               zero,
		"bloom: incompatible structures: base of the delta = ":      g.ApplyDelta(delta),
		"incompatible structures: ":                                 new(Filter).ApplyDelta(delta),
		"want at most 100":                                          claim(101),
		"= 18446744073709551615, want at most 100":                  claim(math.MaxUint64),
		"kind = a Bloom filter, want a Bloom filter delta":          f.ApplyDelta(encoded(t, f)),
		"kind = a Bloom filter delta, want a Bloom filter":          f.UnmarshalBinary(delta),
	} {
		require.ErrorContains(t, err, text)
	}
}

// No code of n positions is longer than the length of riceBits, which is the
// shortest possible bound.
func TestRiceCodesRoundTrip(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Uint64Range(1, 1<<rapid.IntRange(1, 48).Draw(t, "log2 of m")).Draw(t, "m")
		positions := rapid.SliceOfNDistinct(rapid.Uint64Range(0, m-1), 0, int(min(m, 300)), rapid.ID).Draw(t, "positions")
		slices.Sort(positions)
		n := uint64(len(positions))
		code := riceCode(m, n, slices.Values(positions))
		_, longest := riceBits(m, n)
		require.LessOrEqual(t, uint64(len(code)), (longest+63)/64)
		for b := range 50 {
			require.LessOrEqual(t, longest, n*uint64(b+1)+min(n, 1)*(m-n)>>b, "b = %d", b)
		}
		require.True(t, requireCanonical(t, code, m, n))
		require.False(t, requireCanonical(t, append(code, 0), m, n), "a word too many")
		if n > 0 {
			require.False(t, requireCanonical(t, code[:len(code)-1], m, n), "a word too few")
			requireCanonical(t, code, positions[n-1]+min(n, 1), n)
			i := rapid.IntRange(0, 64*len(code)-1).Draw(t, "changed bit")
			code[i/64] ^= 1 << (i % 64)
			requireCanonical(t, code, m, n)
		}
	})
}

// requireCanonical checks that ricePositions rejects a code unless riceCode
// returns it for n positions below m.
func requireCanonical(t require.TestingT, code []uint64, m, n uint64) bool {
	var positions []uint64
	if !ricePositions(code, m, n, func(i uint64) { positions = append(positions, i) }) {
		return false
	}
	require.True(t, n == 0 || positions[n-1] < m && slices.IsSorted(positions))
	require.True(t, slices.Equal(code, riceCode(m, n, slices.Values(positions))))
	return true
}

// FuzzDelta uses the first bytes of an input as the size of a filter and the
// number of changed bits, and the others as the code.
func FuzzDelta(f *testing.F) {
	frametest.Fuzz(f, func(t *testing.T, input []byte) {
		if len(input) < 5 {
			return
		}
		filter := mustNew(t, Params{Bits: 1 + uint64(input[0]) + uint64(input[1]&3)<<8, Hashes: 2})
		require.ErrorIs(t, filter.ApplyDelta(input), hashfam.ErrCorrupt)
		var code []uint64
		for word := range slices.Chunk(append(input[5:], make([]byte, -(len(input)-5)&7)...), 8) {
			code = append(code, binary.LittleEndian.Uint64(word))
		}
		d := deltaParams{Changed: min(filter.params.Bits, uint64(input[3])+uint64(input[4]&3)<<8)}
		n, _ := d.coded(filter.params.Bits)
		requireCanonical(t, code, filter.params.Bits, n)
	})
}

// The comment of the Rice code shows the first code. A gap of 2^64 is not
// decoded as 0.
func TestRiceCodesOfExamplesAndGapsThatOverflow(t *testing.T) {
	machine.Matters(t)
	require.Equal(t, []uint64{0b01_10_011_011}, riceCode(16, 3, slices.Values([]uint64{1, 3, 9})))
	m, zeros := uint64(1<<48), uint64(1<<17)
	b, _ := riceBits(m, 1)
	require.EqualValues(t, 47, b)
	code := make([]uint64, zeros/64+1)
	code[zeros/64] = 1
	require.False(t, ricePositions(code, m, 1, func(uint64) {}))
	require.True(t, ricePositions([]uint64{0b10}, m, 1, func(i uint64) { require.Equal(t, m/2, i) }))
}
