// Package prefetch overlaps the cache misses of many lookups.
//
// A processor works on a window of a few hundred instructions, and waits when
// the oldest of them waits for memory. A lookup reads a few words from anywhere
// and needs many instructions, so only a few lookups overlap. There are four
// ways to overlap more of them.
//
// [Spread] and [Blocks] request the memory of the next few keys, with
// instructions that never wait, while the caller looks up the keys before them.
// [Lines] reads one cache line of each key before the lookups. If the filter
// fits into the cache, this takes about two thirds of the time of Spread.
// [Array] looks up eight keys with each instruction. A caller that computes
// addresses in another way reads the memory in a short loop, and passes the
// result to [Use].
package prefetch

import "github.com/filterfam/filterfam/hashfam"

// Block is the number of digests that a caller should work on at a time, and
// the largest number that [Array.Has] accepts.
const Block = 128

// Use does nothing. A loop that reads memory only to load it into the cache
// passes the result to Use, because otherwise the compiler could remove the
// loop.
//
//go:noinline
func Use(uint64) {}

// Lines loads one cache line of each digest: a line of 64 bytes, which the
// first value of the probe sequence selects.
func Lines(words []uint64, lines uint64, digests []hashfam.Digest) {
	read := uint64(0)
	for _, d := range digests {
		read |= words[d.Probe().In(lines)*8]
	}
	Use(read)
}

// An Array describes where the counters of a key are. Counters have 1<<LogBits
// bits, up to 32. A key has K counters, with the numbers i*Step + Reduce(v_i,
// Span), where v_i is value i of the digest's probe sequence.
type Array struct {
	Words      []uint64
	K          int
	Span, Step uint64
	LogBits    uint64
}

// hasEach is like Has. It looks up one digest after the other.
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
