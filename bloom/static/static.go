package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A Filter is a static filter. Use [New], [NewExact], [NewFromSorted] or
// [NewView] to create one. Only decoding changes a Filter.
type Filter struct {
	hash   hashfam.Hasher
	ribbon ribbon.Ribbon
	others uint64      // the number of keys in the list that is not in the first ribbon
	view   *frame.View // the frame that NewView uses in place, or nil
}

// Contains reports whether key may be one of the keys that the filter was built
// from. If it returns false, key is not one of them; true may be a false
// positive, but never for a key that [NewExact] knew to be absent.
//
// Contains reads a threshold and two adjacent segments of memory, which have up
// to 56 bytes each at a rate of 1%. For the 2% of the keys that are not in the
// first layer, it reads a further layer, too. In a filter with absent keys,
// each key that passes the layers also needs a few words of another array.
func (f *Filter) Contains(key []byte) bool { return f.ContainsDigest(f.hash.Sum(key)) }

// ContainsString is like Contains for a string key.
func (f *Filter) ContainsString(key string) bool { return f.ContainsDigest(f.hash.SumString(key)) }

// ContainsDigest is like Contains for a digest computed by the filter's family.
func (f *Filter) ContainsDigest(d hashfam.Digest) bool { return f.ribbon.Contains(d) }
