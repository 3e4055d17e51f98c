package counting

import "github.com/filterfam/filterfam/bloom"

// Bloom returns the Bloom filter of the keys in f: bit i is set where counter i
// is not zero. It is, bit for bit, the filter that package bloom builds from those
// keys with the same number of bits, hashes, layout and family, but for the bits
// of counters that are stuck. It answers every Contains as f does, in a
// quarter of the memory, which it shares with nothing. O(m) time, one
// allocation of m/8 bytes. The zero Filter gives a zero bloom.Filter.
func (f *Filter) Bloom() *bloom.Filter {
	words := make([]uint64, (len(f.counters)+3)/4)
	for i, w := range f.counters {
		words[i/4] |= gather(nonzero(w)) << (i % 4 * 16)
	}
	b, err := bloom.FromWords(f.params.bloom(), words)
	if err != nil { // the zero Filter: a filter that exists has valid parameters
		return bloom.NewReceiver(f.params.Family)
	}
	return b
}

// gather moves every fourth bit of w, from the lowest on, to the low sixteen.
// No other bit of w is set.
func gather(w uint64) uint64 {
	w = (w | w>>3) & 0x0303030303030303
	w = (w | w>>6) & 0x000f000f000f000f
	w = (w | w>>12) & 0x000000ff000000ff
	return (w | w>>24) & 0x000000000000ffff
}
