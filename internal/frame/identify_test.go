package frame

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// A published frame is the one that the public family encodes. A frame with any
// damaged bit is refused.
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
		h, err := Identify(secret)
		require.NoError(t, err)
		require.Equal(t, kind, h.Kind)
		require.Equal(t, hashfam.New(hashfam.Key{1}).String(), h.Family())
		damaged := bytes.Clone(secret)
		damaged[rapid.IntRange(0, len(damaged)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		require.Error(t, Publish(damaged))
		short := secret[:rapid.IntRange(0, len(secret)-1).Draw(t, "length")]
		require.ErrorIs(t, Publish(bytes.Clone(short)), hashfam.ErrCorrupt)
		require.NoError(t, Publish(secret))
		require.Equal(t, encode(hashfam.Family{}), secret)
		require.NoError(t, NewBytesReader(secret, &fault.Maker{}).Err())
	})
}
