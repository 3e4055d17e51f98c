package ribbon

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/frame"
)

// MaxLayers is the maximum number of layers. Random digests need two to six,
// since a layer bumps 2% of its digests to the next one.
const MaxLayers = 32

// MaxColumns is the maximum number of columns, in units of 1/65536. It is the
// number of bits in a fingerprint.
const MaxColumns = 32 << 16

// MaxKeys is the maximum number of digests. With this limit all sizes in bits
// fit into 64 bits.
const MaxKeys = 1 << 48

// A Ribbon is an immutable function from digests to values of up to 32 bits.
// Use [Members], [Values], [Stream] or [Parse] to create one. The zero Ribbon
// has no columns.
type Ribbon struct {
	columns uint32 // in units of 1/65536
	keys    uint64
	layers  []layer
}

// A Shape contains the numbers in a ribbon's header.
type Shape = frame.Ribbon

// Shape returns the shape of r.
func (r *Ribbon) Shape() Shape { return Shape{Keys: r.keys, Columns: r.columns, Layers: len(r.layers)} }

// IsZero reports whether r is the zero Ribbon, or another one without columns.
func (r *Ribbon) IsZero() bool { return r.columns == 0 }

// SizeBytes returns the size of the thresholds and slots in bytes.
func (r *Ribbon) SizeBytes() uint64 {
	total := uint64(0)
	for i := range r.layers {
		total += 8 * r.layers[i].size()
	}
	return total
}

// Equal reports whether r and other are the same function for the same number
// of digests.
func (r *Ribbon) Equal(other *Ribbon) bool {
	return r.columns == other.columns && r.keys == other.keys &&
		slices.EqualFunc(r.parts(), other.parts(), slices.Equal[[]uint64])
}

// Contains reports whether the value of d is equal to its fingerprint. This is
// true for all digests from which [Members] or [Stream] built the ribbon.
func (r *Ribbon) Contains(d hashfam.Digest) bool {
	if len(r.layers) == 0 {
		return r.columns == 0
	}
	if useAVX512 { // call it directly, since most lookups end in the first layer
		if a := containsAVX512(&r.layers[0], d); a != bumped {
			return a == present
		}
	} else if a := r.layers[0].contains(d); a != bumped {
		return a == present
	}
	return r.contains(1, next(d))
}

// contains is like Contains, but starts in layer i. d must be the digest for
// this layer.
func (r *Ribbon) contains(i int, d hashfam.Digest) bool {
	for ; i < len(r.layers); i++ {
		if a := r.layers[i].contains(d); a != bumped {
			return a == present
		}
		d = next(d)
	}
	return r.columns == 0
}

// blockSize is the number of digests that ContainsAll processes at a time, a
// multiple of 8. Their words fit into the cache.
const blockSize = batch.Block

// ContainsAll appends the result of [Ribbon.Contains] for each digest to dst.
// It loads the words for many digests before it compares fingerprints, so that
// the processor overlaps cache misses.
func (r *Ribbon) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	if len(r.layers) == 0 {
		for range digests {
			dst = append(dst, r.columns == 0)
		}
		return dst
	}
	if useAVX512 && r.layers[0].starts <= math.MaxUint32 {
		return r.containsVectors(dst, digests)
	}
	for block := range slices.Chunk(digests, blockSize) {
		l := &r.layers[0]
		read := uint64(0)
		for _, d := range block {
			s := segment(d.Probe().In(l.starts))
			read ^= l.words[l.at(s)] ^ l.words[l.at(s+1)]
		}
		batch.Use(read)
		for _, d := range block {
			dst = append(dst, r.Contains(d))
		}
	}
	return dst
}

// Value returns the value of d. If [Values] built the ribbon, this is the
// number of the list that contains d.
func (r *Ribbon) Value(d hashfam.Digest) uint32 {
	p := d.Probe()
	for i := range r.layers {
		l := &r.layers[i]
		start := p.In(l.starts)
		if !l.bumps(start) {
			a, b, low, high := l.operands(start, coefficients(p.Next()))
			return columnsOf(a, b, low, high, 0, l.r) & l.mask(start)
		}
		p = p.Next().Next().Next()
	}
	return 0
}

// coefficients returns 64 bits, which are used to select the slots in a sum.
// The first slot is always selected. Since the lower half of a probe value is
// not mixed as well as the upper half, the two are combined.
func coefficients(p hashfam.Probe) uint64 { return uint64(p^p>>32) | 1 }

// fingerprint returns the bits that identify a digest.
func fingerprint(p hashfam.Probe) uint32 { return uint32(p >> 32) }

// next returns the digest for the next layer. Its probe sequence continues with
// the fourth value of d.
func next(d hashfam.Digest) hashfam.Digest { return hashfam.Digest(d.Probe().Next().Next()) }
