// Package lanes looks up the positions of eight keys at once, in arrays of bits
// and in arrays of counters.
//
// A lookup per key reads k words from anywhere, and computes where. Here one
// instruction computes for eight keys, and reads eight words. So more of the
// reads fit into the processor's window of a few hundred instructions, and more
// cache misses overlap.
package lanes

import "github.com/filterfam/filterfam/hashfam"

// Block is the number of digests that one call takes at most.
const Block = 128

// An Array says where the counters of a key are, of 1<<LogBits bits each, up to
// 32: K times counter i*Step + Reduce(value i of the sequence of the digest,
// Span).
type Array struct {
	Words      []uint64
	K          int
	Span, Step uint64
	LogBits    uint64
}

// hasEach is Has for one digest after the other.
func (a *Array) hasEach(dst []bool, digests []hashfam.Digest) []bool {
	for _, d := range digests {
		has, base := true, uint64(0)
		for k, p := a.K, d.Probe(); k > 0; k, p = k-1, p.Next() {
			bit := (base + p.In(a.Span)) << a.LogBits
			has = has && a.Words[bit/64]>>(bit%64)&(1<<(1<<a.LogBits)-1) != 0
			base += a.Step
		}
		dst = append(dst, has)
	}
	return dst
}
