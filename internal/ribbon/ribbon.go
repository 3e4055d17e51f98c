package ribbon

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// MaxLayers is the largest number of layers. Random digests need two to six,
// since a layer passes 2 % of its digests to the next one.
const MaxLayers = 32

// MaxColumns is the largest number of columns, that of the bits of a
// fingerprint, in units of 1/65536.
const MaxColumns = 32 << 16

// MaxKeys is the largest number of digests. It keeps sizes in bits within 64
// bits.
const MaxKeys = 1 << 48

// A Ribbon is a function from digests to values of up to 32 bits. It does not
// change. Make one with [Members], [Values], [Stream] or [Parse]. The zero
// Ribbon has no columns.
type Ribbon struct {
	columns uint32 // in units of 1/65536
	keys    uint64
	layers  []layer
}

// A Shape is what a header tells of a ribbon: the columns, the number of
// digests and of layers.
type Shape = frame.Ribbon

// Shape returns the shape of r.
func (r *Ribbon) Shape() Shape { return Shape{Keys: r.keys, Columns: r.columns, Layers: len(r.layers)} }

// SizeBytes returns the memory of the thresholds and slots.
func (r *Ribbon) SizeBytes() uint64 {
	total := uint64(0)
	for i := range r.layers {
		total += 8 * r.layers[i].size()
	}
	return total
}

// Equal reports whether r and other are the same function, built from as many
// digests. O(n) time.
func (r *Ribbon) Equal(other *Ribbon) bool {
	return r.columns == other.columns && r.keys == other.keys &&
		slices.EqualFunc(r.parts(), other.parts(), slices.Equal[[]uint64])
}

// Contains reports whether the value of d is its fingerprint, as it is for
// every digest that the ribbon was built from by [Members] or [Stream]. O(1)
// time.
func (r *Ribbon) Contains(d hashfam.Digest) bool { return r.contains(0, d) }

// contains is Contains from layer i on. d is the digest of that layer.
func (r *Ribbon) contains(i int, d hashfam.Digest) bool {
	for ; i < len(r.layers); i++ {
		if a := r.layers[i].contains(d); a != bumped {
			return a == present
		}
		d = next(d)
	}
	return r.columns == 0
}

// Value returns the value of d: for a ribbon that was built by [Values], the
// number of the list that d is in. O(1) time.
func (r *Ribbon) Value(d hashfam.Digest) uint32 {
	p := d.Probe()
	for i := range r.layers {
		l := &r.layers[i]
		start := p.In(l.starts)
		if !l.bumps(start) {
			return l.value(start, coefficients(p.Next()))
		}
		p = p.Next().Next().Next()
	}
	return 0
}

// coefficients returns which of the 64 slots from the start belong to the sum.
// The first one always does. The lower half of a probe value is mixed less well
// than the upper half, which is added to it.
func coefficients(p hashfam.Probe) uint64 { return uint64(p^p>>32) | 1 }

// fingerprint returns the bits that identify a digest.
func fingerprint(p hashfam.Probe) uint32 { return uint32(p >> 32) }

// next returns the digest of the next layer: its probe sequence is that of d
// from the fourth value on.
func next(d hashfam.Digest) hashfam.Digest { return hashfam.Digest(d.Probe().Next().Next()) }
