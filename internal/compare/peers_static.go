package main

import (
	"encoding/binary"

	"github.com/FastFilter/xorfilter"
	"github.com/filterfam/filterfam/hashfam"
)

// digests collects the keys of a static filter. The filters of
// github.com/FastFilter/xorfilter are made of 64-bit numbers and leave hashing
// to their user. Keys that are not numbers have to be hashed first, here as
// ours are, and that is part of the time: without it, these filters could only
// be compared on another task.
type digests struct {
	family hashfam.Family
	list   []uint64
}

func newDigests(n uint64, family hashfam.Family) digests {
	return digests{family: family, list: make([]uint64, 0, n)}
}

func (d *digests) Add(key []byte) error {
	d.list = append(d.list, uint64(d.family.Sum(key)))
	return nil
}

// xor8 adapts the xor filter with fingerprints of eight bits.
type xor8 struct {
	digests
	set *xorfilter.Xor8
}

func newXor8(n uint64, _ float64, family hashfam.Family) (filter, error) {
	return &xor8{digests: newDigests(n, family)}, nil
}

func (f *xor8) Build() (err error) {
	f.set, err = xorfilter.Populate(f.list)
	f.list = nil
	return err
}

func (f *xor8) Contains(key []byte) bool { return f.set.Contains(uint64(f.family.Sum(key))) }

// SizeBytes counts the fingerprints.
func (f *xor8) SizeBytes() uint64 { return uint64(len(f.set.Fingerprints)) }

// fuse adapts the binary fuse filter with fingerprints of type T.
type fuse[T xorfilter.Unsigned] struct {
	digests
	set *xorfilter.BinaryFuse[T]
}

func newFuse[T xorfilter.Unsigned](n uint64, _ float64, family hashfam.Family) (filter, error) {
	return &fuse[T]{digests: newDigests(n, family)}, nil
}

func (f *fuse[T]) Build() (err error) {
	f.set, err = xorfilter.NewBinaryFuse[T](f.list)
	f.list = nil
	return err
}

func (f *fuse[T]) Contains(key []byte) bool { return f.set.Contains(uint64(f.family.Sum(key))) }

// SizeBytes counts the fingerprints.
func (f *fuse[T]) SizeBytes() uint64 {
	return uint64(len(f.set.Fingerprints)) * uint64(binary.Size(T(0)))
}
