package cuckoo

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// The offsets of the number of fingerprints and the payload in a frame.
const (
	countAt   = 40
	payloadAt = 64
)

// No sequence of Adds leads to these tables: their number of fingerprints is
// wrong, a compact bucket has the number 3876, which does not exist, or is not
// in order, or bits after the last bucket are set, for example in the half word
// and the word after 38 buckets of 36 bits.
func TestImpossibleTablesAreCorrupt(t *testing.T) {
	machine.Matters(t)
	for _, p := range append(kinds, Params{Buckets: 38, FingerprintBits: 9}) {
		f := mustNew(t, p)
		require.NoError(t, f.AddString("key"))
		requireCorrupt := func(field string, change func(b, payload []byte)) {
			b, err := f.MarshalBinary()
			require.NoError(t, err)
			require.Len(t, b, 72+int(f.SizeBytes()))
			change(b, b[payloadAt:])
			b = frametest.Seal(b)
			requireField(t, new(Filter).UnmarshalBinary(b), hashfam.ErrCorrupt, field)
			v, err := NewView(b, p.Family)
			if err == nil {
				err = v.Verify()
			}
			requireField(t, err, hashfam.ErrCorrupt, field)
		}
		for _, wrong := range []uint64{0, 2, p.slots() + 1, 1<<64 - 1} {
			requireCorrupt("number of fingerprints", func(b, _ []byte) { binary.LittleEndian.PutUint64(b[countAt:], wrong) })
		}
		for bit := p.Buckets * p.shape().BucketBits(); bit < 8*p.SizeBytes(); bit++ {
			requireCorrupt("bits beyond the last bucket", func(_, payload []byte) { payload[bit/8] ^= 1 << (bit % 8) })
		}
		if p.Compact {
			requireCorrupt("code of bucket 0", func(_, payload []byte) { binary.LittleEndian.PutUint16(payload, 3876) })
			requireCorrupt("fingerprints of bucket 0", func(b, payload []byte) {
				clear(payload)
				payload[1] = 0xf0 // the rest of the first fingerprint follows 12 bits
				binary.LittleEndian.PutUint64(b[countAt:], 1)
			})
		}
	}
}

// The parameters of a Scalable that follow from the others are checked, each
// with its own error.
func TestDerivedParametersAreChecked(t *testing.T) {
	const logBucketsAt, plotsAt = 24 + 25, 24 + 32
	s := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.01})
	for at, field := range map[int]string{logBucketsAt: "logarithm of the buckets per page", plotsAt: "number of plots"} {
		b, err := s.MarshalBinary()
		require.NoError(t, err)
		b[at]++
		requireField(t, new(Scalable).UnmarshalBinary(frametest.Seal(b)), hashfam.ErrCorrupt, field)
	}
}

// A view can use bytes at any address.
func TestViewsNeedNoAlignment(t *testing.T) {
	machine.Matters(t)
	for _, p := range kinds {
		f := mustNew(t, p)
		digests := digestsOf(f, 0, 300)
		_, err := f.AddAll(digests[:200])
		require.NoError(t, err)
		b, err := f.MarshalBinary()
		require.NoError(t, err)
		for shift := range 8 {
			v, err := NewView(append(make([]byte, shift), b...)[shift:], p.Family)
			require.NoError(t, err)
			require.NoError(t, v.Verify())
			require.Equal(t, f.CountAll(nil, digests), v.CountAll(nil, digests))
		}
	}
}
