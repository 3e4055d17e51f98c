package table

// Slots is the number of slots in a bucket.
const Slots = 4

// maxNarrow is the largest width for which four fingerprints fit in a word.
const maxNarrow = 16

// A Shape describes a table. The caller must check its fields.
type Shape struct {
	Buckets uint64
	Bits    int   // f, the fingerprint width: 4 to 32
	Sorted  bool  // whether buckets are sorted, which saves a bit per slot
	Tail    uint8 // the number of low fingerprint bits that do not select the other bucket
}

// Saved returns the number of bits by which a slot is narrower than a
// fingerprint.
func Saved(sorted bool) int {
	if sorted {
		return 1
	}
	return 0
}

// BucketBits returns the bucket size in bits.
func (s Shape) BucketBits() uint64 { return Slots * uint64(s.Bits-Saved(s.Sorted)) }

// Bytes returns the table size: the words that contain the buckets, and another
// word.
func (s Shape) Bytes() uint64 {
	n := s.Buckets * s.BucketBits()
	return 8 * (n/64 + (n%64+63)/64 + 1)
}
