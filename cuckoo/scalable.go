package cuckoo

import (
	"cmp"
	"fmt"
	"iter"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
)

// A Scalable is a cuckoo filter that grows, for an unknown number of keys. Use
// [NewScalable] to create one. It must not be copied by value; use
// [Scalable.Clone] instead.
//
// The table consists of pages with up to 4,096 slots. A key belongs to one
// page, which stores it like a [Filter]. When a page is full, it splits in two,
// while the other pages do not change, so the filter grows in small steps
// (extendible hashing; Fagin, Nievergelt, Pippenger and Strong, TODS 1979). To
// select a half, a split uses up one bit of each fingerprint in the page, so
// these fingerprints become shorter. To compensate for this, keys that are
// added later get longer fingerprints (Dayan, Bercea, Reviriego and Pagh,
// "InfiniFilter", SIGMOD 2023), so the false-positive rate stays below
// [ScalableConfig].FPRate for any number of keys.
//
// If only keys that were added are deleted, no key is lost, although
// fingerprints have different lengths: Delete removes the longest fingerprint
// that matches the key. If this fingerprint belongs to another key, then the
// deleted key's own fingerprint remains. This consists of the first bits of the
// removed fingerprint, so the other key is still found.
//
// Scalables cannot be merged, because each stores different bits of its keys.
type Scalable struct {
	config ScalableConfig
	pages  pages.Set
}

// NewScalable returns an empty filter for c, in O(Expected) time. It returns
// [hashfam.ErrParams], naming the field, if c is invalid. If there is not
// enough memory, the program crashes, so check [ScalableConfig.InitialBytes]
// first if c comes from an untrusted source.
func NewScalable(c ScalableConfig) (*Scalable, error) {
	_, err := c.InitialBytes()
	if err = cmp.Or(err, c.fits()); err != nil {
		return nil, err
	}
	return &Scalable{c, *pages.New(c.shape(), partnersKey(c.Family))}, nil
}

// NewScalableReceiver is like [NewReceiver] for a Scalable.
func NewScalableReceiver(fam hashfam.Family) *Scalable {
	return &Scalable{config: ScalableConfig{Family: fam}}
}

// hash returns the hasher for keys. The filter uses about two bytes per key.
func (s *Scalable) hash() hashfam.Hasher { return s.config.Family.Hasher(2 * s.pages.Len()) }

// Add adds one copy of key. It runs in constant time on average, with a few
// cache misses. If the key's page is full, Add splits it, which moves all
// fingerprints of the page and allocates two pages. After the number of pages
// has doubled, a split may also double a directory, which has a few pointers
// per page.
//
// For a ninth copy of key, Add returns [ErrCopies], which matches [ErrFull]. If
// you do not need copies, use [Scalable.ContainsOrAdd]. Add returns ErrFull
// only in the following cases:
//
//   - Copies of other keys fill both of the key's buckets, even after splits
//     have made the page less than an eighth full. This is common only if keys
//     have more than four copies each.
//   - More keys than fit in a page agree in all bits that splits can use. This
//     will not happen unless someone who knows the family chose these keys.
//   - The key's page is full, and MemoryBytes does not allow a split.
//
// After an error, the filter is unchanged, because Add undoes all splits. Such
// a call may have needed the time of several splits.
func (s *Scalable) Add(key []byte) error { return s.AddDigest(s.hash().Sum(key)) }

// AddString is like [Scalable.Add] for a string key.
func (s *Scalable) AddString(key string) error { return s.AddDigest(s.hash().SumString(key)) }

// AddDigest is like [Scalable.Add] for a key's digest; see [Filter.AddDigest].
func (s *Scalable) AddDigest(d hashfam.Digest) error { return s.pages.Add(d) }

// Contains is like [Filter.Contains]. In a very large filter, it causes a few
// more cache misses to find the page. After the number of keys has doubled
// often, for example seven times at a rate of 1%, some fingerprints have no
// bits left for another split. These fingerprints are moved to older pages.
// From then on, if Contains does not find a key in the key's newest page, it
// also reads one or more older pages.
func (s *Scalable) Contains(key []byte) bool { return s.ContainsDigest(s.hash().Sum(key)) }

// ContainsString is like [Scalable.Contains] for a string key.
func (s *Scalable) ContainsString(key string) bool {
	return s.ContainsDigest(s.hash().SumString(key))
}

// ContainsDigest is like [Scalable.Contains] for a key's digest.
func (s *Scalable) ContainsDigest(d hashfam.Digest) bool { return s.pages.Has(d) }

// ContainsOrAdd is like [Filter.ContainsOrAdd]. It returns the same errors as
// [Scalable.Add].
func (s *Scalable) ContainsOrAdd(key []byte) (bool, error) {
	return s.ContainsOrAddDigest(s.hash().Sum(key))
}

// ContainsOrAddString is like [Scalable.ContainsOrAdd] for a string key.
func (s *Scalable) ContainsOrAddString(key string) (bool, error) {
	return s.ContainsOrAddDigest(s.hash().SumString(key))
}

// ContainsOrAddDigest is like [Scalable.ContainsOrAdd] for a key's digest.
func (s *Scalable) ContainsOrAddDigest(d hashfam.Digest) (bool, error) { return s.pages.HasOrAdd(d) }

// Delete is like [Filter.Delete]: it must only be called for keys that were
// added. Pages are not freed, but their slots will be used again.
func (s *Scalable) Delete(key []byte) bool { return s.DeleteDigest(s.hash().Sum(key)) }

// DeleteString is like [Scalable.Delete] for a string key.
func (s *Scalable) DeleteString(key string) bool { return s.DeleteDigest(s.hash().SumString(key)) }

// DeleteDigest is like [Scalable.Delete] for a key's digest.
func (s *Scalable) DeleteDigest(d hashfam.Digest) bool { return s.pages.Remove(d) }

// Count is like [Filter.Count].
func (s *Scalable) Count(key []byte) uint64 { return s.CountDigest(s.hash().Sum(key)) }

// CountString is like [Scalable.Count] for a string key.
func (s *Scalable) CountString(key string) uint64 { return s.CountDigest(s.hash().SumString(key)) }

// CountDigest is like [Scalable.Count] for a key's digest.
func (s *Scalable) CountDigest(d hashfam.Digest) uint64 { return s.pages.Count(d) }

// AddAll is like [Filter.AddAll].
func (s *Scalable) AddAll(digests []hashfam.Digest) (added int, err error) {
	for d := range s.reach(digests) {
		if err := s.AddDigest(d); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. It is faster than single calls if the filter is
// larger than the cache.
func (s *Scalable) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for d := range s.reach(digests) {
		dst = append(dst, s.ContainsDigest(d))
	}
	return dst
}

// DeleteAll is like [Filter.DeleteAll].
func (s *Scalable) DeleteAll(digests []hashfam.Digest) (removed int) {
	for d := range s.reach(digests) {
		if s.DeleteDigest(d) {
			removed++
		}
	}
	return removed
}

// CountAll appends the result of CountDigest for each digest to dst and returns
// the extended slice.
func (s *Scalable) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for d := range s.reach(digests) {
		dst = append(dst, s.CountDigest(d))
	}
	return dst
}

// reach yields all digests. Unless there are few, it first brings the buckets
// of each window into the cache.
func (s *Scalable) reach(digests []hashfam.Digest) iter.Seq[hashfam.Digest] {
	return func(yield func(hashfam.Digest) bool) {
		for part := range slices.Chunk(digests, window) {
			if len(part) >= few {
				s.pages.Touch(part)
			}
			for _, d := range part {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Config returns the filter's configuration.
func (s *Scalable) Config() ScalableConfig { return s.config }

// Family returns the family that hashes the keys.
func (s *Scalable) Family() hashfam.Family { return s.config.Family }

// Len returns the exact number of keys that were added and not deleted,
// counting copies.
func (s *Scalable) Len() uint64 { return s.pages.Len() }

// SizeBytes returns the size of the pages and directories in bytes. The
// allocator may use up to 19% more.
func (s *Scalable) SizeBytes() uint64 { return s.pages.SizeBytes() }

// FillRatio returns the fraction of slots that are used, 0 to 1. It runs in
// O(p) time for p pages.
func (s *Scalable) FillRatio() float64 { return s.pages.FillRatio() }

// FalsePositiveRate returns the current false-positive rate, as the mean over
// all families. See [Filter.FalsePositiveRate] for the effect of copies and of
// ContainsOrAdd.
func (s *Scalable) FalsePositiveRate() float64 { return s.pages.FalsePositiveRate() }

// Reset removes all keys and pages, and allocates new pages, as [NewScalable]
// does.
func (s *Scalable) Reset() { s.pages.Made().Reset() }

// Clone returns a deep copy of s.
func (s *Scalable) Clone() *Scalable { return &Scalable{s.config, *s.pages.Clone()} }

// Equal reports whether s and other have the same ScalableConfig and the same
// fingerprints in the same slots; see [Filter.Equal].
func (s *Scalable) Equal(other *Scalable) bool {
	return other != nil && s.config == other.config && s.pages.Equal(&other.pages)
}

// String describes s in one line.
func (s Scalable) String() string {
	c := s.config
	limit := ""
	if c.MemoryBytes > 0 {
		limit = fmt.Sprintf(", at most %d bytes", c.MemoryBytes)
	}
	return fmt.Sprintf("cuckoo.Scalable(%s%s, %d keys expected, rate %g, family %v)",
		form(c.Compact), limit, c.Expected, c.FPRate, c.Family)
}

// Format prints the result of String for every verb.
func (s Scalable) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns the result of String for package log/slog.
func (s Scalable) LogValue() slog.Value { return slog.StringValue(s.String()) }
