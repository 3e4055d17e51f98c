package conformance

import (
	"io"
	"sync"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// PureReads runs all reads in several goroutines at the same time. The race
// detector finds a read that writes; so does a comparison of the encodings if
// the detector is off.
func (e Encoded[T]) PureReads(t *rapid.T) {
	f, in := e.filled(t, drawFamily(t))
	e.pureReads(t, f, append(in, drawKeys(t, "queries")...), func() {})
}

// PureReads is [Encoded.PureReads]. To clone a structure and to merge it into
// another one is to read it, too.
func (s Suite[T]) PureReads(t *rapid.T) {
	f, in := s.filled(t, drawFamily(t))
	s.pureReads(t, f, in, func() {
		if s.Clone != nil {
			f.Equal(s.Clone(f))
		}
		if s.Merge != nil {
			s.Merge(s.Like(f), f)
		}
	})
}

// pureReads checks that queries of keys and other reads do not change f.
func (e Encoded[T]) pureReads(t *rapid.T, f T, keys [][]byte, more func()) {
	before := encode(t, f)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, k := range keys {
				e.Has(f, k)
				e.HasString(f, string(k))
				e.HasDigest(f, hashfam.Digest(len(k)))
			}
			e.HasAll(f, nil, keys)
			e.Reads(f)
			f.Equal(f)
			f.MarshalBinary()
			f.WriteTo(io.Discard)
			more()
		})
	}
	wg.Wait()
	require.Equal(t, before, encode(t, f), "a read changed the structure")
}
