package main

import (
	"encoding/json"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/filterfam/filterfam/hashfam"
	holimanbloom "github.com/holiman/bloomfilter/v2"
	"github.com/ipfs/bbloom"
	boom "github.com/tylertreat/BoomFilters"
)

// peerBloom adapts the Bloom filter of github.com/bits-and-blooms/bloom.
type peerBloom struct{ *bloom.BloomFilter }

func newPeerBloom(n uint64, rate float64, _ hashfam.Family) (filter, error) {
	return peerBloom{bloom.NewWithEstimates(uint(n), rate)}, nil
}

func (f peerBloom) Add(key []byte) error {
	f.BloomFilter.Add(key)
	return nil
}

func (f peerBloom) Contains(key []byte) bool { return f.Test(key) }

// SizeBytes counts the 64-bit words that hold its bits.
func (f peerBloom) SizeBytes() uint64 { return (uint64(f.Cap()) + 63) / 64 * 8 }

// holiman adapts github.com/holiman/bloomfilter, which leaves hashing to its
// user: the keys are hashed as ours are. Its own keys, which it mixes into the
// hash, are drawn from the family rather than by chance, so that two runs of
// this program agree.
type holiman struct {
	*holimanbloom.Filter
	family hashfam.Family
}

func newHoliman(n uint64, rate float64, family hashfam.Family) (filter, error) {
	m := holimanbloom.OptimalM(n, rate)
	keys := make([]uint64, holimanbloom.OptimalK(m, n))
	for i := range keys {
		keys[i] = uint64(family.SumUint64(uint64(i)))
	}
	f, err := holimanbloom.NewWithKeys(m, keys)
	if err != nil {
		return nil, err
	}
	return holiman{f, family}, nil
}

func (f holiman) Add(key []byte) error {
	f.AddHash(uint64(f.family.Sum(key)))
	return nil
}

func (f holiman) Contains(key []byte) bool { return f.ContainsHash(uint64(f.family.Sum(key))) }

// SizeBytes counts the 64-bit words that hold its bits.
func (f holiman) SizeBytes() uint64 { return (f.M() + 63) / 64 * 8 }

// bbloomFilter adapts github.com/ipfs/bbloom, which uses SipHash too.
type bbloomFilter struct{ *bbloom.Bloom }

func newBbloom(n uint64, rate float64, family hashfam.Family) (filter, error) {
	f, err := bbloom.NewWithKeys(uint64(family.SumString("bbloom 0")), uint64(family.SumString("bbloom 1")), float64(n), rate)
	if err != nil {
		return nil, err
	}
	return bbloomFilter{f}, nil
}

func (f bbloomFilter) Add(key []byte) error {
	f.Bloom.Add(key)
	return nil
}

func (f bbloomFilter) Contains(key []byte) bool { return f.Has(key) }

// SizeBytes is the length of the bits in its own export: it does not report how
// many it has.
func (f bbloomFilter) SizeBytes() uint64 {
	var export struct{ FilterSet []byte }
	if err := json.Unmarshal(f.JSONMarshal(), &export); err != nil {
		panic(err) // of a peer: reported, as every panic of one
	}
	return uint64(len(export.FilterSet))
}

// ristretto adapts the Bloom filter of github.com/dgraph-io/ristretto, which
// leaves hashing to its user: the keys are hashed as ours are.
type ristretto struct {
	*z.Bloom
	family hashfam.Family
}

func newRistretto(n uint64, rate float64, family hashfam.Family) (filter, error) {
	return ristretto{z.NewBloomFilter(float64(n), rate), family}, nil
}

func (f ristretto) Add(key []byte) error {
	f.Bloom.Add(uint64(f.family.Sum(key)))
	return nil
}

func (f ristretto) Contains(key []byte) bool { return f.Has(uint64(f.family.Sum(key))) }

// SizeBytes is the size it reports.
func (f ristretto) SizeBytes() uint64 { return uint64(f.TotalSize()) }

// boomBloom adapts the classic filter of github.com/tylertreat/BoomFilters.
type boomBloom struct{ *boom.BloomFilter }

func newBoomBloom(n uint64, rate float64, _ hashfam.Family) (filter, error) {
	return boomBloom{boom.NewBloomFilter(uint(n), rate)}, nil
}

func (f boomBloom) Add(key []byte) error {
	f.BloomFilter.Add(key)
	return nil
}

func (f boomBloom) Contains(key []byte) bool { return f.Test(key) }

// SizeBytes counts the bytes that hold its bits.
func (f boomBloom) SizeBytes() uint64 { return (uint64(f.Capacity()) + 7) / 8 }
