package ribbon

import (
	"context"

	"github.com/filterfam/filterfam/hashfam"
)

// Small is the maximum number of digests for a [Scratch]. So few digests are
// sorted in one part, and each layer of their ribbon has a single shard, so
// more workers would not help.
const Small = 60_000

// A Scratch contains all the memory for building a small ribbon, so that many
// can be built without allocating memory. It keeps up to 35 bytes per digest of
// the largest ribbon.
type Scratch struct {
	system system
	sorter sorter
	ribbon Ribbon
	layers [MaxLayers]layer
	memory []uint64            // for the thresholds and words of all layers
	used   int                 // words of memory that layers use
	bumped [2][]hashfam.Digest // of this layer and of the previous one
	lists  [1][]hashfam.Digest // the argument of system.build
	to     [1][]hashfam.Digest // the argument of system.reset
	counts [MaxLayers]uint64   // keys of each layer after the first
	pieces [2*MaxLayers + 1][]uint64
}

// Sort is like the function [Sort] for no more than Small digests.
func (s *Scratch) Sort(digests []hashfam.Digest) []hashfam.Digest {
	s.sorter.sort(digests, 64)
	return distinct(digests)
}

// Members is like the function [Members] for no more than Small digests. The
// ribbon that it returns is valid until the next call.
func (s *Scratch) Members(ctx context.Context, columns uint32, digests []hashfam.Digest) (*Ribbon, error) {
	s.ribbon = Ribbon{columns: columns, keys: uint64(len(digests)), layers: s.layers[:0]}
	s.used = 0
	for columns > 0 && len(digests) > 0 {
		if len(s.ribbon.layers) == MaxLayers {
			return nil, ErrLayers
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		digests = s.Sort(s.layer(digests))
	}
	return &s.ribbon, ctx.Err()
}

// layer adds a layer for digests to the ribbon, and returns the digests that it
// bumps.
func (s *Scratch) layer(digests []hashfam.Digest) []hashfam.Digest {
	l := layer{geometry: newGeometry(len(s.ribbon.layers), uint64(len(digests)), s.ribbon.columns)}
	l.thresholds = s.words(int(l.thresholdWords()))
	l.words = s.words(int(l.slotWords()))
	turn := len(s.ribbon.layers) % 2
	s.lists[0] = digests
	s.to[0] = s.bumped[turn][:0]
	s.system.reset(fingerprints(s.ribbon.columns), s.to[:])
	s.system.build(&l, 0, s.lists[:])
	s.bumped[turn] = s.to[0]
	s.ribbon.layers = append(s.ribbon.layers, l)
	return s.bumped[turn]
}

// words returns n zeros. If the memory is too small, it is replaced, and
// earlier layers keep the old memory.
func (s *Scratch) words(n int) []uint64 {
	if s.used+n > len(s.memory) {
		s.memory = make([]uint64, max(1024, 2*len(s.memory), n+n/8))
		s.used = 0
	}
	words := s.memory[s.used : s.used+n : s.used+n]
	s.used += n
	clear(words)
	return words
}

// Pieces returns the words of the payload of the last ribbon in several slices,
// which are valid until the next call of Members.
func (s *Scratch) Pieces() [][]uint64 {
	r := &s.ribbon
	later := r.layers[min(1, len(r.layers)):]
	for i := range later {
		s.counts[i] = later[i].keys
	}
	pieces := append(s.pieces[:0], s.counts[:len(later)])
	for i := range r.layers {
		pieces = append(pieces, r.layers[i].thresholds, r.layers[i].words)
	}
	return pieces
}
