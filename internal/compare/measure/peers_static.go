package measure

import (
	"encoding/binary"
	"slices"

	"github.com/FastFilter/xorfilter"
	"github.com/filterfam/filterfam/hashfam"
)

// xor8 and fuse adapt the filters of github.com/FastFilter/xorfilter. These are
// made of 64-bit numbers and leave hashing to their user. Keys that are not
// numbers have to be hashed first, here as ours are, and that is part of the
// time: without it, they could only be compared on another task.
type xor8 struct {
	*xorfilter.Xor8
	family hashfam.Family
}

func newXor8(n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(digests []uint64) (Set, error) {
		f, err := xorfilter.Populate(digests)
		return xor8{f, family}, err
	}), nil
}

func (f xor8) Contains(key []byte) bool { return f.Xor8.Contains(uint64(f.family.Sum(key))) }

// SizeBytes counts the fingerprints.
func (f xor8) SizeBytes() uint64 { return uint64(len(f.Fingerprints)) }

// fuse has fingerprints of type T.
type fuse[T xorfilter.Unsigned] struct {
	*xorfilter.BinaryFuse[T]
	family hashfam.Family
}

func newFuse[T xorfilter.Unsigned](n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(digests []uint64) (Set, error) {
		f, err := xorfilter.NewBinaryFuse[T](digests)
		return fuse[T]{f, family}, err
	}), nil
}

func (f fuse[T]) Contains(key []byte) bool { return f.BinaryFuse.Contains(uint64(f.family.Sum(key))) }

// SizeBytes counts the fingerprints.
func (f fuse[T]) SizeBytes() uint64 { return uint64(len(f.Fingerprints)) * uint64(binary.Size(T(0))) }

// sorted is the exact set with the least overhead, a sorted slice with binary
// search. It is static: a key in the middle would move half of it.
type sorted []string

func newSorted(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	keys, f := make(sorted, 0, n), new(Filter)
	f.Add = func(key []byte) error { keys = append(keys, string(key)); return nil }
	f.Build = func() error {
		slices.Sort(keys)
		f.Set = keys
		return nil
	}
	return f, nil
}

func (s sorted) Contains(key []byte) bool {
	_, found := slices.BinarySearch(s, string(key))
	return found
}

// SizeBytes is measured from outside, as a map's is.
func (s sorted) SizeBytes() uint64 { return 0 }
