package static

import "github.com/filterfam/filterfam/hashfam"

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. It is faster than single calls, above all when
// the filter is larger than the cache, because the memory for many keys is
// loaded at once.
func (f *Filter) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	return f.ribbon.ContainsAll(dst, digests)
}
