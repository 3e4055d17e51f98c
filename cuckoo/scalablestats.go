package cuckoo

import "github.com/filterfam/filterfam/hashfam"

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
// count as keys of their own. O(1) time.
func (s *Scalable) FalsePositiveRate() float64 { return s.pages.FalsePositiveRate() }

// Reset removes every key and gives back the memory of pages that have split.
// O(Expected) time and memory.
func (s *Scalable) Reset() { s.pages.Reset() }

// Clone returns a copy that shares no memory with s that changes. O(m) time.
func (s *Scalable) Clone() *Scalable { return &Scalable{s.config, *s.pages.Clone()} }

// Equal reports whether s and other have the same ScalableConfig and hold the
// same fingerprints in the same places. Filters built from the same keys in
// another order need not be equal. O(m) time.
func (s *Scalable) Equal(other *Scalable) bool {
	return s.config == other.config && s.pages.Equal(&other.pages)
}
