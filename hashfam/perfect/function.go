package perfect

import (
	"bytes"
	"fmt"
	"slices"

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
// key. O(n) time: a second for 5 to 10 million keys, and several times as long
// if c.Compact is set. It needs about 9.5 bytes of memory per key, most of them
// for the digests.
//
// It returns [ErrParams], naming keys[i], if a key equals another one or has
// its digest. The remedies are to remove the copies, and to use another family;
// two different keys have one digest with a chance of n^2/2^65. It also returns
// ErrParams if the digests were chosen so that too many keys share a bucket; a
// keyed family prevents that.
func New(c Config, keys [][]byte) (*Function, error) {
	digests := c.Family.SumAll(make([]hashfam.Digest, 0, len(keys)), keys)
	f, err := NewFromDigests(c, digests)
	if d, found := repeated(digests); err != nil && found {
		return nil, repeatedKey(c.Family, keys, d)
	}
	return f, err
}

// NewFromDigests is [New] for keys already hashed by c.Family. It overwrites
// digests. The error names a digest that occurs twice, but not its place.
func NewFromDigests(c Config, digests []hashfam.Digest) (*Function, error) {
	if err := checkLen(len(digests)); err != nil {
		return nil, err
	}
	sortDigests(digests)
	if d, found := repeated(digests); found {
		return nil, paramError("digests", fmt.Sprintf("%#x twice", uint64(d)), "distinct digests")
	}
	s, payload, err := build(digests, c.Compact)
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

// repeated returns a digest that occurs twice in sorted digests.
func repeated(digests []hashfam.Digest) (d hashfam.Digest, found bool) {
	for i := range len(digests) - 1 {
		if digests[i] == digests[i+1] {
			return digests[i], true
		}
	}
	return 0, false
}

// repeatedKey returns the error about the second key with digest d.
func repeatedKey(fam hashfam.Family, keys [][]byte, d hashfam.Digest) error {
	has := func(key []byte) bool { return fam.Sum(key) == d }
	first := slices.IndexFunc(keys, has)
	second := first + 1 + slices.IndexFunc(keys[first+1:], has)
	field := fmt.Sprintf("keys[%d]", second)
	if bytes.Equal(keys[first], keys[second]) {
		return paramError(field, fmt.Sprintf("a copy of keys[%d]", first), "distinct keys")
	}
	return paramError(field, fmt.Sprintf("a key with the digest of keys[%d]", first),
		"distinct digests: use another Family")
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
