//go:build !amd64 || purego

package hashfam

// sumGroups hashes no keys in groups, and returns all keys.
func (f Family) sumGroups(dst []Digest, keys [][]byte) ([]Digest, [][]byte) { return dst, keys }

// sumStringGroups is like sumGroups for strings.
func (f Family) sumStringGroups(dst []Digest, keys []string) ([]Digest, []string) { return dst, keys }

// sumUint64Groups is like sumGroups for numbers.
func (f Family) sumUint64Groups(dst []Digest, keys []uint64) ([]Digest, []uint64) { return dst, keys }
