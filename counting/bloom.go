package counting

import "github.com/filterfam/filterfam/bloom"

// Bloom returns the Bloom filter of the keys in the filter: bit i is set if
// counter i is not zero. It answers every Contains in the same way, in a
// quarter of the memory, and shares no memory with the filter. Except for the
// bits of stuck counters it is, bit for bit, the filter that package bloom
// builds from these keys with the same number of bits, hashes, layout and
// family. O(m) time, one allocation of m/8 bytes.
func (f *reader) Bloom() *bloom.Filter {
	words := make([]uint64, (len(f.counters)+3)/4)
	for i, w := range f.counters {
		words[i/4] |= gather(nonzero(w)) << (i % 4 * 16)
	}
	b, err := bloom.FromWords(f.params.bloom(), words)
	if err != nil {
		panic(err) // a zero Filter: the parameters of all others are valid
	}
	return b
}

// gather moves bits 0, 4, 8, ... 60 of w to bits 0 to 15. No other bit of w may
// be set. Each step closes the gaps between groups of 1, 2, 4 and 8 bits.
func gather(w uint64) uint64 {
	w = (w | w>>3) & 0x0303030303030303
	w = (w | w>>6) & 0x000f000f000f000f
	w = (w | w>>12) & 0x000000ff000000ff
	return (w | w>>24) & 0x000000000000ffff
}
