//go:build !purego && !race

//lint:file-ignore U1000 assembly reads and writes the variable and the fields

package ribbon

import (
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// useAVX512 is a variable so that tests can set it to false.
var useAVX512 = cpu.VPOPCNTDQ

// multiplier is the factor between two values of a probe sequence.
var multiplier = uint64(hashfam.Digest(1).Probe())

// A block holds what a block of digests looks up in a layer.
type block struct {
	at   [blockSize]uint64 // the first word of the segment
	next [blockSize]uint64 // and of the next one
	low  [blockSize]uint64 // the coefficients of the slots of both
	high [blockSize]uint64
	tag  [blockSize]uint64 // the fingerprint, and in the lower half the bits that count

	bumped [blockSize / 64]uint64 // a bit for each digest that the layer bumps
}

// containsVectors is ContainsAll for a ribbon with layers, the first of which
// has less than 2^32 starts. dst has room for the answers.
func (r *Ribbon) containsVectors(dst []bool, digests []hashfam.Digest) []bool {
	var b block
	for chunk := range slices.Chunk(digests, blockSize) {
		dst = r.containsBlock(&b, dst, chunk)
	}
	return dst
}

// containsBlock is containsVectors for at least one digest and at most
// blockSize.
func (r *Ribbon) containsBlock(b *block, dst []bool, digests []hashfam.Digest) []bool {
	l, end := &r.layers[0], len(dst)
	dst = dst[:end+len(digests)]
	prepareAVX512(b, l, digests)
	matchAVX512(dst[end:], b, l)
	for i, bumped := range b.bumped {
		for ; bumped != 0; bumped &= bumped - 1 {
			i := 64*i + bits.TrailingZeros64(bumped)
			dst[end+i] = r.contains(1, next(digests[i]))
		}
	}
	return dst
}

// prepareAVX512 sets b to the lookups of digests, at least one and at most
// blockSize, and begins to fetch their words. l has less than 2^32 starts.
//
//go:noescape
func prepareAVX512(b *block, l *layer, digests []hashfam.Digest)

// matchAVX512 sets dst to the answers of the digests of b. Those of bumped
// digests are meaningless.
//
//go:noescape
func matchAVX512(dst []bool, b *block, l *layer)

// containsAVX512 is layer.contains.
//
//go:noescape
func containsAVX512(l *layer, digest hashfam.Digest) answer

// containsInAVX512 is encodedLayer.contains.
//
//go:noescape
func containsInAVX512(l *encodedLayer, digest hashfam.Digest) answer
