package counting

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/nibbles"
)

// In a Blocked filter, the first value of the probe sequence selects a block of
// 512 counters. The top nine bits of each further value select a counter in
// this block. Package bloom uses the same positions in its blocked layout,
// where 512 bits are one cache line. Here, 512 counters are four adjacent cache
// lines.
const (
	blockCounters = 512
	blockWords    = blockCounters / perWord
)

// blockOf returns the digest's block. There must be at least one block.
func blockOf(counters nibbles.Counters, blocks uint64, d hashfam.Digest) nibbles.Counters {
	return counters[d.Probe().In(blocks)*blockWords:][:blockWords]
}

func addBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) {
	b := blockOf(counters, blocks, d)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		b.Inc(uint64(p) >> 55)
	}
}

func hasBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) bool {
	b, all := blockOf(counters, blocks, d), uint64(16)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		all &= b.At(uint64(p)>>55) + 15
	}
	return all != 0
}

func countBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) uint64 {
	b, least := blockOf(counters, blocks, d), uint64(stuck)
	for p := d.Probe().Next(); k > 0; k, p = k-1, p.Next() {
		least = min(least, b.At(uint64(p)>>55))
	}
	return least
}

func removeBlocked(counters nibbles.Counters, blocks uint64, k int, d hashfam.Digest) bool {
	b := blockOf(counters, blocks, d)
	for p, done := d.Probe().Next(), 0; done < k; p, done = p.Next(), done+1 {
		i := uint64(p) >> 55
		if b.At(i) == 0 {
			addBlocked(counters, blocks, done, d)
			return false
		}
		b.Dec(i)
	}
	return true
}
