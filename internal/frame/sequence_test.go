package frame

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A sequence is written as the slice of its words is, by either function.
func TestSequencesAreWrittenAsWordsAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := make([]uint64, rapid.IntRange(0, 3*chunkBytes/wordBytes).Draw(t, "words"))
		for i := range words {
			words[i] = uint64(i) * 0x9E3779B97F4A7C15
		}
		h := Header{Kind: TopK, Version: 3, Check: 7, Params: make([]byte, 8*rapid.IntRange(0, 4).Draw(t, "params"))}
		want := AppendWords([]byte("before"), h, words)
		h.Payload = uint64(len(words)) * wordBytes
		require.Equal(t, want, AppendSeq([]byte("before"), h, slices.Values(words)))
		var b bytes.Buffer
		n, err := WriteSeq(&b, h, slices.Values(words))
		require.NoError(t, err)
		require.EqualValues(t, b.Len(), n)
		require.Equal(t, want[len("before"):], b.Bytes())
	})
}

// limited takes so many bytes and fails then.
type limited struct{ left int }

var errFull = errors.New("full")

func (l *limited) Write(b []byte) (int, error) {
	n := min(l.left, len(b))
	l.left -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func TestAWritersErrorIsPassedOnFromASequence(t *testing.T) {
	words := make([]uint64, 2*chunkBytes/wordBytes)
	h := Header{Kind: TopK, Version: 1, Payload: uint64(len(words)) * wordBytes}
	for _, room := range []int{0, 1, chunkBytes, chunkBytes + 1, int(h.Size()) - 1} {
		n, err := WriteSeq(&limited{room}, h, slices.Values(words))
		require.ErrorIs(t, err, errFull)
		require.EqualValues(t, room, n)
	}
	n, err := WriteSeq(&limited{int(h.Size())}, h, slices.Values(words))
	require.NoError(t, err)
	require.EqualValues(t, h.Size(), n)
}
