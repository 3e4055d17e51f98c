package hashfam

// The headers of strings and byte slices both start with an address and a
// length.
type bytesOrString interface{ []byte | string }

// SumAll appends the digest of each key to dst and returns the extended slice.
// It allocates only if dst is too small.
//
// Hashing many keys in a row is faster than hashing each key when it is needed,
// because the CPU can overlap the computations of successive keys. On amd64,
// batches of eight or more keys use vector instructions, which hash up to 16
// keys at a time with AVX-512, or 8 with AVX2. Similar lengths are best, since
// keys that are much longer than their neighbors are hashed individually.
//
// To turn off vector instructions, start the program with
// GODEBUG=cpu.avx512f=off (which leaves AVX2), cpu.avx2=off or cpu.all=off, or
// build it with the tag purego.
func (f Family) SumAll(dst []Digest, keys [][]byte) []Digest {
	dst, keys = sumGroups(f, dst, keys)
	for _, key := range keys {
		dst = append(dst, f.Sum(key))
	}
	return dst
}

// SumAllStrings is like [Family.SumAll] for string keys, which it does not
// copy.
func (f Family) SumAllStrings(dst []Digest, keys []string) []Digest {
	dst, keys = sumGroups(f, dst, keys)
	for _, key := range keys {
		dst = append(dst, f.SumString(key))
	}
	return dst
}

// SumAllUint64 is like [Family.SumAll] for numbers, and returns the same
// digests as [Family.SumUint64]. It is faster than SumAll, and uses vector
// instructions for batches of five or more numbers.
func (f Family) SumAllUint64(dst []Digest, keys []uint64) []Digest {
	dst, keys = f.sumUint64Groups(dst, keys)
	for _, key := range keys {
		dst = append(dst, f.SumUint64(key))
	}
	return dst
}
