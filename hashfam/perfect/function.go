package perfect

import (
	"bytes"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// A Function is a minimal perfect hash function. Make one with [New]. A
// Function does not change, except by decoding into it.
type Function struct {
	params Params
	mapping
	shape   shape
	payload []byte
}

// New returns a function that maps keys to the indexes 0 to len(keys)-1. It
// depends on the set of keys only and not on their order. It does not keep any
// key. O(n) time: a second for 5 to 10 million keys, and 2.5 times as long if
// c.Compact is set. It needs about 11 bytes of memory per key, 8 of them for
// the digests.
//
// It returns [ErrParams], naming keys[i], if a key equals another one or has
// its digest. The remedies are to remove the copies, and to use another family;
// two different keys have one digest with a chance of n^2/2^65. It also returns
// ErrParams if the digests were chosen so that too many keys share a bucket; a
// keyed family prevents that.
func New(c Config, keys [][]byte) (*Function, error) {
	if err := checkLen(len(keys)); err != nil {
		return nil, err
	}
	digests := sortDigests(c.Family.SumAll(make([]hashfam.Digest, 0, len(keys)), keys))
	if len(digests) < len(keys) {
		return nil, repeatedKey(c.Family, keys)
	}
	return newFromSorted(c, digests)
}

// NewFromDigests is [New] for keys already hashed by c.Family. It overwrites
// digests. The error does not tell which digests are equal.
func NewFromDigests(c Config, digests []hashfam.Digest) (*Function, error) {
	if err := checkLen(len(digests)); err != nil {
		return nil, err
	}
	sorted := sortDigests(digests)
	if copies := len(digests) - len(sorted); copies > 0 {
		return nil, paramError("digests", fmt.Sprintf("%d equal to earlier ones", copies), "distinct digests")
	}
	return newFromSorted(c, sorted)
}

// newFromSorted returns the function of distinct digests, which are sorted.
func newFromSorted(c Config, digests []hashfam.Digest) (*Function, error) {
	s, payload, err := build(digests, c.Compact, maxLevels)
	if err != nil {
		return nil, err
	}
	return newFunction(s, payload, c.Family)
}

// checkLen returns ErrParams if n keys are too many.
func checkLen(n int) error {
	if uint64(n) > maxKeys {
		return paramError("number of keys", n, fmt.Sprintf("at most %d", uint64(maxKeys)))
	}
	return nil
}

// repeatedKey returns the error about the first key that has the digest of an
// earlier one. There is such a key.
func repeatedKey(fam hashfam.Family, keys [][]byte) error {
	seen := make(map[hashfam.Digest]int, len(keys))
	for i, key := range keys {
		first, found := seen[fam.Sum(key)]
		switch field := fmt.Sprintf("keys[%d]", i); {
		case !found:
			seen[fam.Sum(key)] = i
		case bytes.Equal(key, keys[first]):
			return paramError(field, fmt.Sprintf("a copy of keys[%d]", first), "distinct keys")
		default:
			return paramError(field, fmt.Sprintf("a key with the digest of keys[%d]", first),
				"distinct digests: use another Family")
		}
	}
	return nil
}

// NewReceiver returns a function to decode into. It accepts encodings made
// under fam, as a zero Function accepts those made under the public family.
// Until then it has no keys. O(1) time.
func NewReceiver(fam hashfam.Family) *Function { return &Function{params: Params{Family: fam}} }

// newFunction returns the function of shape s, which is valid, and keeps its
// payload. It returns ErrCorrupt if the payload is damaged.
func newFunction(s shape, payload []byte, fam hashfam.Family) (*Function, error) {
	m, err := s.over(payload)
	if err != nil {
		return nil, err
	}
	return &Function{params: s.params(fam), mapping: m, shape: s, payload: payload}, nil
}

// Equal reports whether f and g are the same function: of the same family, with
// the same indexes. O(n) time, no allocation.
func (f *Function) Equal(g *Function) bool {
	return f != nil && g != nil && f.params == g.params && f.shape.equal(&g.shape) && bytes.Equal(f.payload, g.payload)
}
