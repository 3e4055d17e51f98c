package cuckoo

import (
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
)

// A Scalable is a cuckoo filter for an unknown number of keys: it grows, and it
// can delete. Make one with [NewScalable].
//
// Its table is cut into pages of up to 4,096 slots. A key belongs to one page,
// in which it is kept as in a [Filter]. A page that is full splits in two, as
// in extendible hashing (Fagin, Nievergelt, Pippenger and Strong, TODS 1979),
// while the others stay: so the filter grows in small steps. A split takes one
// bit of the fingerprints to tell the halves apart, so fingerprints shrink; the
// keys that are added later get longer ones (Dayan, Bercea, Reviriego and Pagh,
// "InfiniFilter", SIGMOD 2023). So the false-positive rate stays below FPRate
// of the [ScalableConfig] however many keys are added.
//
// Delete removes the fingerprint that agrees with the key in most bits. If that
// is another key's, the shorter one that is left agrees with that key too. So
// no key is lost if only keys are deleted that were added.
//
// A Scalable must not be copied by value; use [Scalable.Clone]. Reads may run
// at the same time; a method that changes a Scalable must run alone.
//
// Two Scalables cannot be merged, because each knows different bits of its
// keys.
type Scalable struct {
	config ScalableConfig
	pages  pages.Set
}

// hash returns the hasher of keys. A key takes about two bytes.
func (s *Scalable) hash() hashfam.Hasher { return s.config.Family.Hasher(2 * s.pages.Len()) }

// Add records one copy of key. On average it takes O(1) time and a few cache
// misses; Add does not keep key. If the page of the key is full, it splits,
// which takes time and memory in proportion to a page: about 100 microseconds.
// If the filter has grown to twice as many pages since the last time, the split
// may also double a directory, which has a few pointers for each page: 0.3
// milliseconds at 35,000 pages. Otherwise Add does not allocate.
//
// Adding the ninth copy of a key returns [ErrCopies], which matches [ErrFull].
// If copies mean nothing, use [Scalable.ContainsOrAdd]. Add returns ErrFull in
// two cases, otherwise it makes room. Copies of other keys fill both buckets of
// the key in a page that is less than an eighth full: this is common only if
// keys have more than four copies each. Or a thousand keys agree in more bits
// than splitting pages takes to part them, which does not happen unless someone
// chose them so, knowing the family. With MemoryBytes there is a third case:
// the page of the key is full, and to split it would take more. After an error
// the filter contains the same keys as before, but pages may have split and
// fingerprints may have moved, so that adding the key again may succeed.
func (s *Scalable) Add(key []byte) error { return s.AddDigest(s.hash().Sum(key)) }

// AddString is [Scalable.Add] for a string.
func (s *Scalable) AddString(key string) error { return s.AddDigest(s.hash().SumString(key)) }

// AddDigest is [Scalable.Add] for a digest under the filter's family.
func (s *Scalable) AddDigest(d hashfam.Digest) error { return s.pages.Add(d) }

// Contains reports whether key may be in the filter. False is certain; true is
// wrong with a probability of at most FPRate. O(1) time, the cache misses of
// [Filter.Contains] and, in a very large filter, some more to find the page; no
// allocation. After the number of keys has doubled many times, as often as
// fingerprints have bits to give away, a lookup reads a second page.
func (s *Scalable) Contains(key []byte) bool { return s.ContainsDigest(s.hash().Sum(key)) }

// ContainsString is [Scalable.Contains] for a string.
func (s *Scalable) ContainsString(key string) bool {
	return s.ContainsDigest(s.hash().SumString(key))
}

// ContainsDigest is [Scalable.Contains] for a digest under the filter's family.
func (s *Scalable) ContainsDigest(d hashfam.Digest) bool { return s.pages.Has(d) }

// ContainsOrAdd reports whether key may have been in the filter, and adds it if
// not. It hashes key once. O(1) time on average, and Add's errors. If it
// returns true, it has added nothing: do not call [Scalable.Delete] for that
// key then.
func (s *Scalable) ContainsOrAdd(key []byte) (bool, error) {
	return s.ContainsOrAddDigest(s.hash().Sum(key))
}

// ContainsOrAddString is [Scalable.ContainsOrAdd] for a string.
func (s *Scalable) ContainsOrAddString(key string) (bool, error) {
	return s.ContainsOrAddDigest(s.hash().SumString(key))
}

// ContainsOrAddDigest is [Scalable.ContainsOrAdd] for a digest of its family.
func (s *Scalable) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	return s.pages.HasOrAdd(d)
}

// Delete removes one copy of key and reports whether there was one to remove;
// if not, nothing has changed. O(1) time, at most the cache misses of
// [Scalable.Contains], no allocation. Memory is not given back, but is used
// again by keys added later.
//
// Delete only what was added, see [Filter.Delete].
func (s *Scalable) Delete(key []byte) bool { return s.DeleteDigest(s.hash().Sum(key)) }

// DeleteString is [Scalable.Delete] for a string.
func (s *Scalable) DeleteString(key string) bool {
	return s.DeleteDigest(s.hash().SumString(key))
}

// DeleteDigest is [Scalable.Delete] for a digest under the filter's family.
func (s *Scalable) DeleteDigest(d hashfam.Digest) bool { return s.pages.Remove(d) }

// Count returns how many copies of key the filter may hold: at least as many as
// were added and not deleted, and more if other keys collide with it. O(1)
// time, the cache misses of [Scalable.Contains], no allocation.
func (s *Scalable) Count(key []byte) uint64 { return s.CountDigest(s.hash().Sum(key)) }

// CountString is [Scalable.Count] for a string.
func (s *Scalable) CountString(key string) uint64 {
	return s.CountDigest(s.hash().SumString(key))
}

// CountDigest is [Scalable.Count] for a digest under the filter's family.
func (s *Scalable) CountDigest(d hashfam.Digest) uint64 { return s.pages.Count(d) }

// AddAll adds keys, hashed by the filter's family, in order, like
// [Scalable.AddDigest] on each, and stops at the first error. It returns the
// number of keys added, always the first of digests, and Add's error. O(1) time
// per key on average; it allocates like Add.
func (s *Scalable) AddAll(digests []hashfam.Digest) (added int, err error) {
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			if err := s.AddDigest(d); err != nil {
				return added, err
			}
			added++
		}
	}
	return added, nil
}

// ContainsAll appends the answer of [Scalable.ContainsDigest] for each digest
// to dst and returns the extended slice. If the filter is larger than the cache
// it takes less time than single calls. O(1) time per key; it allocates only if
// dst has to grow.
func (s *Scalable) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			dst = append(dst, s.ContainsDigest(d))
		}
	}
	return dst
}

// DeleteAll removes one copy of each key, like [Scalable.DeleteDigest] on each
// in turn, and returns the number of copies removed. Delete only what was
// added. O(1) time per key, no allocation.
func (s *Scalable) DeleteAll(digests []hashfam.Digest) (removed int) {
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			if s.DeleteDigest(d) {
				removed++
			}
		}
	}
	return removed
}

// CountAll appends the answer of [Scalable.CountDigest] for each digest to dst
// and returns the extended slice. O(1) time per key; it allocates only if dst
// has to grow.
func (s *Scalable) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for part := range slices.Chunk(digests, window) {
		s.touch(part)
		for _, d := range part {
			dst = append(dst, s.CountDigest(d))
		}
	}
	return dst
}

// touch takes the buckets of a window of keys to the cache. Fewer keys are not
// worth it.
func (s *Scalable) touch(digests []hashfam.Digest) {
	if len(digests) >= few {
		s.pages.Touch(digests)
	}
}

// Config returns the configuration of s. O(1) time.
func (s *Scalable) Config() ScalableConfig { return s.config }

// Family returns the family that hashes the keys of s. O(1) time.
func (s *Scalable) Family() hashfam.Family { return s.config.Family }

// Len returns the number of keys in s, counting copies: those added and not
// deleted. It is exact. O(1) time.
func (s *Scalable) Len() uint64 { return s.pages.Len() }

// Pages returns the number of pages. O(n/4096) time for n keys.
func (s *Scalable) Pages() int { return s.pages.Pages() }

// SizeBytes returns the memory of the pages and directories in bytes. The
// allocator may round each page up, by 19 % at most. O(1) time.
func (s *Scalable) SizeBytes() uint64 { return s.pages.SizeBytes() }

// FillRatio returns the share of slots that are taken, 0 to 1. O(n/4096) time
// for n keys.
func (s *Scalable) FillRatio() float64 { return s.pages.FillRatio() }

// FalsePositiveRate returns the probability that a key that is not in s is
// found, in its current state. It is exact over the families. Copies of a key
// count as keys of their own. If ContainsOrAdd added the keys, the rate is
// higher: -ln(1-r) where FalsePositiveRate returns r, 0.041 for 0.04 and 1%
// more for 0.02. O(1) time.
func (s *Scalable) FalsePositiveRate() float64 { return s.pages.FalsePositiveRate() }

// Reset removes every key and gives back the memory of pages that have split.
// O(Expected) time and memory.
func (s *Scalable) Reset() {
	s.pages.Made()
	s.pages.Reset()
}

// Clone returns a copy that shares no memory with s that changes. O(m) time.
func (s *Scalable) Clone() *Scalable { return &Scalable{s.config, *s.pages.Clone()} }

// Equal reports whether s and other have the same ScalableConfig and hold the
// same fingerprints in the same places. Filters built from the same keys in
// another order need not be equal. O(m) time.
func (s *Scalable) Equal(other *Scalable) bool {
	return s.config == other.config && s.pages.Equal(&other.pages)
}
