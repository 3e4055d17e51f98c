package bloom

import "github.com/filterfam/filterfam/hashfam"

// A Scalable is a Bloom filter for an unknown number of keys (Almeida, Baquero,
// Preguiça and Hutchison, IPL 101, 2007). It grows: it is a series of filters,
// its stages, and only the newest one takes keys. If that is full, a stage for
// twice as many keys follows.
//
// The stages have lower and lower rates whose sum is at most the FPRate of the
// [ScalableConfig]. So the rate stays below FPRate however many keys are added.
// A key costs 11 bits at 1 % if there are Expected keys, and 13 to 38 bits with
// up to 100 times as many: most right after a stage was added. A lookup of an
// absent key asks every stage, which takes less than half of the time of a
// plain filter for each.
//
// Make one with [NewScalable]. A Scalable must not be copied by value; use
// [Scalable.Clone]. Reads may run at the same time; a method that changes a
// Scalable must run alone. A zero Scalable is only a receiver for decoding: it
// contains every key, and adding to it changes nothing.
//
// Two Scalables cannot be merged. Their newest stages may be half full, so
// together they would be overfull; and to keep the stages of both as they are
// would add up the rates of both. Merge plain filters, or keep both.
type Scalable struct {
	config ScalableConfig
	stages stages
	frozen int    // number of stages that were merged; they come first
	stored uint64 // keys in the newest stage, at most its capacity
	last   bool   // no further stage is possible
}

// Add records key, unless it is found already: then it takes no room. O(s k)
// time for s stages, about half of that for absent keys; Add does not keep key.
//
// Add never fails, and allocates nothing, except if the newest stage is full:
// then it allocates the next one, which takes time in proportion to its size.
// If no further stage is possible, because it would exceed 2^48 bits or what
// the platform can address, or because its share of FPRate is below what 64-bit
// digests allow, the newest stage takes all further keys. Then no key is lost,
// but the rate rises above FPRate; [Scalable.FalsePositiveRate] tells. The
// program ends if the machine does not have enough memory for a stage.
func (s *Scalable) Add(key []byte) { s.ContainsOrAdd(key) }

// AddString is [Scalable.Add] for a string.
func (s *Scalable) AddString(key string) { s.ContainsOrAddString(key) }

// AddUint64 is [Scalable.Add] for an integer: the key is its eight
// little-endian bytes.
func (s *Scalable) AddUint64(key uint64) { s.ContainsOrAddDigest(s.config.Family.SumUint64(key)) }

// AddDigest is [Scalable.Add] for a key already hashed by the filter's family,
// Config().Family. A digest made by another family stands for another key.
func (s *Scalable) AddDigest(d hashfam.Digest) { s.ContainsOrAddDigest(d) }

// Contains reports whether key may have been added. False is certain; true is
// wrong with a probability of at most FPRate. O(s k) time for s stages, no
// allocation. It asks the newest stage first, and three positions of a stage
// before the others.
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
	return s.stages.has(d) || len(s.stages) == 0
}

// ContainsOrAdd reports whether key may have been added before, and adds it if
// not. It is [Scalable.Add] with an answer, at the same cost.
func (s *Scalable) ContainsOrAdd(key []byte) bool {
	return s.ContainsOrAddDigest(s.config.Family.Sum(key))
}

// ContainsOrAddString is [Scalable.ContainsOrAdd] for a string.
func (s *Scalable) ContainsOrAddString(key string) bool {
	return s.ContainsOrAddDigest(s.config.Family.SumString(key))
}

// ContainsOrAddUint64 is [Scalable.ContainsOrAdd] for an integer.
func (s *Scalable) ContainsOrAddUint64(key uint64) bool {
	return s.ContainsOrAddDigest(s.config.Family.SumUint64(key))
}

// ContainsOrAddDigest is [Scalable.ContainsOrAdd] for a key already hashed by
// the filter's family.
func (s *Scalable) ContainsOrAddDigest(d hashfam.Digest) bool {
	if s.ContainsDigest(d) {
		return true
	}
	if s.stored == s.capacity() {
		s.grow()
	}
	s.stages.newest().AddDigest(d)
	s.stored = min(s.stored+1, s.capacity())
	return false
}

// grown returns the number of stages that are not frozen.
func (s *Scalable) grown() int { return len(s.stages) - s.frozen }

// capacity returns the number of keys that the newest stage is for.
func (s *Scalable) capacity() uint64 { return s.config.capacityOf(s.grown() - 1) }

// grow adds a stage, if a further one is possible.
func (s *Scalable) grow() {
	if s.last {
		return
	}
	f, err := New(s.config.stage(s.grown()))
	if err != nil {
		s.last = true
		return
	}
	s.stages = append(s.stages, *f)
	s.stored = 0
}
