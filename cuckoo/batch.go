package cuckoo

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// The batch methods of a [Filter] process the keys in groups of a fixed size,
// called windows. For each window, they first locate all keys, then load from
// all buckets of these keys, and then do the work. Since the loads follow each
// other directly, many cache misses overlap.
const (
	window = 32 // keys

	// A batch with fewer keys than this is processed key by key, because
	// clearing the stack memory for a window would take longer.
	few = 8

	// If the table has fewer bytes than this, most methods also process the
	// keys one by one, since a small table causes few cache misses.
	cached = 32 << 10
)

// locateAll returns the places of up to window digests, using g.
func (f *readable) locateAll(g *[window]table.Place, digests []hashfam.Digest) []table.Place {
	places := g[:len(digests)]
	for k, d := range digests {
		p := &places[k]
		p.I, p.J, p.FP = f.locate(d)
	}
	return places
}

// reach yields the places of all digests. Unless there are few digests or the
// table is small, it touches the buckets of a whole window before it yields the
// window's places.
func (f *readable) reach(digests []hashfam.Digest) iter.Seq[table.Place] {
	return func(yield func(table.Place) bool) {
		if len(digests) < few || len(f.table.Bytes) < cached {
			for _, d := range digests {
				if i, j, fp := f.locate(d); !yield(table.Place{I: i, J: j, FP: fp}) {
					return
				}
			}
			return
		}
		var g [window]table.Place
		for part := range slices.Chunk(digests, window) {
			places := f.locateAll(&g, part)
			f.table.TouchAll(places)
			for _, p := range places {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// AddAll adds all digests in order, as if by [Filter.AddDigest]. If a key
// cannot be added, AddAll returns the error and the number of keys added
// before. AddAll is faster than single calls if the filter is larger than the
// cache.
func (f *Filter) AddAll(digests []hashfam.Digest) (added int, err error) {
	f.table.Made()
	for p := range f.reach(digests) {
		if err := f.insert(p.I, p.J, p.FP); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. It is much faster than single calls if the filter
// is larger than the cache and, on amd64 with AVX-512, for all filters with
// fingerprints of up to 16 bits.
func (f *readable) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	f.table.Made()
	dst = slices.Grow(dst, len(digests))
	if len(digests) < few {
		for _, d := range digests {
			dst = append(dst, f.ContainsDigest(d))
		}
		return dst
	}
	if found, ok := f.table.HasVector(dst, &f.partners, digests); ok {
		return found
	}
	var g [window]table.Place
	for part := range slices.Chunk(digests, window) {
		dst = f.table.HasAll(dst, f.locateAll(&g, part))
	}
	return dst
}

// DeleteAll calls [Filter.DeleteDigest] for each digest in turn, and returns
// the number of copies that were removed. Only delete keys that were added; see
// [Filter.Delete]. DeleteAll is much faster than single calls if the filter is
// larger than the cache.
func (f *Filter) DeleteAll(digests []hashfam.Digest) (removed int) {
	f.table.Made()
	for p := range f.reach(digests) {
		if f.take(p.I, p.J, p.FP) {
			removed++
		}
	}
	return removed
}

// CountAll appends the result of CountDigest for each digest to dst and returns
// the extended slice.
func (f *readable) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	f.table.Made()
	dst = slices.Grow(dst, len(digests))
	for p := range f.reach(digests) {
		dst = append(dst, uint64(f.table.Count(p.I, p.J, p.FP)))
	}
	return dst
}
