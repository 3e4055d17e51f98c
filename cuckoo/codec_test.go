package cuckoo

import (
	"encoding/binary"
	"fmt"
	"io"
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
	used := int(p.Buckets * p.shape().BucketBits())
	require.NotZero(t, used%64)
	for bit := used; bit < 8*int(p.SizeBytes()); bit++ {
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		payload := b[payloadAt : len(b)-8]
		payload[bit/8] ^= 1 << (bit % 8)
		conformance.Reseal(b)
		require.ErrorIs(t, f.UnmarshalBinary(b), ErrCorrupt, "bit %d", bit)
	}
	require.True(t, f.Equal(before))
}

// A compact bucket begins with the number of its four nibbles, of which there
// are 3,876; here it is followed by the other 8 bits of each fingerprint.
func TestCompactBucketsThatAreNotSortedAreCorrupt(t *testing.T) {
	f := mustNew(t, Params{Buckets: 2, FingerprintBits: 12, Compact: true})
	before := f.Clone()
	decode := func(number uint64, rest ...uint64) error {
		w := number
		for s, r := range rest {
			w |= r << (12 + 8*s)
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		binary.LittleEndian.PutUint64(b[payloadAt:], w)
		if w != 0 {
			b[countAt] = 4
		}
		conformance.Reseal(b)
		g := f.Clone()
		return g.UnmarshalBinary(b)
	}
	const same, codes = 5 + 15 + 35 + 70, 3876 // of four fives
	require.NoError(t, decode(0))
	require.NoError(t, decode(same, 1, 2, 2, 255))
	require.NoError(t, decode(codes-1, 1, 2, 3, 4))
	for s := range 3 { // by one
		rest := []uint64{4, 4, 4, 4}
		for k := range rest[:s+1] {
			rest[k]++
		}
		require.ErrorIs(t, decode(same, rest...), ErrCorrupt, "slot %d", s)
	}
	require.ErrorIs(t, decode(codes, 1, 2, 3, 4), ErrCorrupt)
	require.ErrorIs(t, decode(1<<12-1, 1, 2, 3, 4), ErrCorrupt)
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

// An encoding is 72 bytes plus the table; that of a Scalable is 136 plus the
// pages without their last words, and 8 for each page and plot.
func TestTheSizeOfAnEncoding(t *testing.T) {
	f := mustNew(t, Params{Buckets: 38, FingerprintBits: 9})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, 72+int(f.SizeBytes()), len(b))
	c := ScalableConfig{Expected: 1000, FPRate: 0.9}
	b, err = mustScale(t, c).MarshalBinary()
	require.NoError(t, err)
	g := c.geometry()
	require.EqualValues(t, 136+g.LeastPayload(), len(b))
}

// A frame whose payload is missing is refused before the filter is built, which
// would hash every fingerprint.
func TestAMissingPayloadCostsNothing(t *testing.T) {
	f := mustNew(t, Params{Buckets: 1 << 20, FingerprintBits: 10})
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	var g Filter
	least := conformance.LeastAllocated(20, func() {
		require.ErrorIs(t, g.UnmarshalBinary(b[:payloadAt+8]), ErrCorrupt)
	})
	require.Less(t, least, uint64(8192))
}

// A header cannot claim less than an empty page of the shortest tails for each
// plot, which a new filter of this rate has.
func TestTheLeastPayload(t *testing.T) {
	s := mustScale(t, ScalableConfig{Expected: 10_000, FPRate: 0.9})
	h, _, err := s.encode()
	require.NoError(t, err)
	_, err = parseScalable(h, s.Family())
	require.NoError(t, err)
	h.Payload--
	_, err = parseScalable(h, s.Family())
	requireField(t, err, ErrCorrupt, "payload length")
}

// A page is refused for the reason that package pages gives, as an error of
// this package.
func TestErrorsOfPagesAreThoseOfThisPackage(t *testing.T) {
	s := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.9})
	b, err := s.MarshalBinary()
	require.NoError(t, err)
	b[128] = 49 // directories
	conformance.Reseal(b)
	err = s.UnmarshalBinary(b)
	requireField(t, err, ErrCorrupt, "number of directories")
	require.ErrorContains(t, err, "cuckoo: ")
}

// The suite has all questions; here the bytes may begin anywhere.
func TestAViewOfBytesAtAnyAddress(t *testing.T) {
	for _, p := range kinds {
		f := mustNew(t, p)
		for i := range 300 {
			require.NoError(t, f.AddString(fmt.Sprint("key ", i/2)))
		}
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		for shift := range 8 {
			v, err := NewView(append(make([]byte, shift), b...)[shift:], p.Family)
			require.NoError(t, err)
			require.NoError(t, v.Verify())
			for i := range 400 {
				key := fmt.Sprint("key ", i)
				require.Equal(t, f.CountString(key), v.CountString(key))
			}
		}
	}
}
