package cuckoo

import "github.com/filterfam/filterfam/hashfam"

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
// at the same time; a method that changes a Scalable must run alone. A zero
// Scalable is only a receiver for decoding: it contains every key, Add returns
// [ErrFull], and there is nothing to delete.
//
// Two Scalables cannot be merged, because each knows different bits of its
// keys.
type Scalable struct {
	config ScalableConfig
	geometry
	plots []plot
	count uint64
	known [maxDepth + maxTail + 1]uint64 // number of keys by known bits of their pages and tails
}

// A locus is where a key belongs in its plot: the bits that choose a page and
// become the tail, two buckets, and the partner, which chose the second one. It
// has no more fields than fit in registers.
type locus struct {
	bits    uint64
	i, j    uint64
	partner uint64
}

// locate returns the plot and the locus of a digest.
func (s *Scalable) locate(d hashfam.Digest) (*plot, locus) {
	p := d.Probe()
	n, tail := split(uint64(p), uint64(len(s.plots)))
	i, rest := split(uint64(p.Next()), s.buckets)
	partner := hashfam.Reduce(rest, partners) + 1
	return &s.plots[n], locus{tail, i, i ^ s.moves[partner&partners], partner}
}

// Add records one copy of key. On average it takes O(1) time and a few cache
// misses; Add does not keep key. If the page of the key is full, it splits,
// which takes time and memory in proportion to a page: about 100 microseconds.
// If the filter has grown to twice as many pages since the last time, the split
// may also double a directory, which has a few pointers for each page: 0.3
// milliseconds at 35,000 pages. Otherwise Add does not allocate.
//
// Adding the ninth copy of a key returns [ErrCopies], which matches [ErrFull].
// If copies mean nothing, use [Scalable.ContainsOrAdd]. Add returns ErrFull in
// two cases, otherwise it makes room. Copies of other keys fill both buckets
// of the key in a page that is less than an eighth full: this is common only if
// keys have more than four copies each. Or thousands of keys agree in more
// bits than splitting pages takes to part them, which does not happen unless
// someone chose them so, knowing the family. After an error the filter contains
// the same keys as before, but pages may have split.
func (s *Scalable) Add(key []byte) error { return s.AddDigest(s.family().Sum(key)) }

// AddString is [Scalable.Add] for a string.
func (s *Scalable) AddString(key string) error { return s.AddDigest(s.family().SumString(key)) }

// AddUint64 is [Scalable.Add] for an integer: the key is its eight
// little-endian bytes.
func (s *Scalable) AddUint64(key uint64) error { return s.AddDigest(s.family().SumUint64(key)) }

// AddDigest is [Scalable.Add] for a key already hashed by the filter's family,
// Config().Family. A digest made by another family stands for another key.
func (s *Scalable) AddDigest(d hashfam.Digest) error {
	if s == nil {
		return errs.Nil()
	}
	if len(s.plots) == 0 {
		return errFull
	}
	return s.insert(s.locate(d))
}

// insert records one copy of a key, unless there are eight: a page that splits
// cannot part copies.
func (s *Scalable) insert(pl *plot, k locus) error {
	if len(pl.older) > 0 && pl.copies(k) >= 2*slots {
		return ErrCopies
	}
	p := pl.page(k.bits)
	known := p.depth + p.tail
	if !s.put(p, k, p.fingerprint(k, known)) {
		if pl.copies(k) >= 2*slots {
			return ErrCopies
		}
		var ok bool
		if known, ok = s.place(pl, 0, k, 0); !ok {
			return errFull
		}
	}
	s.known[known]++
	s.count++
	return nil
}

// Contains reports whether key may be in the filter. False is certain; true is
// wrong with a probability of at most FPRate. O(1) time, the cache misses of
// [Filter.Contains] and, in a very large filter, some more to find the page; no
// allocation. After the number of keys has doubled many times, as often as
// fingerprints have bits to give away, a lookup reads a second page.
func (s *Scalable) Contains(key []byte) bool { return s.ContainsDigest(s.config.Family.Sum(key)) }

// ContainsString is [Scalable.Contains] for a string.
func (s *Scalable) ContainsString(key string) bool {
	return s.ContainsDigest(s.config.Family.SumString(key))
}

// ContainsUint64 is [Scalable.Contains] for an integer.
func (s *Scalable) ContainsUint64(key uint64) bool {
	return s.ContainsDigest(s.config.Family.SumUint64(key))
}

// ContainsDigest is [Scalable.Contains] for a key already hashed by the
// filter's family.
func (s *Scalable) ContainsDigest(d hashfam.Digest) bool {
	if len(s.plots) == 0 {
		return true
	}
	pl, k := s.locate(d)
	return pl.has(k)
}

// ContainsOrAdd reports whether key may have been in the filter, and adds it if
// not. It hashes key once. O(1) time on average, and Add's errors. If it
// returns true, it has added nothing: do not call [Scalable.Delete] for that
// key then.
func (s *Scalable) ContainsOrAdd(key []byte) (bool, error) {
	return s.ContainsOrAddDigest(s.family().Sum(key))
}

// ContainsOrAddString is [Scalable.ContainsOrAdd] for a string.
func (s *Scalable) ContainsOrAddString(key string) (bool, error) {
	return s.ContainsOrAddDigest(s.family().SumString(key))
}

// ContainsOrAddUint64 is [Scalable.ContainsOrAdd] for an integer.
func (s *Scalable) ContainsOrAddUint64(key uint64) (bool, error) {
	return s.ContainsOrAddDigest(s.family().SumUint64(key))
}

// ContainsOrAddDigest is [Scalable.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (s *Scalable) ContainsOrAddDigest(d hashfam.Digest) (bool, error) {
	if s == nil {
		return false, errs.Nil()
	}
	if len(s.plots) == 0 {
		return true, nil
	}
	pl, k := s.locate(d)
	if pl.has(k) {
		return true, nil
	}
	return false, s.insert(pl, k)
}

// Delete removes one copy of key and reports whether there was one to remove;
// if not, nothing has changed. O(1) time, at most the cache misses of
// [Scalable.Contains], no allocation. Memory is not given back, but is used
// again by keys added later.
//
// Delete only what was added. A key that was never added is found with the
// filter's false-positive rate. Deleting it then removes the fingerprint of
// another key, which is no longer found.
func (s *Scalable) Delete(key []byte) bool { return s.DeleteDigest(s.config.Family.Sum(key)) }

// DeleteString is [Scalable.Delete] for a string.
func (s *Scalable) DeleteString(key string) bool {
	return s.DeleteDigest(s.config.Family.SumString(key))
}

// DeleteUint64 is [Scalable.Delete] for an integer.
func (s *Scalable) DeleteUint64(key uint64) bool {
	return s.DeleteDigest(s.config.Family.SumUint64(key))
}

// DeleteDigest is [Scalable.Delete] for a key already hashed by the filter's
// family.
func (s *Scalable) DeleteDigest(d hashfam.Digest) bool {
	if len(s.plots) == 0 {
		return false
	}
	pl, k := s.locate(d)
	known, ok := pl.remove(k)
	if ok {
		s.known[known]--
		s.count--
	}
	return ok
}

// Count returns how many copies of key the filter may hold: at least as many
// as were added and not deleted, and more if other keys collide with it. O(1)
// time, the cache misses of [Scalable.Contains], no allocation.
func (s *Scalable) Count(key []byte) uint64 { return s.CountDigest(s.config.Family.Sum(key)) }

// CountString is [Scalable.Count] for a string.
func (s *Scalable) CountString(key string) uint64 {
	return s.CountDigest(s.config.Family.SumString(key))
}

// CountUint64 is [Scalable.Count] for an integer.
func (s *Scalable) CountUint64(key uint64) uint64 {
	return s.CountDigest(s.config.Family.SumUint64(key))
}

// CountDigest is [Scalable.Count] for a key already hashed by the filter's
// family.
func (s *Scalable) CountDigest(d hashfam.Digest) uint64 {
	if len(s.plots) == 0 {
		return 2 * slots
	}
	pl, k := s.locate(d)
	return uint64(pl.copies(k))
}

// family returns the family of s, also if s is nil.
func (s *Scalable) family() hashfam.Family {
	if s == nil {
		return hashfam.Family{}
	}
	return s.config.Family
}
