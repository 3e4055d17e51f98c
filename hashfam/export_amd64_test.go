//go:build !purego

package hashfam

// SetGroups turns hashing in groups on or off and returns how it was.
func SetGroups(on bool) (was bool) {
	was, useAVX2 = useAVX2, on
	return was
}

// HasAVX2 is what was found out about the processor.
var HasAVX2 = hasAVX2

// SumGroup appends the digests of eight keys if they are hashed as a group.
func (f Family) SumGroup(dst []Digest, keys [][]byte) []Digest {
	state := f.state()
	var digests [lanes]Digest
	if sumGroup(&digests, (*[lanes][]byte)(keys), &state) {
		dst = append(dst, digests[:]...)
	}
	return dst
}
