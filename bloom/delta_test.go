package bloom_test

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

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame"
)

// empty returns an empty filter with the given keys.
func empty(t *testing.T, p bloom.Params, keys ...string) *bloom.Filter {
	f, err := bloom.NewFromParams(p)
	require.NoError(t, err)
	for _, key := range keys {
		f.AddString(key)
	}
	return f
}

// deltaOf returns the delta that changes old to f.
func deltaOf(t *testing.T, f, old *bloom.Filter) []byte {
	delta, err := f.AppendDelta(nil, old)
	require.NoError(t, err)
	return delta
}

func encoded(t *testing.T, f *bloom.Filter) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// source returns a function that changes random bits of a filter, one, some or
// nearly all, and returns the new state.
func source(t *testing.T, p bloom.Params) func(*rand.Rand) *bloom.Filter {
	words := make([]uint64, p.SizeBytes()/8)
	flip := func(i uint64) { words[i/64] ^= 1 << (i % 64) }
	return func(r *rand.Rand) *bloom.Filter {
		fraction := []float64{0, 0.001, 0.03, 0.3, 1}[r.IntN(5)]
		for range 1 + r.IntN(1+int(fraction*float64(p.Bits))) {
			flip(r.Uint64N(p.Bits))
		}
		if r.IntN(20) == 0 {
			for i := range p.Bits {
				flip(i)
			}
		}
		f, err := bloom.FromWords(p, slices.Clone(words))
		require.NoError(t, err)
		return f
	}
}

// changed returns the number of bits in which two filters differ.
func changed(t *testing.T, a, b *bloom.Filter) uint64 {
	union := a.Clone()
	require.NoError(t, union.Merge(b))
	m := float64(a.Params().Bits)
	return uint64(math.Round(m * (2*union.FillRatio() - a.FillRatio() - b.FillRatio())))
}

// requireSmall checks the size of a delta: 72 bytes plus 1.1 times the minimum,
// which is log2 of the number of ways to choose the changed bits, rounded up to
// a word; and not more than the whole filter. The code is random. If m is up to
// 9,000 no code is longer, and if m is larger the probability is below 1e-12.
func requireSmall(t *testing.T, delta []byte, next, last *bloom.Filter) {
	lg := func(n uint64) float64 { v, _ := math.Lgamma(float64(n) + 1); return v / math.Ln2 }
	m, n := next.Params().Bits, changed(t, next, last)
	size, least := float64(8*(len(delta)-72)), lg(m)-lg(n)-lg(m-n)
	if size > 1.1*least+64 || uint64(len(delta)) > 72+next.SizeBytes() {
		t.Fatalf("%v: %d bits change: the delta has 72 bytes and %v bits, want up to 1.1 * %v", next, n, size, least)
	}
}

// requireRejected checks that f rejects a delta for one of the given reasons
// and does not change.
func requireRejected(t *testing.T, f *bloom.Filter, delta []byte, reasons ...error) {
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
	steps := 1000
	if testing.Short() {
		steps = 200
	}
	if checks.Long(t, 1, 0.1) {
		steps = 100_000
	}
	for i, p := range []bloom.Params{
		{Bits: 8999, Hashes: 7},
		{Bits: 61, Hashes: 2, Family: hashfam.New(hashfam.Key{1})},
		{Bits: 9100, Hashes: 7, Layout: bloom.Partitioned, Family: hashfam.New(hashfam.Key{2})},
		{Bits: 18 * 512, Hashes: 6, Layout: bloom.Blocked},
	} {
		t.Run(fmt.Sprint(p), func(t *testing.T) { exchange(t, source(t, p), steps, uint64(i)) })
	}
}

// base is the offset of the fingerprint of the state that a delta applies to.
const base = 32

// exchange sends a delta in each step.
func exchange(t *testing.T, change func(*rand.Rand) *bloom.Filter, steps int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	sent := change(r)
	received := sent.Clone()
	var earlier []byte
	for range steps {
		next := change(r)
		delta := deltaOf(t, next, sent)
		requireSmall(t, delta, next, sent)
		same := forged(t, sent, next, changed(t, next, sent), delta[64:len(delta)-8])
		require.Equal(t, same, delta, "the delta is not what docs/format.md describes")
		misdeliver(t, r, received, delta, earlier)
		if next.Equal(sent) {
			continue
		}
		if r.IntN(20) == 0 { // lost, so the next delta is rejected
			later := change(r)
			requireRejected(t, received, deltaOf(t, later, next), bloom.ErrIncompatible)
			next = later
			require.NoError(t, received.UnmarshalBinary(encoded(t, next)))
		} else {
			require.NoError(t, received.ApplyDelta(delta))
			requireRejected(t, received, delta, bloom.ErrIncompatible)
			earlier = delta
		}
		if sent = next; !received.Equal(sent) {
			t.Fatal("the servers differ")
		}
	}
}

// misdeliver applies deltas that must be rejected: an earlier delta, damaged
// ones, also with correct checksums, and deltas for other filters.
func misdeliver(t *testing.T, r *rand.Rand, f *bloom.Filter, delta, earlier []byte) {
	if earlier != nil && !bytes.Equal(earlier[base:base+8], delta[base:base+8]) { // the state has not come back
		requireRejected(t, f, earlier, bloom.ErrIncompatible)
	}
	bad := bytes.Clone(delta)
	bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
	requireRejected(t, f, bad, bloom.ErrCorrupt)
	requireRejected(t, f, delta[:r.IntN(len(delta))], bloom.ErrCorrupt)
	if conformance.Reseal(bad); !bytes.Equal(bad, delta) {
		requireRejected(t, f, bad, bloom.ErrCorrupt, bloom.ErrVersion, bloom.ErrFamily, bloom.ErrIncompatible)
	}
	p, q := f.Params(), f.Params()
	p.Bits += 512 * uint64(p.Hashes)
	requireRejected(t, empty(t, p), delta, bloom.ErrIncompatible)
	q.Family = q.Family.Derive("other")
	requireRejected(t, empty(t, q), delta, bloom.ErrFamily)
}

// fingerprint returns the fingerprint of a filter, as docs/format.md describes
// it.
func fingerprint(t *testing.T, f *bloom.Filter) uint64 {
	whole := encoded(t, f)
	fam, b := f.Family().Derive("bloom delta"), bytes.Clone(whole[24:40])
	for piece := range slices.Chunk(whole[64:len(whole)-8], 1024) {
		b = binary.LittleEndian.AppendUint64(b, uint64(fam.Sum(piece)))
	}
	return uint64(fam.Sum(b))
}

// forged returns a delta from f to g with correct checksums and the given code.
func forged(t *testing.T, f, g *bloom.Filter, changed uint64, code []byte) []byte {
	before, after := fingerprint(t, f), fingerprint(t, g)
	both := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, before), after)
	params := binary.LittleEndian.AppendUint64(nil, changed)
	params = append(params, both[:8]...)
	params = binary.LittleEndian.AppendUint64(params, uint64(f.Family().Derive("bloom delta").Sum(both)))
	h := frame.Header{Kind: 15, Version: 1, Check: f.Family().CheckValue(), Params: params, Payload: uint64(len(code))}
	return frame.Append(nil, h, frame.Numbers(code))
}

// The files have bits that are set and cleared, bits that stay because most
// others change, and no changed bits.
func TestGoldenDeltas(t *testing.T) {
	var keys []string
	for i := range 3000 {
		keys = append(keys, fmt.Sprint("key ", i))
	}
	for file, c := range map[string]struct {
		params   bloom.Params
		from, to []string
	}{
		"delta.bin":         {bloom.Params{Bits: 10_000, Hashes: 7}, keys[:100], keys[50:150]},
		"delta-flip.bin":    {bloom.Params{Bits: 1001, Hashes: 7, Layout: bloom.Partitioned}, keys[:300], nil},
		"delta-blocked.bin": {bloom.Params{Bits: 1024, Hashes: 4, Layout: bloom.Blocked, Family: hashfam.New(hashfam.Key{1, 2, 3})}, keys[:10], keys},
		"delta-empty.bin":   {bloom.Params{Bits: 64, Hashes: 1}, keys[:1], keys[:1]},
	} {
		f, g := empty(t, c.params, c.from...), empty(t, c.params, c.to...)
		delta := deltaOf(t, g, f)
		require.NoError(t, f.ApplyDelta(delta))
		require.True(t, f.Equal(g))
		conformance.RequireGolden(t, file, delta)
	}
}

// A delta needs memory in proportion to its length, whatever it claims, and to
// m/1024.
func TestDeltaMemoryIsProportionalToItsLength(t *testing.T) {
	p := bloom.Params{Bits: 1 << 26, Hashes: 7}
	f, g := empty(t, p), empty(t, p, "key")
	delta, err := []byte(nil), error(nil)
	const most = 3<<26/1024 + 6<<16 // some builds convert 64 KiB at a time
	require.Less(t, conformance.LeastAllocated(3, func() { delta, err = g.AppendDelta(nil, f) }), uint64(most))
	require.NoError(t, err)
	for _, field := range []int{16, 24} { // the length of the payload, the number of changed bits
		bad := bytes.Clone(delta)
		binary.LittleEndian.PutUint64(bad[field:], 1<<26)
		conformance.Reseal(bad)
		require.Less(t, conformance.LeastAllocated(3, func() { err = f.ApplyDelta(bad) }), uint64(most))
		require.ErrorIs(t, err, bloom.ErrCorrupt)
	}
}

// Errors say what differs, and return dst unchanged.
func TestDeltaErrorsNameTheDifference(t *testing.T) {
	f, g := empty(t, bloom.Params{Bits: 100, Hashes: 2}), empty(t, bloom.Params{Bits: 100, Hashes: 3})
	dst, err := f.AppendDelta([]byte("dst"), g)
	require.ErrorIs(t, err, bloom.ErrIncompatible)
	require.ErrorContains(t, err, "Params.Hashes = 3, want 2")
	require.Equal(t, "dst", string(dst))
	dst, err = new(bloom.Filter).AppendDelta([]byte("dst"), new(bloom.Filter))
	require.ErrorIs(t, err, bloom.ErrParams)
	require.Equal(t, "dst", string(dst))
	dst, err = f.AppendDelta([]byte("dst"), f)
	require.NoError(t, err)
	require.Equal(t, "dst", string(dst[:3]))

	var field *bloom.FieldError
	require.ErrorAs(t, g.ApplyDelta(dst[3:]), &field)
	for text, err := range map[string]error{
		"bloom: incompatible structures: base of the delta = ": g.ApplyDelta(dst[3:]),
		"incompatible structures: ":                            new(bloom.Filter).ApplyDelta(dst[3:]),
		"want at most 100":                                     f.ApplyDelta(forged(t, f, f, 101, nil)),
		"= 9223372036854775908, want at most 100":              f.ApplyDelta(forged(t, f, f, 100+1<<63, nil)),
		"= 18446744073709551615, want at most 100":             f.ApplyDelta(forged(t, f, f, math.MaxUint64, nil)),
		"kind = a Bloom filter, want a Bloom filter delta":     f.ApplyDelta(encoded(t, f)),
		"kind = a Bloom filter delta, want a Bloom filter":     f.UnmarshalBinary(dst[3:]),
	} {
		require.ErrorContains(t, err, text)
	}
}
