package measure

import (
	"errors"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	seiflotfy "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"
)

// boomCuckoo adapts the cuckoo filter of github.com/tylertreat/BoomFilters.
type boomCuckoo struct{ *boom.CuckooFilter }

// newBoomCuckoo keeps clear of capacities that exhaust the memory: there are
// eight buckets a key, rounded up to a power of two, each a slice of four
// slices.
func newBoomCuckoo(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	const slice = 3 * bits.UintSize / 8
	if err := checkPeerBytes((1 << bits.Len64(8*n-1)) * (slice + 4*slice)); err != nil {
		return nil, err
	}
	return Adapt(boomCuckoo{boom.NewCuckooFilter(uint(n), rate)}, nil)
}

func (f boomCuckoo) Contains(key []byte) bool { return f.Test(key) }
func (f boomCuckoo) Delete(key []byte) bool   { return f.TestAndRemove(key) }

// SizeBytes is not known to it: every fingerprint is a slice of its own, of
// memory shared with others. The heap is measured from outside.
func (f boomCuckoo) SizeBytes() uint64 { return 0 }

// seiflotfyCuckoo adapts github.com/seiflotfy/cuckoofilter.
type seiflotfyCuckoo struct{ *seiflotfy.Filter }

// seiflotfyRate is the rate of a full table, 1 - (1 - 1/255)^8: a lookup
// compares 8 fingerprints of 255 values. It cannot be configured.
const seiflotfyRate = 0.03095

var errFull = errors.New("the filter is full")

func newSeiflotfy(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	return Adapt(seiflotfyCuckoo{seiflotfy.NewFilter(uint(n))}, nil)
}

func (f seiflotfyCuckoo) Add(key []byte) error {
	if !f.Insert(key) {
		return errFull
	}
	return nil
}

func (f seiflotfyCuckoo) Contains(key []byte) bool { return f.Lookup(key) }

// SizeBytes is the length of its own export, a byte a slot as in memory.
func (f seiflotfyCuckoo) SizeBytes() uint64 { return uint64(len(f.Encode())) }
