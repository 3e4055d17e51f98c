package conformance

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// holder is a structure that can be asked for a digest.
type holder interface{ ContainsDigest(hashfam.Digest) bool }

// asks checks that an encoded structure gives the answers of the structure, at
// every address, and without an allocation.
func (s Suite[T]) asks(t *rapid.T, f T, keys [][]byte) {
	if s.Ask == nil {
		return
	}
	ask, b := s.Ask(f.Family()), encode(t, f)
	digests := f.Family().SumAll([]hashfam.Digest{1}, append(keys, drawKeys(t)...))
	room := make([]byte, len(b)+8)
	for shift := range 8 {
		frame := append(room[shift:shift], b...)
		for _, d := range digests {
			got, err := ask(frame, d)
			require.NoError(t, err)
			require.Equal(t, any(f).(holder).ContainsDigest(d), got)
		}
	}
	require.Zero(t, leastAllocs(func() { ask(room[7:][:len(b)], digests[0]) }))
}

// askAny asks b, which may be anything. f is the structure that it encodes, or
// nil if that cannot be decoded. Then either the error is the one of decoding,
// and the answer true, or only a checksum is wrong, or the payload.
func (s Suite[T]) askAny(t require.TestingT, b []byte, fam hashfam.Family, f *T, invalid error) {
	if s.Ask == nil {
		return
	}
	ask := s.Ask(fam)
	b = append(make([]byte, 1, len(b)+1), b...)[1:] // at an odd address
	for i := range 4 {
		d := hashfam.Digest(i+1) * 0x9E3779B97F4A7C15
		got, err := ask(b, d)
		switch {
		case f != nil && (err != nil || got != any(*f).(holder).ContainsDigest(d)):
			require.NoError(t, err)
			require.Equal(t, !got, got)
		case f == nil && err == nil:
			sealed := bytes.Clone(b)
			Reseal(sealed)
			_, err := s.ReadParams(bytes.NewReader(sealed), fam)
			var field *hashfam.FieldError
			if !errors.As(err, &field) || field.Field != "payload length" { // layers are measured when they are asked
				require.NoError(t, err, "an invalid header was accepted")
			}
		case err != nil:
			require.True(t, got, "an error answers false")
			for _, reason := range []error{hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily} {
				require.Equal(t, errors.Is(invalid, reason), errors.Is(err, reason), "%v, decoding: %v", err, invalid)
			}
		}
	}
}

// askForged asks frames that are changed in a few places: 10,000, or a million
// if FILTERFAM_LONG is set.
func (s Suite[T]) askForged(t *testing.T) {
	if s.Ask == nil {
		return
	}
	n := 10_000
	if os.Getenv("FILTERFAM_LONG") != "" {
		n = 1_000_000
	}
	var frames [][]byte
	for _, g := range s.Golden {
		frames = append(frames, encode(t, g.Build()))
	}
	rng, valid := rand.New(rand.NewPCG(26, 1)), 0
	for range n {
		b, f := forged(rng, frames), s.Receiver(hashfam.Family{})
		if err := f.UnmarshalBinary(b); err != nil {
			s.askAny(t, b, hashfam.Family{}, nil, err)
		} else {
			s.askAny(t, b, hashfam.Family{}, &f, nil)
			valid++
		}
	}
	require.Greater(t, valid, n/100)
}

// forged returns one of the frames with changes. The checksums of three out of
// four are correct.
func forged(rng *rand.Rand, frames [][]byte) []byte {
	c := &Code{make([]byte, 64)}
	for i := range c.rest {
		c.rest[i] = byte(rng.Uint32())
	}
	b := c.changes(bytes.Clone(frames[rng.IntN(len(frames))]), frames[rng.IntN(len(frames))])
	if rng.IntN(4) == 0 {
		b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
	}
	return b
}
