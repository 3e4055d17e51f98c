package cuckoo

import (
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// Batches work on a window of keys at a time, in passes: locate the keys, load
// from all their buckets, then do the work. As nothing stands between the
// loads, many cache misses overlap. Fewer keys are treated one by one: it takes
// some time to clear the stack for a window.
const (
	window = 32
	few    = 8
)

// A group is room for the places of a window.
type group [window]table.Place

// locate removes up to window digests from the front of digests and returns
// their places.
func (g *group) locate(f *reader, digests *[]hashfam.Digest) []table.Place {
	places := g[:min(window, len(*digests))]
	part := (*digests)[:len(places)]
	*digests = (*digests)[len(places):]
	for k, d := range part {
		p := &places[k]
		p.I, p.J, p.FP = f.locate(d)
	}
	return places
}

// reach is locate, and reads a byte of all buckets, which takes them to the
// cache together.
func (g *group) reach(f *reader, digests *[]hashfam.Digest) []table.Place {
	places := g.locate(f, digests)
	f.table.TouchAll(places)
	return places
}

// AddAll adds keys, hashed by the filter's family, in order, as
// [Filter.AddDigest] does each, and stops at the first for which there is no
// room. It returns how many were added, always the first of digests, and Add's
// error. If the filter is larger than the cache, AddAll takes half the time of
// single calls. O(1) time per key on average, no allocation.
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
	for len(digests) > 0 {
		for _, p := range g.reach(&f.reader, &digests) {
			if err := f.insert(p.I, p.J, p.FP); err != nil {
				return added, err
			}
			added++
		}
	}
	return added, nil
}

// ContainsAll appends the answer of [Filter.ContainsDigest] for each digest to
// dst and returns the extended slice. It takes a third of the time of single
// calls, and less if the filter is larger than the cache (amd64 with AVX-512;
// half with AVX2). O(1) time per key; it allocates only if dst has to grow.
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
	for len(digests) > 0 {
		dst = f.table.HasAll(dst, g.locate(f, &digests))
	}
	return dst
}

// DeleteAll removes one copy of each key, as [Filter.DeleteDigest] does on each
// in turn, and returns the number of copies removed. Delete's condition holds
// for every key: delete only what was added. If the filter is larger than the
// cache, DeleteAll takes two fifths of the time of single calls. O(1) time per
// key, no allocation.
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
	for len(digests) > 0 {
		for _, p := range g.reach(&f.reader, &digests) {
			if f.take(p.I, p.J, p.FP) {
				removed++
			}
		}
	}
	return removed
}

// CountAll appends the answer of [Filter.CountDigest] for each digest to dst
// and returns the extended slice. O(1) time per key; it allocates only if dst
// has to grow.
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
	for len(digests) > 0 {
		for _, p := range g.reach(f, &digests) {
			dst = append(dst, f.copies(p.I, p.J, p.FP))
		}
	}
	return dst
}
