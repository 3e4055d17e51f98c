package cuckoo

import (
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

// outcomes are the errors of Add.
var outcomes = [...]error{pages.Full: errFull, pages.Copies: ErrCopies}

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
// keys have more than four copies each. Or thousands of keys agree in more bits
// than splitting pages takes to part them, which does not happen unless someone
// chose them so, knowing the family. With MemoryBytes there is a third case:
// the page of the key is full, and to split it would take more. After an error
// the filter contains the same keys as before, but pages may have split.
func (s *Scalable) Add(key []byte) error { return s.AddDigest(s.hash().Sum(key)) }

// AddString is [Scalable.Add] for a string.
func (s *Scalable) AddString(key string) error { return s.AddDigest(s.hash().SumString(key)) }

// AddDigest is [Scalable.Add] for a digest under the filter's family.
func (s *Scalable) AddDigest(d hashfam.Digest) error { return outcomes[s.pages.Add(d)] }

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
	found, outcome := s.pages.HasOrAdd(d)
	return found, outcomes[outcome]
}

// Delete removes one copy of key and reports whether there was one to remove;
// if not, nothing has changed. O(1) time, at most the cache misses of
// [Scalable.Contains], no allocation. Memory is not given back, but is used
// again by keys added later.
//
// Delete only what was added. A key that was never added is found with the
// filter's false-positive rate. Deleting it then removes the fingerprint of
// another key, which is no longer found.
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
