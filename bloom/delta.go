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

// deltaParams are the parameters in a frame of kind BloomDelta, version 1. The
// payload is the Rice code (see riceBits) of positions: those of the bits that
// differ or, if fewer bits are equal, those of the equal bits.
type deltaParams struct {
	Changed uint64 // offset 0: number of bits that differ
	Base    uint64 // 8: fingerprint of the filter that the delta applies to
	Proof   uint64 // 16: digest of Base and the fingerprint of the result
}

var deltaFormat = frame.Format[deltaParams, uint64]{
	Kind: frame.BloomDelta, Version: 1, Errs: errs, Parse: parseDelta,
}

func parseDelta(h frame.Header, _ hashfam.Family) (deltaParams, error) {
	var d deltaParams
	err := h.DecodeParams(&d, errs)
	return d, err
}

// AppendDelta appends a delta that changes old to f, for use by
// [Filter.ApplyDelta], and returns the extended slice. When servers keep copies
// of each other's filters, deltas need far fewer bytes than whole filters (Fan,
// Cao, Almeida and Broder, Summary Cache, IEEE/ACM Trans. Netw. 8(3), 2000).
//
// If n of the m bits changed, and n is at most m/4, a delta has 72 bytes and
// about 1.5 + log2(m/n) bits for each changed bit, rounded up to whole words.
// This is usually up to 3% more than the minimum, and up to 9% more if a third
// of the bits changed. But a delta is never longer than the encoding of f.
//
// Since a delta can set and clear bits, f and old can also be the results of
// Filter.Bloom in package counting at different times. Use [Filter.Clone] to
// keep the filter that was sent last, which will be old in the next call.
//
// AppendDelta returns [hashfam.ErrIncompatible] if the [Params] differ, and
// [hashfam.ErrParams] if f is the zero Filter. In addition to the delta, it
// allocates up to 1.2 times the size of the delta, 1/60 of the filter size, and
// up to 60 KB. On big-endian platforms and in builds with the tag purego, this
// is up to 300 KB instead of 60.
func (f *Filter) AppendDelta(dst []byte, old *Filter) ([]byte, error) {
	if err := f.compatible(old); err != nil {
		return dst, err
	}
	m := f.params.Bits
	base := old.fingerprint()
	d := deltaParams{Changed: f.differing(old), Base: base, Proof: f.proof(base)}
	n, flip := d.coded(m)
	code := riceCode(m, n, f.unlike(old, flip))
	h := deltaFormat.New(f.params.Family, d, 8*uint64(len(code)))
	return frame.AppendBinary(dst, func() (frame.Header, frame.Payload, error) {
		return h, frame.Numbers(code), f.params.check(hashfam.ErrParams)
	})
}

// ApplyDelta changes f to the filter for which [Filter.AppendDelta] created the
// delta. It checks that f is in the state of the old filter in that call, so it
// rejects a delta that arrives twice, out of order, or after another one was
// lost. In this case, ask the sender for the whole filter, encoded with
// [Filter.AppendBinary].
//
// ApplyDelta returns [hashfam.ErrIncompatible] if f is another filter or in
// another state, [hashfam.ErrFamily] if the delta is for a filter with another
// family, [hashfam.ErrVersion] if a later version of the library created it,
// and [hashfam.ErrCorrupt] if the delta is damaged or produces a wrong result.
// After an error, f is unchanged. ApplyDelta allocates the size of the delta,
// 1/60 of the filter size, and up to 60 or 300 KB, as in AppendDelta.
//
// With a keyed family, nobody without the key can create a delta that will be
// accepted. But anyone can resend an existing delta, and it will be accepted if
// the filter is again in the state for which the delta was created. With the
// public family, anyone can create deltas.
func (f *Filter) ApplyDelta(delta []byte) error {
	d, code, err := deltaFormat.Read(frame.NewBytesReader(delta, errs), f.params.Family)
	if err != nil {
		return err
	}
	m := f.params.Bits
	base := f.fingerprint()
	if d.Base != base {
		return errs.Field(hashfam.ErrIncompatible, "base of the delta", fmt.Sprintf("%016x", d.Base), fmt.Sprintf("%016x, the state of the filter", base))
	}
	if d.Changed > m {
		return errs.Field(hashfam.ErrCorrupt, "changed bits", d.Changed, fmt.Sprintf("at most %d", m))
	}
	n, flip := d.coded(m)
	if !ricePositions(code, m, n, func(uint64) {}) {
		return errs.Field(hashfam.ErrCorrupt, "code of the delta", fmt.Sprintf("%d words", len(code)), fmt.Sprintf("the code of %d positions below %d", n, m))
	}
	f.change(code, n, flip)
	if proof := f.proof(base); d.Proof != proof {
		f.change(code, n, flip)
		return errs.Field(hashfam.ErrCorrupt, "result of the delta", fmt.Sprintf("%016x", d.Proof), fmt.Sprintf("%016x", proof))
	}
	return nil
}

// coded returns the number of positions in the code. These are the positions of
// the bits that differ or, if flip is all ones, of the other bits.
func (d deltaParams) coded(m uint64) (n, flip uint64) {
	if d.Changed > m/2 {
		return m - d.Changed, ^uint64(0)
	}
	return d.Changed, 0
}

// unlike yields the positions of the bits in which f and other differ or, if
// flip is all ones, of the other bits.
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

// change flips the bits whose positions are in a valid code or, if flip is all
// ones, the other bits. Calling it twice changes nothing.
func (f *Filter) change(code []uint64, n, flip uint64) {
	ricePositions(code, f.params.Bits, n, func(i uint64) { f.words[i/64] ^= 1 << (i % 64) })
	if flip != 0 {
		for i := range f.words {
			f.words[i] = ^f.words[i]
		}
		f.words[len(f.words)-1] &= ^uint64(0) >> (-f.params.Bits % 64)
	}
}

// deltaFamily returns the family that hashes states. Since deltas reveal its
// digests, it must not be the family that hashes keys.
func (f *Filter) deltaFamily() hashfam.Family { return f.params.Family.Derive("bloom delta") }

// fingerprint returns a digest of the Params and bits of f. The input of the
// hash is the parameters in a frame of f, followed by a digest of each 1024
// bytes of the payload. SumAll computes several of these digests at once.
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

// proof returns a digest of two fingerprints: base, which belongs to the
// previous state, and the current fingerprint of f. Without the family's key,
// nobody can compute a proof, even from the fingerprints of all states that
// were ever sent.
func (f *Filter) proof(base uint64) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, base)
	return uint64(f.deltaFamily().Sum(binary.LittleEndian.AppendUint64(b, f.fingerprint())))
}

// The functions below use the Rice code of n ascending positions below m
// (Golomb, IEEE Trans. Inf. Theory 12, 1966; Rice and Plaunt, IEEE Trans.
// Commun. 19, 1971). The gap before each position, which is the number of
// positions skipped there, is encoded as gap/2^b zeros, a one, and the b low
// bits of the gap, lowest bit first. With b = 0, the code is therefore the
// bitmap of the positions, up to the last one. For example, with b = 2 and m =
// 16:
//
//	positions      1       3           9
//	gaps           1       1           5
//	code        1 10    1 10       01 10
//
// Zeros fill the last word. On average over all choices of n of m positions, no
// encoding can be shorter than log2 of the number of choices. If m is a million
// or more and n is at most m/2, the Rice code of random positions needs 1.00 to
// 1.09 times this number of bits on average, and at most 1.11 times.

// riceBits returns the b that minimizes the length of the longest code of n
// positions, and this length. With b = 0, the longest code has m bits, so the
// result never exceeds m.
func riceBits(m, n uint64) (b, longest uint64) {
	for n > 0 && n<<(b+1) < m-n {
		b++
	}
	return b, n*(b+1) + min(n, 1)*((m-n)>>b)
}

// riceCode returns the code of n positions below m.
func riceCode(m, n uint64, positions iter.Seq[uint64]) []uint64 {
	b, longest := riceBits(m, n)
	code, end, next := make([]uint64, longest/64+2), uint64(0), uint64(0)
	for i := range positions {
		gap := i - next
		end += gap >> b
		v := 1 | gap&(1<<b-1)<<1
		code[end/64] |= v << (end % 64)
		code[end/64+1] |= v >> (64 - end%64)
		end += b + 1
		next = i + 1
	}
	return code[:(end+63)/64]
}

// ricePositions calls the function each for the n positions in a code, in
// ascending order. It returns false, possibly after some of these calls, if
// code is not a result of riceCode for n positions below m.
func ricePositions(code []uint64, m, n uint64, each func(uint64)) bool {
	b, _ := riceBits(m, n)
	next, at, end := uint64(0), uint64(0), 64*uint64(len(code))
	for range n {
		one := nextOne(code, at)
		zeros := one - at
		low := bitsFrom(code, one+1) & (1<<b - 1)
		at = one + 1 + b
		if at > end || zeros > m>>b || zeros<<b|low >= m-next {
			return false
		}
		next += zeros<<b | low
		each(next)
		next++
	}
	return end-at < 64 && nextOne(code, at) == end
}

// nextOne returns the position of the first bit that is set at or after bit i,
// or the number of bits if there is none. Bit 0 is the lowest bit of the first
// word.
func nextOne(words []uint64, i uint64) uint64 {
	end := 64 * uint64(len(words))
	for ; i < end; i = (i/64 + 1) * 64 {
		if w := words[i/64] >> (i % 64); w != 0 {
			return i + uint64(bits.TrailingZeros64(w))
		}
	}
	return end
}

// bitsFrom returns 64 bits, starting with bit i. Bits after the end are zero.
func bitsFrom(words []uint64, i uint64) (v uint64) {
	if at := i / 64; at < uint64(len(words)) {
		v = words[at] >> (i % 64)
		if at+1 < uint64(len(words)) {
			v |= words[at+1] << (64 - i%64)
		}
	}
	return v
}
