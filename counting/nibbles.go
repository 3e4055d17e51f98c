package counting

// Nibbles are counters of four bits, sixteen to a word: counter i is bits 4*j
// to 4*j+3 of word i div 16, for j = i mod 16.
type nibbles []uint64

const (
	perWord = 16
	stuck   = 15 // what a counter never leaves

	lowest = 0x1111111111111111 // the lowest bit of every counter of a word
	even   = 0x0f0f0f0f0f0f0f0f // every other counter of a word
)

func (n nibbles) at(i uint64) uint64 { return n[i>>4] >> (i & 15 * 4) & 15 }

// inc adds one to counter i unless it is stuck: the sum of 15 and 1 is the
// only one with a fifth bit, which stands for the one not to add.
func (n nibbles) inc(i uint64) {
	s := i & 15 * 4
	w := n[i>>4]
	n[i>>4] = w + ((w>>s&15+1)>>4^1)<<s
}

// dec takes one from counter i, which is not zero, unless it is stuck.
func (n nibbles) dec(i uint64) {
	s := i & 15 * 4
	w := n[i>>4]
	n[i>>4] = w - ((w>>s&15+1)>>4^1)<<s
}

// nonzero sets the lowest bit of every counter of w that is not zero, and no
// other bit.
func nonzero(w uint64) uint64 {
	w |= w >> 2
	return (w | w>>1) & lowest
}

// sum adds the counters of two words, each up to 15. Every other counter at a
// time has the room for a fifth bit.
func sum(a, b uint64) uint64 {
	return sumEven(a&even, b&even) | sumEven(a>>4&even, b>>4&even)<<4
}

func sumEven(a, b uint64) uint64 {
	s := a + b
	over := s >> 4 & lowest
	return (s | over*stuck) & even
}
