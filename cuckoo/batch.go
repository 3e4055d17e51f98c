package cuckoo

import (
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// Batches process a window of keys in passes: locate the keys, load from all
// their buckets, then do the work. Since nothing separates the loads, many
// cache misses overlap. Fewer than few keys are processed one by one, because
// it takes some time to clear the stack for a window.
const (
	window = 32
	few    = 8
)

// A group has room for the places of a window.
type group [window]table.Place

// locate returns the places of up to window digests.
func (g *group) locate(f *reader, digests []hashfam.Digest) []table.Place {
	places := g[:len(digests)]
	for k, d := range digests {
		p := &places[k]
		p.I, p.J, p.FP = f.locate(d)
	}
	return places
}

// reach is like locate, and also brings the buckets into the cache.
func (g *group) reach(f *reader, digests []hashfam.Digest) []table.Place {
	places := g.locate(f, digests)
	f.table.TouchAll(places)
	return places
}

// AddAll calls [Filter.AddDigest] for each digest in order and stops at the
// first error. It returns the number of keys added and the error. If the filter
// is larger than the cache, AddAll is twice as fast as single calls.
func (f *Filter) AddAll(digests []hashfam.Digest) (added int, err error) {
	f.table.Made()
	if len(digests) < few {
		for _, d := range digests {
			if err := f.insert(f.locate(d)); err != nil {
				return added, err
			}
			added++
		}
		return added, nil
	}
	var g group
	for part := range slices.Chunk(digests, window) {
		for _, p := range g.reach(&f.reader, part) {
			if err := f.insert(p.I, p.J, p.FP); err != nil {
				return added, err
			}
			added++
		}
	}
	return added, nil
}

// ContainsAll appends the result of [Filter.ContainsDigest] for each digest to
// dst and returns the extended slice. On amd64 it is three times as fast as
// single calls with AVX-512 and twice as fast with AVX2, and even faster if the
// filter is larger than the cache.
func (f *reader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	f.table.Made()
	dst = slices.Grow(dst, len(digests))
	if len(digests) < few {
		for _, d := range digests {
			dst = append(dst, f.find(f.locate(d)))
		}
		return dst
	}
	if f.table.Vector(&f.partners) {
		return f.table.HasVector(dst, &f.partners, digests)
	}
	var g group
	for part := range slices.Chunk(digests, window) {
		dst = f.table.HasAll(dst, g.locate(f, part))
	}
	return dst
}

// DeleteAll calls [Filter.DeleteDigest] for each digest and returns the number
// of copies it removed. Delete only keys that were added. If the filter is
// larger than the cache, DeleteAll is 2.5 times as fast as single calls.
func (f *Filter) DeleteAll(digests []hashfam.Digest) (removed int) {
	f.table.Made()
	if len(digests) < few {
		for _, d := range digests {
			if f.take(f.locate(d)) {
				removed++
			}
		}
		return removed
	}
	var g group
	for part := range slices.Chunk(digests, window) {
		for _, p := range g.reach(&f.reader, part) {
			if f.take(p.I, p.J, p.FP) {
				removed++
			}
		}
	}
	return removed
}

// CountAll appends the result of [Filter.CountDigest] for each digest to dst
// and returns the extended slice.
func (f *reader) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	f.table.Made()
	dst = slices.Grow(dst, len(digests))
	if len(digests) < few {
		for _, d := range digests {
			dst = append(dst, f.copies(f.locate(d)))
		}
		return dst
	}
	var g group
	for part := range slices.Chunk(digests, window) {
		for _, p := range g.reach(f, part) {
			dst = append(dst, f.copies(p.I, p.J, p.FP))
		}
	}
	return dst
}
