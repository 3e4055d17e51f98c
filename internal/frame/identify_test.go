package frame

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/fault"
)

// A frame with a wrong or missing byte is damaged, unless it does not begin
// like a frame.
func TestDamagedFramesAreRecognized(t *testing.T) {
	h := Header{Kind: Bloom, Version: 1, Check: hashfam.Family{}.CheckValue(), Params: make([]byte, 16), Payload: 24}
	whole := Append(nil, h, Numbers([]uint64{1, 2, 3}))
	require.NoError(t, Verify(bytes.NewReader(whole), h))
	for at := range whole {
		cut := Verify(bytes.NewReader(whole[:at]), h)
		require.Equal(t, at > 0, Damaged(cut), "%d bytes: %v", at, cut)
		changed := bytes.Clone(whole)
		changed[at] ^= 8
		err := Verify(bytes.NewReader(changed), h)
		require.Equal(t, at >= len(Magic), Damaged(err), "byte %d: %v", at, err)
	}
	require.True(t, Damaged(NewBytesReader(append(whole, 0), errs).Err()), "a byte too many")
	_, err := Identify(whole[:9])
	require.True(t, Damaged(fmt.Errorf("file: %w", err)))
	require.True(t, Damaged(h.CheckPayload(23, errs)), "a payload of another length")
	_, err = h.Words(errs, 64)
	require.True(t, Damaged(err), "parameters of another length")
}

// An error that only mentions a length or a checksum does not mean damage.
func TestOtherErrorsDoNotMeanDamage(t *testing.T) {
	require.False(t, Damaged(nil))
	require.False(t, Damaged(errs.Errorf("checksum: %w", io.ErrClosedPipe)))
	require.False(t, Damaged(errs.Field(hashfam.ErrCorrupt, "key length of record 0 of 1", 9, "at most 8, the payload length")))
	require.False(t, Damaged(errs.Field(hashfam.ErrFamily, "family", "public", "checksum")))
}

// Fewer bytes than the header are an error, and the header is enough. The
// slices have no capacity beyond their end, so a reader of further bytes
// panics.
func TestIdentifyNeedsTheWholeHeader(t *testing.T) {
	machine.Matters(t)
	for params := 0; params <= maxParams; params += wordBytes {
		header := Header{Kind: Bloom, Version: 1, Params: make([]byte, params), Payload: 8}
		b := header.append(nil)
		for n := range b {
			_, err := Identify(b[:n:n])
			require.ErrorIs(t, err, hashfam.ErrCorrupt, "%d of %d bytes", n, len(b))
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %d bytes", n, len(b))
		}
		got, err := Identify(slices.Clip(b))
		require.NoError(t, err)
		require.Equal(t, header, got)
	}
}

// A published frame has the same bytes as the frame that the public family
// encodes, in whatever pieces it is read. The bytes after it do not change. A
// frame with a damaged bit remains damaged.
func TestPublishedFramesAreThoseOfThePublicFamily(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := Kind(rapid.IntRange(1, 200).Draw(t, "kind"))
		words := rapid.SliceOfN(rapid.Uint64(), 1, 30).Draw(t, "words")
		encode := func(fam hashfam.Family) []byte {
			h := Header{Kind: kind, Version: 3, Check: fam.CheckValue(), Params: make([]byte, 16), Payload: uint64(8 * len(words))}
			var b bytes.Buffer
			_, err := Write(&b, h, Payload(func(yield func([]byte) bool) { yield(EncodeParams(words)) }))
			require.NoError(t, err)
			return b.Bytes()
		}
		secret := encode(hashfam.New(hashfam.Key{1}))
		public := encode(hashfam.Family{})
		h, err := Identify(secret)
		require.NoError(t, err)
		require.Equal(t, kind, h.Kind)
		require.Equal(t, hashfam.New(hashfam.Key{1}).String(), h.Family())
		publish := func(b []byte) []byte {
			piece := make([]byte, rapid.IntRange(1, len(b)).Draw(t, "piece"))
			var got bytes.Buffer
			_, err := io.CopyBuffer(struct{ io.Writer }{&got}, Publish(struct{ io.Reader }{bytes.NewReader(b)}, h), piece)
			require.NoError(t, err)
			return got.Bytes()
		}
		require.Equal(t, public, publish(secret))
		require.Equal(t, append(bytes.Clone(public), "more bytes"...), publish(append(bytes.Clone(secret), "more bytes"...)))
		short := rapid.IntRange(1, len(secret)-9).Draw(t, "length")
		require.Equal(t, public[:short], publish(secret[:short]))
		at := rapid.IntRange(len(h.append(nil)), len(secret)-1).Draw(t, "byte")
		secret[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		damaged := NewBytesReader(publish(secret), &fault.Maker{})
		damaged.Header(kind, 3, hashfam.Family{}.CheckValue())
		if int(kind) < len(kinds) {
			require.NoError(t, damaged.Err())
			Read[uint64](damaged, uint64(len(words)))
		}
		require.Error(t, damaged.Err())
	})
}
