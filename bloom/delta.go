package bloom

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// deltaParams are the parameters of a frame of kind BloomDelta, version 1. The
// payload is the code, see rice.go, of the positions of the bits that differ,
// or of the bits that do not if these are fewer.
type deltaParams struct {
	Changed uint64 // offset 0: number of bits that differ
	Base    uint64 // 8: fingerprint of the filter that the delta applies to
	Proof   uint64 // 16: digest of Base and of the fingerprint of the result
}

// An openDelta is what a header tells.
type openDelta struct {
	deltaParams
	words uint64 // of the payload
}

var deltaFormat = frame.Format[openDelta, uint64]{
	Kind: frame.BloomDelta, Version: 1, Errs: errs, Parse: parseDelta,
	Len: func(d openDelta) uint64 { return d.words },
}

// AppendDelta appends a delta that changes old to f, for [Filter.ApplyDelta],
// and returns the extended slice. Servers that keep copies of each other's
// filters send far fewer bytes in deltas than in whole filters (Fan, Cao,
// Almeida and Broder, Summary Cache, IEEE/ACM Trans. Netw. 8(3), 2000). A delta
// has 72 bytes and about 1.5 + log2(m/changed) bits, in whole words, for each
// bit of m that changed. That is 1 to 3 % above the least possible, and up to 9
// % if a third of the bits change. A delta is never larger than the encoding of
// f.
//
// Bits may be set and cleared, so f and old can be the projections of a
// counting filter at two times. Keep a [Filter.Clone] of what was sent last.
//
// AppendDelta returns [ErrIncompatible] if the [Params] differ, and [ErrParams]
// if f is the zero Filter. O(m) time; it allocates the delta, room for the
// longest delta with this number of changes, which is less than a sixth longer
// if the changes are random, a 60th of the filter, and up to 60 KB.
func (f *Filter) AppendDelta(dst []byte, old *Filter) ([]byte, error) {
	if err := f.compatible(old); err != nil {
		return dst, err
	}
	m, base := f.params.Bits, old.fingerprint()
	changed := onesOf(f.words, old.words, func(a, b uint64) uint64 { return a ^ b })
	d := deltaParams{Changed: changed, Base: base, Proof: f.proof(base)}
	n, flip := d.coded(m)
	code := riceCode(m, n, f.unlike(old, flip))
	h := deltaFormat.New(f.params.Family, d, 8*uint64(len(code)))
	return frame.AppendBinary(dst, func() (frame.Header, frame.Payload, error) {
		return h, frame.Numbers(code), f.params.check(ErrParams)
	})
}

// ApplyDelta changes f to the filter for which [Filter.AppendDelta] made the
// delta. f must be in the state of the old filter of that call, and ApplyDelta
// checks that it is. So it refuses a delta that comes twice, after one that was
// lost, or out of order. Then get the whole filter, as [Filter.AppendBinary]
// encodes it.
//
// It returns [ErrIncompatible] if f is another filter or in another state,
// [ErrFamily] if the delta is for a filter of another family, [ErrVersion] if a
// later version made it, and [ErrCorrupt] if it is damaged or the result is not
// the one that it was made for. After an error f is unchanged. O(m) time; it
// allocates the delta, a 60th of the filter, and up to 60 KB.
//
// Under a keyed family only those who have the key can make a delta that is
// accepted; others can at most repeat one in the state for which it was made.
// Under the public family anyone can make one.
func (f *Filter) ApplyDelta(delta []byte) error {
	d, code, err := deltaFormat.Read(frame.NewBytesReader(delta, errs), f.params.Family)
	if err != nil {
		return err
	}
	m, base := f.params.Bits, f.fingerprint()
	if d.Base != base {
		return errs.Field(ErrIncompatible, "base of the delta", fmt.Sprintf("%016x", d.Base), fmt.Sprintf("%016x, the state of the filter", base))
	}
	if d.Changed > m {
		return errs.Field(ErrCorrupt, "changed bits", d.Changed, fmt.Sprintf("at most %d", m))
	}
	n, flip := d.coded(m)
	if !ricePositions(code, m, n, func(uint64) {}) {
		return errs.Field(ErrCorrupt, "code of the delta", fmt.Sprintf("%d words", len(code)), fmt.Sprintf("the code of %d positions below %d", n, m))
	}
	f.change(code, n, flip)
	if proof := f.proof(base); d.Proof != proof {
		f.change(code, n, flip)
		return errs.Field(ErrCorrupt, "result of the delta", fmt.Sprintf("%016x", d.Proof), fmt.Sprintf("%016x", proof))
	}
	return nil
}

func parseDelta(h frame.Header, _ hashfam.Family) (d openDelta, err error) {
	d.words = h.Payload / 8
	return d, h.DecodeParams(&d.deltaParams, errs)
}

// coded returns the number of positions in the code, of at most m. They are
// those of the bits that differ if flip is zero, and of the others if flip is
// all ones.
func (d deltaParams) coded(m uint64) (n, flip uint64) {
	if d.Changed > m/2 {
		return m - d.Changed, ^uint64(0)
	}
	return d.Changed, 0
}

// unlike yields the positions of the bits in which f and other differ, or do
// not if flip is all ones.
func (f *Filter) unlike(other *Filter, flip uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i, w := range f.words {
			for w ^= other.words[i] ^ flip; w != 0; w &= w - 1 {
				at := 64*uint64(i) + uint64(bits.TrailingZeros64(w))
				if at >= f.params.Bits || !yield(at) {
					return
				}
			}
		}
	}
}

// change changes the bits that a valid code lists, or the others if flip is all
// ones. To do so twice changes nothing.
func (f *Filter) change(code []uint64, n, flip uint64) {
	ricePositions(code, f.params.Bits, n, func(i uint64) { f.words[i/64] ^= 1 << (i % 64) })
	if flip != 0 {
		for i := range f.words {
			f.words[i] = ^f.words[i]
		}
		f.words[len(f.words)-1] &= ^uint64(0) >> (-f.params.Bits % 64)
	}
}

// deltaFamily returns the family that hashes states. Deltas show its digests,
// so it is not the family of the keys.
func (f *Filter) deltaFamily() hashfam.Family { return f.params.Family.Derive("bloom delta") }

// fingerprint returns a digest of the Params and the bits of f: of the
// parameters in a frame of f and the digests of each 1024 bytes of its payload,
// which are hashed side by side.
func (f *Filter) fingerprint() uint64 {
	fam := f.deltaFamily()
	b := slices.Grow(f.params.encoded().Header(0).Params, len(f.words)/16+8)
	var pieces [][]byte
	var digests []hashfam.Digest
	for piece := range frame.Numbers(f.words) {
		pieces = slices.AppendSeq(pieces[:0], slices.Chunk(piece, 1024))
		digests = fam.SumAll(digests[:0], pieces)
		for _, d := range digests {
			b = binary.LittleEndian.AppendUint64(b, uint64(d))
		}
	}
	return uint64(fam.Sum(b))
}

// proof returns a digest of the fingerprints of the state before and of f. The
// fingerprints of all states that were ever sent do not help to make it without
// the key.
func (f *Filter) proof(base uint64) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, base)
	return uint64(f.deltaFamily().Sum(binary.LittleEndian.AppendUint64(b, f.fingerprint())))
}
