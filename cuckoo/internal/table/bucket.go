package table

import "encoding/binary"

// Lanes returns the lanes of bucket i.
func (t *Table) Lanes(i uint64) Lanes {
	switch {
	case !t.Narrow && t.Sorted:
		return t.decodeWide(i * t.stride)
	case !t.Narrow:
		return t.load16(i * t.stride)
	case t.Sorted:
		return Lanes{t.Decode(t.Word(i)), 0}
	}
	return Lanes{t.Word(i), 0}
}

// Word returns the word that starts at bucket i. It contains the whole bucket,
// as stored, if the table is narrow.
func (t *Table) Word(i uint64) uint64 { return t.load(i * t.stride) }

// load returns the word that starts at a bit. Its lowest 57 bits are valid; 60
// bits if it starts at half a byte, as all buckets do, and 64 bits if it starts
// at a byte, as buckets of 64 bits do. So it contains a whole narrow bucket.
func (t *Table) load(bit uint64) uint64 {
	i := bit >> 3
	return binary.LittleEndian.Uint64(t.Bytes[i:i+8]) >> (bit & 7)
}

// flip inverts the bits that are set in change, starting at a bit. They must be
// valid bits of load.
func (t *Table) flip(bit, change uint64) {
	i := bit >> 3
	b := t.Bytes[i : i+8]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^change<<(bit&7))
}

// load16 is like load for 128 bits, of which the lowest 121 are always valid.
func (t *Table) load16(bit uint64) Lanes {
	i, s := bit>>3, bit&7
	b := t.Bytes[i : i+16]
	low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return Lanes{low>>s | high<<1<<(63-s), high >> s}
}

// flip16 is like flip for 128 bits.
func (t *Table) flip16(bit uint64, change Lanes) {
	i, s := bit>>3, bit&7
	b := t.Bytes[i : i+16]
	low, high := change.Low<<s, change.High<<s|change.Low>>1>>(63-s)
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^low)
	binary.LittleEndian.PutUint64(b[8:], binary.LittleEndian.Uint64(b[8:])^high)
}
