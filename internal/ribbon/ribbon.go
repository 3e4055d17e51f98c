package ribbon

import (
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
	"github.com/filterfam/filterfam/internal/fault"
)

// MaxLayers is the maximum number of layers. Random digests need one to four,
// since the first layer bumps 2% of them and the others bump almost none.
const MaxLayers = 32

// MaxColumns is the maximum number of columns, in units of 1/65536. It is the
// number of bits in a fingerprint.
const MaxColumns = 32 << 16

// MaxKeys is the maximum number of digests. With this limit all sizes in bits
// fit into 64 bits.
const MaxKeys = 1 << 48

// A Ribbon is an immutable function from digests to values of up to 32 bits,
// which are compared with fingerprints. Use [Members], [Stream], [Separated] or
// [Parse] to create one. The zero Ribbon has no columns.
type Ribbon struct {
	columns uint32 // in units of 1/65536
	keys    uint64
	layers  []layer
	class   *Ribbon // the second ribbon, or nil; see Separate
	inverse bool    // Contains returns the opposite; see Separate
}

var zeroRibbon = (&fault.Maker{Package: "static"}).Zero("Filter", "New or NewView, or decode into it")

// A Shape contains the numbers that determine a ribbon's size.
type Shape struct {
	Keys    uint64
	Columns uint32 // in units of 1/65536
	Layers  int
}

// Shape returns the shape of r without the second ribbon.
func (r *Ribbon) Shape() Shape { return Shape{Keys: r.keys, Columns: r.columns, Layers: len(r.layers)} }

// IsZero reports whether r is the zero Ribbon.
func (r *Ribbon) IsZero() bool { return r.columns == 0 && r.keys == 0 && r.class == nil }

// SizeBytes returns the size of the thresholds and slots in bytes, including
// those of the second ribbon.
func (r *Ribbon) SizeBytes() uint64 {
	total := uint64(0)
	for ; r != nil; r = r.class {
		for i := range r.layers {
			total += 8 * r.layers[i].size()
		}
	}
	return total
}

// Equal reports whether r and other have the same numbers of columns and
// digests, thresholds and slots, and equal second ribbons.
func (r *Ribbon) Equal(other *Ribbon) bool {
	if r == nil || other == nil {
		return r == other
	}
	return r.columns == other.columns && r.keys == other.keys && r.inverse == other.inverse &&
		slices.EqualFunc(r.parts(), other.parts(), slices.Equal[[]uint64]) && r.class.Equal(other.class)
}

// Contains reports whether the value of d is equal to its fingerprint and, if
// there is a second ribbon, whether that ribbon contains next(d). If r is
// inverse, Contains returns the opposite. If r was returned by [Members] or
// [Stream], the result is true for all digests from which it was built.
// Contains panics if r is zero.
func (r *Ribbon) Contains(d hashfam.Digest) bool {
	if len(r.layers) == 0 {
		return r.withoutLayers(d)
	}
	var a answer
	if useAVX512 { // call it directly, since most lookups end in the first layer
		a = containsAVX512(&r.layers[0], d)
	} else {
		a = r.layers[0].contains(d)
	}
	// The following code is equivalent to
	//
	//	r.separate(a == present || a == bumped && r.contains(1, next(d)), d)
	//
	// but avoids this call in the most frequent cases. Without a second ribbon,
	// inverse is false.
	if a != bumped {
		if r.class == nil {
			return a == present
		}
		if a == absent {
			return r.inverse
		}
	}
	return r.separate(a == present || r.contains(1, next(d)), d)
}

// contains is like Contains for the first ribbon only, and starts in layer i. d
// must be the digest for this layer.
func (r *Ribbon) contains(i int, d hashfam.Digest) bool {
	for ; i < len(r.layers); i++ {
		if a := r.layers[i].contains(d); a != bumped {
			return a == present
		}
		d = next(d)
	}
	return false
}

// withoutLayers is like Contains for a ribbon without layers. Without columns,
// the fingerprints have no bits, so the ribbon contains all digests. With
// columns, it was built from no digests and contains none. The method is not
// inlined, because this would slow down other lookups.
//
//go:noinline
func (r *Ribbon) withoutLayers(d hashfam.Digest) bool {
	if r.IsZero() {
		panic(zeroRibbon)
	}
	return r.separate(r.columns == 0, d)
}

// blockSize is the number of digests that ContainsAll processes at a time, a
// multiple of 8. Their words fit into the cache.
const blockSize = batch.Block

// ContainsAll appends the result of [Ribbon.Contains] for each digest to dst.
// It loads the words for many digests before it compares fingerprints, so that
// the processor overlaps cache misses.
func (r *Ribbon) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	if r.class == nil {
		return r.containsAll(dst, digests)
	}
	for len(digests) > 0 {
		n := min(len(digests), separateBlock)
		from := len(dst)
		dst = r.containsAll(dst, digests[:n])
		r.separateAll(dst[from:], digests[:n])
		digests = digests[n:]
	}
	return dst
}

// containsAll is like ContainsAll for the first ribbon only.
func (r *Ribbon) containsAll(dst []bool, digests []hashfam.Digest) []bool {
	if len(r.layers) == 0 {
		if r.IsZero() {
			panic(zeroRibbon)
		}
		for range digests {
			dst = append(dst, r.columns == 0)
		}
		return dst
	}
	if useAVX512 && r.layers[0].starts <= math.MaxUint32 {
		return r.containsVectors(dst, digests)
	}
	for len(digests) > 0 {
		block := digests[:min(len(digests), blockSize)]
		digests = digests[len(block):]
		l := &r.layers[0]
		read := uint64(0)
		for _, d := range block {
			s := segment(d.Probe().In(l.starts))
			read ^= l.words[l.at(s)] ^ l.words[l.at(s+1)]
		}
		batch.Use(read)
		for _, d := range block {
			dst = append(dst, r.contains(0, d))
		}
	}
	return dst
}

// coefficients returns one bit for each of 64 slots: whether the slot belongs
// to the sum. The first slot always does. Since the lower half of a probe value
// is not mixed as well as the upper half, coefficients combines the halves.
func coefficients(p hashfam.Probe) uint64 { return uint64(p^p>>32) | 1 }

// fingerprint returns the bits that identify a digest.
func fingerprint(p hashfam.Probe) uint32 { return uint32(p >> 32) }

// next returns the digest for the next layer. Its probe sequence begins with
// the fourth value of the probe sequence of d.
func next(d hashfam.Digest) hashfam.Digest { return hashfam.Digest(d.Probe().Next().Next()) }
