package main

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// The forms in which a subject gets keys: one by one, their digests one by one,
// and keys in batches. From the first to the second is what hashing costs while
// other keys wait for memory.
var forms = []string{"key", "digest", "batch"}

// A subject is a structure and what can be done with it, by form.
type subject struct {
	size               func() uint64
	add, query, remove uses
	fill               func(digests []hashfam.Digest) // adds keys that are not timed
	done               func()                         // called when all are added, if set
}

// uses do something to all keys of a sample, in the forms that a structure has.
type uses map[string]func(sample)

// A sample is keys and, for the form of digests, their digests.
type sample struct {
	keys    [][]byte
	digests []hashfam.Digest
}

// newSample returns n random keys of 16 bytes that lie in a row.
func newSample(rng *rand.PCG, n int) sample {
	all, s := make([]byte, 0, 16*n), sample{keys: make([][]byte, n)}
	for i := range s.keys {
		all = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(all, rng.Uint64()), rng.Uint64())
		s.keys[i] = all[16*i:]
	}
	s.digests = hashfam.Family{}.SumAll(nil, s.keys)
	return s
}

// part returns part i of the given number of equal ones.
func (s sample) part(i, parts int) sample {
	n := len(s.keys) / parts
	return sample{s.keys[i*n : (i+1)*n], s.digests[i*n : (i+1)*n]}
}

// lateStatic is a static filter that gets its keys before it is built.
type lateStatic struct {
	*static.Filter
	digests []hashfam.Digest
}

func (s *lateStatic) SizeBytes() uint64 { return s.Filter.SizeBytes() }

// newSubject returns a structure of ours, under the public family, or a filter
// of the comparison. A peer has keys one by one only.
func newSubject(s interface{ SizeBytes() uint64 }) *subject {
	if f, ok := s.(*measure.Filter); ok {
		switch f.Set.(type) {
		case interface{ AddDigest(hashfam.Digest) }, interface{ AddDigest(hashfam.Digest) error }:
			return newSubject(f.Set)
		}
	}
	x := &subject{size: s.SizeBytes}
	x.setAdd(s)
	x.setQuery(s)
	switch s := s.(type) {
	case interface {
		Delete([]byte) bool
		DeleteDigest(hashfam.Digest) bool
		DeleteAll([]hashfam.Digest) int
	}:
		x.remove = usesOf(func(key []byte) { s.Delete(key) }, func(d hashfam.Digest) { s.DeleteDigest(d) },
			func(digests []hashfam.Digest) { s.DeleteAll(digests) })
	case *measure.Filter:
		if s.Delete != nil {
			x.remove = usesOf(func(key []byte) { s.Delete(key) }, nil, nil)
		}
	}
	return x
}

func (x *subject) setAdd(s any) {
	switch s := s.(type) {
	case interface {
		Add([]byte)
		AddDigest(hashfam.Digest)
		AddAll([]hashfam.Digest)
	}:
		x.fill = s.AddAll
		x.add = usesOf(s.Add, s.AddDigest, s.AddAll)
	case interface {
		Add([]byte) error
		AddDigest(hashfam.Digest) error
		AddAll([]hashfam.Digest) (int, error)
	}:
		x.fill = func(digests []hashfam.Digest) { _, _ = s.AddAll(digests) }
		x.add = usesOf(func(key []byte) { _ = s.Add(key) }, func(d hashfam.Digest) { _ = s.AddDigest(d) }, x.fill)
	case *lateStatic:
		x.fill = func(digests []hashfam.Digest) { s.digests = append(s.digests, digests...) }
		x.done = func() {
			s.Filter = must(static.New(context.Background(), static.Config{FPRate: benchRate}, s.digests))
			s.digests = nil
		}
	case *measure.Filter:
		x.add = usesOf(func(key []byte) { _ = s.Add(key) }, nil, nil)
		var key [16]byte
		x.fill = func(digests []hashfam.Digest) {
			for _, d := range digests {
				binary.LittleEndian.PutUint64(key[:], uint64(d))
				_ = s.Add(key[:])
			}
		}
	}
}

func (x *subject) setQuery(s any) {
	switch s := s.(type) {
	case interface {
		Contains([]byte) bool
		ContainsDigest(hashfam.Digest) bool
		ContainsAll([]bool, []hashfam.Digest) []bool
	}:
		dst := make([]bool, 0, benchBlock)
		x.query = usesOf(func(key []byte) { s.Contains(key) }, func(d hashfam.Digest) { s.ContainsDigest(d) },
			func(digests []hashfam.Digest) { dst = s.ContainsAll(dst[:0], digests) })
	case *countmin.Sketch:
		dst := make([]uint64, 0, benchBlock)
		x.query = usesOf(func(key []byte) { s.Count(key) }, func(d hashfam.Digest) { s.CountDigest(d) },
			func(digests []hashfam.Digest) { dst = s.CountAll(dst[:0], digests) })
	case *measure.Filter:
		x.query = usesOf(func(key []byte) { s.Contains(key) }, nil, nil)
	}
}

// usesOf returns the uses of what is done to a key, a digest and a batch. The
// latter two may be nil.
func usesOf(one func([]byte), digest func(hashfam.Digest), batch func([]hashfam.Digest)) uses {
	u := uses{"key": func(s sample) {
		for _, key := range s.keys {
			one(key)
		}
	}}
	if digest == nil {
		return u
	}
	u["digest"] = func(s sample) {
		for _, d := range s.digests {
			digest(d)
		}
	}
	block := make([]hashfam.Digest, 0, benchBlock)
	u["batch"] = func(s sample) {
		for keys := range slices.Chunk(s.keys, benchBlock) {
			batch(hashfam.Family{}.SumAll(block[:0], keys))
		}
	}
	return u
}
