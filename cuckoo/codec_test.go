package cuckoo

import (
	"encoding/binary"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// Where the number of fingerprints and the payload are in a frame.
const (
	countAt   = 40
	payloadAt = 64
)

// The 38 buckets of 36 bits end in the middle of a word, and another follows.
func TestBitsBeyondTheLastBucketAreCorrupt(t *testing.T) {
	p := Params{Buckets: 38, FingerprintBits: 9}
	f := mustNew(t, p)
	require.NoError(t, f.AddString("kept"))
	before := f.Clone()
	used := int(p.Buckets * p.bucketBits())
	require.NotZero(t, used%64)
	for bit := used; bit < 8*int(p.bytes()); bit++ {
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		payload := b[payloadAt : len(b)-8]
		payload[bit/8] ^= 1 << (bit % 8)
		conformance.Reseal(b)
		require.ErrorIs(t, f.UnmarshalBinary(b), ErrCorrupt, "bit %d", bit)
	}
	require.True(t, f.Equal(before))
}

func TestCompactBucketsThatAreNotSortedAreCorrupt(t *testing.T) {
	p := Params{Buckets: 2, FingerprintBits: 12, Compact: true}
	f := mustNew(t, p)
	before := f.Clone()
	decode := func(code uint64, rest ...uint64) error {
		w := code
		for s, r := range rest {
			w |= r << (codeBits + 8*s)
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		binary.LittleEndian.PutUint64(b[payloadAt:], w)
		if w != 0 {
			b[countAt] = slots
		}
		conformance.Reseal(b)
		g := f.Clone()
		return g.UnmarshalBinary(b)
	}
	same := codeOf(5, 5, 5, 5)
	require.NoError(t, decode(0))
	require.NoError(t, decode(same, 1, 2, 2, 255))
	require.NoError(t, decode(codeOf(1, 2, 3, 4), 9, 8, 7, 6))
	require.NoError(t, decode(codes-1, 1, 2, 3, 4))
	require.ErrorIs(t, decode(same, 2, 1, 2, 255), ErrCorrupt)
	require.ErrorIs(t, decode(same, 1, 3, 2, 255), ErrCorrupt)
	require.ErrorIs(t, decode(same, 1, 2, 255, 2), ErrCorrupt)
	for s := range slots - 1 { // by one
		rest := []uint64{4, 4, 4, 4}
		for k := range rest[:s+1] {
			rest[k]++
		}
		require.ErrorIs(t, decode(same, rest...), ErrCorrupt, "slot %d", s)
	}
	require.ErrorIs(t, decode(codes, 1, 2, 3, 4), ErrCorrupt)
	require.ErrorIs(t, decode(1<<codeBits-1, 1, 2, 3, 4), ErrCorrupt)
	require.True(t, f.Equal(before))
}

func TestTheNumberOfKeysIsCheckedAndNotBelieved(t *testing.T) {
	for _, p := range kinds {
		f := mustNew(t, p)
		for key := range uint64(300) {
			require.NoError(t, f.AddDigest(p.Family.SumUint64(key)))
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		var g Filter
		require.NoError(t, g.UnmarshalBinary(b))
		require.EqualValues(t, 300, g.Len())
		for _, wrong := range []uint64{0, 299, 301, p.slots() + 1, 1<<64 - 1} {
			binary.LittleEndian.PutUint64(b[countAt:], wrong)
			conformance.Reseal(b)
			requireField(t, g.UnmarshalBinary(b), ErrCorrupt, "number of fingerprints")
			v, err := NewView(b, p.Family)
			if err == nil {
				err = v.Verify()
			}
			requireField(t, err, ErrCorrupt, "number of fingerprints")
		}
	}
}

// docs/format.md walks through a golden file.
func TestTheFormatDocumentShowsAScalableFilter(t *testing.T) {
	b, err := os.ReadFile("testdata/scalable.bin")
	require.NoError(t, err)
	conformance.RequireExcerpt(t, "Kind 12", b)
}

// It takes less than a kilobyte of memory to write a filter of any size, on any
// platform.
func TestMemoryToWriteAFilter(t *testing.T) {
	for _, f := range []io.WriterTo{
		mustNew(t, Params{Buckets: 100_000, FingerprintBits: 12}), mustScale(t, ScalableConfig{Expected: 100_000, FPRate: 0.01}),
	} {
		least := conformance.LeastAllocated(20, func() {
			_, err := f.WriteTo(io.Discard)
			require.NoError(t, err)
		})
		require.Less(t, least, uint64(1024), "%v", f)
	}
}

// An encoding is 72 bytes plus the table, or 136 plus the pages, and 8 for each
// page and plot.
func TestTheSizeOfAnEncoding(t *testing.T) {
	f := mustNew(t, Params{Buckets: 38, FingerprintBits: 9})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, 72+int(f.SizeBytes()), len(b))
	s := mustScale(t, ScalableConfig{Expected: 1000, FPRate: 0.1})
	for k := range uint64(20_000) {
		require.NoError(t, s.AddUint64(k))
	}
	size := 136 + 8*len(s.plots)
	for p := range s.all() {
		size += 8 + len(p.buckets())
	}
	require.Equal(t, size, len(encodeOf(t, s)))
}
