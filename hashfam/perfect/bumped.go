package perfect

import "github.com/filterfam/filterfam/hashfam"

// A keyList contains keys that wait for a later level: their digests for that
// level and, if keys have values, their values.
type keyList struct {
	digests []hashfam.Digest
	values  []uint64 // nil if the keys have no values
}

// newKeyList returns an empty list with room for n keys.
func newKeyList(n uint64, values bool) keyList {
	k := keyList{digests: make([]hashfam.Digest, 0, n)}
	if values {
		k.values = make([]uint64, 0, n)
	}
	return k
}

func (k *keyList) append(d hashfam.Digest, value uint64) {
	k.digests = append(k.digests, d)
	if k.values != nil {
		k.values = append(k.values, value)
	}
}

// all yields each digest with its value, or with 0 if the keys have no values.
func (k *keyList) all(yield func(hashfam.Digest, uint64) bool) {
	for i, d := range k.digests {
		value := uint64(0)
		if k.values != nil {
			value = k.values[i]
		}
		if !yield(d, value) {
			return
		}
	}
}
