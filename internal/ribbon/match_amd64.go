//go:build !purego && !race

//lint:file-ignore U1000 assembly reads and writes the variable and the fields

package ribbon

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
)

// useAVX512 is a variable so that tests can set it to false.
var useAVX512 = cpu.VPOPCNTDQ

// multiplier is the factor between consecutive values in a probe sequence.
var multiplier = uint64(hashfam.Digest(1).Probe())

// A block holds the operands for looking up a block of digests in a layer.
type block struct {
	at   [blockSize]uint64 // the index of the segment's first word
	next [blockSize]uint64 // the same for the next segment
	low  [blockSize]uint64 // the coefficients of the slots in the segment
	high [blockSize]uint64 // the same for the next segment
	tag  [blockSize]uint64 // the fingerprint in the upper half, and the mask of its stored bits in the lower

	bumped [blockSize / 64]uint64 // one bit per digest: whether the layer bumps it
}

// containsVectors is like containsAll for a ribbon whose first layer has fewer
// than 2^32 starts. dst has room for the results.
func (r *Ribbon) containsVectors(dst []bool, digests []hashfam.Digest) []bool {
	var b block
	l := &r.layers[0]
	for len(digests) > 0 {
		chunk := digests[:min(len(digests), blockSize)]
		digests = digests[len(chunk):]
		end := len(dst)
		dst = dst[:end+len(chunk)]
		prepareAVX512(&b, l, chunk)
		matchAVX512(dst[end:], &b, l)
		for i, bumped := range b.bumped {
			for ; bumped != 0; bumped &= bumped - 1 {
				i := 64*i + bits.TrailingZeros64(bumped)
				dst[end+i] = r.contains(1, next(chunk[i]))
			}
		}
	}
	return dst
}

// prepareAVX512 sets b for looking up 1 to blockSize digests, and prefetches
// their words. l must have fewer than 2^32 starts.
//
//go:noescape
func prepareAVX512(b *block, l *layer, digests []hashfam.Digest)

// matchAVX512 sets dst to the results for the digests in b. The results for
// bumped digests are meaningless.
//
//go:noescape
func matchAVX512(dst []bool, b *block, l *layer)

// containsAVX512 is like layer.contains.
//
//go:noescape
func containsAVX512(l *layer, digest hashfam.Digest) answer

// containsInAVX512 is like encodedLayer.contains.
//
//go:noescape
func containsInAVX512(l *encodedLayer, digest hashfam.Digest) answer
