package cuckoo

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/conformance"
)

// The offsets of the number of fingerprints and the payload in a frame.
const (
	countAt   = 40
	payloadAt = 64
)

// The 38 buckets of 36 bits are followed by half a word and another word.
func TestBitsAfterTheLastBucketAreCorrupt(t *testing.T) {
	p := Params{Buckets: 38, FingerprintBits: 9}
	f := mustNew(t, p)
	require.NoError(t, f.AddString("kept"))
	before := f.Clone()
	used := int(p.Buckets * p.shape().BucketBits())
	require.NotZero(t, used%64)
	for bit := used; bit < 8*int(p.SizeBytes()); bit++ {
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		require.Len(t, b, 72+int(f.SizeBytes()))
		payload := b[payloadAt : len(b)-8]
		payload[bit/8] ^= 1 << (bit % 8)
		conformance.Reseal(b)
		require.ErrorIs(t, f.UnmarshalBinary(b), ErrCorrupt, "bit %d", bit)
	}
	require.True(t, f.Equal(before))
}

// Number 3876 does not exist, and all fingerprints remain zero.
func TestCompactBucketsWithoutNumberAreCorrupt(t *testing.T) {
	for _, p := range kinds[3:] {
		b, err := mustNew(t, p).MarshalBinary()
		require.NoError(t, err)
		binary.LittleEndian.PutUint16(b[payloadAt:], 3876)
		conformance.Reseal(b)
		requireField(t, new(Filter).UnmarshalBinary(b), ErrCorrupt, "bucket")
	}
}

func TestNumberOfFingerprintsIsChecked(t *testing.T) {
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

// The shortest payload has an empty page with the shortest tails for each plot,
// as in a new filter with this rate.
func TestShorterPayloadsAreCorrupt(t *testing.T) {
	s := mustScale(t, ScalableConfig{Expected: 10_000, FPRate: 0.9})
	h, _, err := s.encode()
	require.NoError(t, err)
	require.EqualValues(t, 136, h.Size()-h.Payload)
	_, err = parseScalable(h, s.Family())
	require.NoError(t, err)
	h.Payload--
	_, err = parseScalable(h, s.Family())
	requireField(t, err, ErrCorrupt, "payload length")
}

// A view can use bytes at any address.
func TestViewsNeedNoAlignment(t *testing.T) {
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
