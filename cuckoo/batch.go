package cuckoo

import (
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll adds the keys in order, as [Filter.Add] does each, and stops at the
// first for which there is no room. It returns how many were added, always the
// first of keys, and Add's error. It takes two thirds of the time of single
// calls, and half if the filter is larger than the cache: what is left is the
// search for room. O(1) time a key on average, no allocation; no key is kept.
func (f *Filter) AddAll(keys [][]byte) (added int, err error) {
	return addAll(f, keys)
}

// AddAllStrings is [Filter.AddAll] for strings.
func (f *Filter) AddAllStrings(keys []string) (added int, err error) {
	return addAll(f, keys)
}

// AddAllUint64 is [Filter.AddAll] for integers, each the key of its eight
// little-endian bytes.
func (f *Filter) AddAllUint64(keys []uint64) (added int, err error) {
	return addAll(f, keys)
}

// addAll is [Filter.AddAll] for keys of any form.
func addAll[K batch.Key](f *Filter, keys []K) (added int, err error) {
	for _, key := range batch.Few(&keys) {
		if err := f.AddDigest(batch.Sum(f.family(), key)); err != nil {
			return added, err
		}
		added++
	}
	for n := 0; len(keys) > 0 && err == nil; added += n {
		var b batch.Buffer
		n, err = f.addBlock(batch.Take(&b, f.family(), &keys))
	}
	return added, f.orNil(err)
}

// AddAllDigests is [Filter.AddAll] for keys already hashed by the filter's
// family.
func (f *Filter) AddAllDigests(digests []hashfam.Digest) (added int, err error) {
	return f.addBlock(digests)
}

// AddSeq adds the keys of a sequence in order, as [Filter.AddAll] does. A key
// needs to be valid only until the sequence yields the next one. After an error
// AddSeq may have asked for up to 128 keys more than it has added. O(1) time a
// key on average, and about a kilobyte of memory.
func (f *Filter) AddSeq(keys iter.Seq[[]byte]) (added int, err error) {
	for block := range batch.Blocks(f.family(), keys) {
		n, err := f.addBlock(block)
		if added += n; err != nil {
			return added, err
		}
	}
	return added, f.orNil(nil)
}

// orNil returns err, or the error of a nil filter.
func (f *Filter) orNil(err error) error {
	if f == nil {
		return errs.Nil()
	}
	return err
}

// ContainsAll appends the answer of [Filter.Contains] for each key to dst and
// returns the extended slice. It takes a third of the time of single calls, and
// less if the filter is larger than the cache (amd64 with AVX-512; half with
// AVX2). O(1) time a key; it allocates only if dst has to grow.
func (f *Filter) ContainsAll(dst []bool, keys [][]byte) []bool { return containsAll(f, dst, keys) }

// ContainsAllStrings is [Filter.ContainsAll] for strings.
func (f *Filter) ContainsAllStrings(dst []bool, keys []string) []bool {
	return containsAll(f, dst, keys)
}

// ContainsAllUint64 is [Filter.ContainsAll] for integers.
func (f *Filter) ContainsAllUint64(dst []bool, keys []uint64) []bool {
	return containsAll(f, dst, keys)
}

// containsAll is [Filter.ContainsAll] for keys of any form.
func containsAll[K batch.Key](f *Filter, dst []bool, keys []K) []bool {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, f.ContainsDigest(batch.Sum(f.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = f.hasBlock(dst, batch.Take(&b, f.params.Family, &keys))
	}
	return dst
}

// ContainsAllDigests is [Filter.ContainsAll] for keys already hashed by the
// filter's family.
func (f *Filter) ContainsAllDigests(dst []bool, digests []hashfam.Digest) []bool {
	return f.hasBlock(slices.Grow(dst, len(digests)), digests)
}

// DeleteAll removes one copy of each key, as [Filter.Delete] does on each in
// turn, and returns the number of copies removed. Delete's condition holds for
// every key: delete only what was added. If the filter is larger than the
// cache, DeleteAll takes two fifths of the time of single calls. O(1) time a
// key, no allocation.
func (f *Filter) DeleteAll(keys [][]byte) int { return deleteAll(f, keys) }

// DeleteAllStrings is [Filter.DeleteAll] for strings.
func (f *Filter) DeleteAllStrings(keys []string) int { return deleteAll(f, keys) }

// DeleteAllUint64 is [Filter.DeleteAll] for integers.
func (f *Filter) DeleteAllUint64(keys []uint64) int { return deleteAll(f, keys) }

// deleteAll is [Filter.DeleteAll] for keys of any form.
func deleteAll[K batch.Key](f *Filter, keys []K) int {
	removed := 0
	for _, key := range batch.Few(&keys) {
		if f.DeleteDigest(batch.Sum(f.params.Family, key)) {
			removed++
		}
	}
	for len(keys) > 0 {
		var b batch.Buffer
		removed += f.removeBlock(batch.Take(&b, f.params.Family, &keys))
	}
	return removed
}

// DeleteAllDigests is [Filter.DeleteAll] for keys already hashed by the
// filter's family.
func (f *Filter) DeleteAllDigests(digests []hashfam.Digest) int {
	return f.removeBlock(digests)
}

// CountAll appends the answer of [Filter.Count] for each key to dst and returns
// the extended slice. O(1) time a key; it
// allocates only if dst has to grow.
func (f *Filter) CountAll(dst []uint64, keys [][]byte) []uint64 { return countAll(f, dst, keys) }

// CountAllStrings is [Filter.CountAll] for strings.
func (f *Filter) CountAllStrings(dst []uint64, keys []string) []uint64 {
	return countAll(f, dst, keys)
}

// CountAllUint64 is [Filter.CountAll] for integers.
func (f *Filter) CountAllUint64(dst []uint64, keys []uint64) []uint64 {
	return countAll(f, dst, keys)
}

// countAll is [Filter.CountAll] for keys of any form.
func countAll[K batch.Key](f *Filter, dst []uint64, keys []K) []uint64 {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, f.CountDigest(batch.Sum(f.params.Family, key)))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = f.countBlock(dst, batch.Take(&b, f.params.Family, &keys))
	}
	return dst
}

// CountAllDigests is [Filter.CountAll] for keys already hashed by the filter's
// family.
func (f *Filter) CountAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	return f.countBlock(slices.Grow(dst, len(digests)), digests)
}

// Batches work on a window of keys at a time, in passes: locate the keys, load
// from all their buckets, then do the work. As nothing stands between the
// loads, many cache misses overlap. Fewer keys are treated one by one: it takes
// some time to clear the stack for a window.
const (
	window = 32
	few    = 8
)

// A place is where a key may lie: its buckets and its fingerprint.
type place struct{ i, j, fp uint64 }

// A group is room for the places of a window.
type group [window]place

// locate removes up to window digests from the front of digests and returns
// their places.
func (g *group) locate(f *Filter, digests *[]hashfam.Digest) []place {
	places := g[:min(window, len(*digests))]
	part := (*digests)[:len(places)]
	*digests = (*digests)[len(places):]
	for k, d := range part {
		x, fp := f.home(d)
		i, j := f.moves.pair(x, f.moves.hash(fp))
		places[k] = place{i, j, fp}
	}
	return places
}

// reach is locate, and reads a byte of all buckets, which takes them to the
// cache together.
func (g *group) reach(f *Filter, digests *[]hashfam.Digest) []place {
	places := g.locate(f, digests)
	if f.table.kind == none {
		return places
	}
	touched, bytes, stride := byte(0), f.table.bytes, f.table.stride
	for k := range places {
		p := &places[k]
		touched |= bytes[p.i*stride>>3] | bytes[p.j*stride>>3]
	}
	use(touched)
	return places
}

// use keeps the compiler from dropping what makes its argument.
//
//go:noinline
func use(byte) {}

// addBlock adds keys up to the first for which there is no room.
func (f *Filter) addBlock(digests []hashfam.Digest) (added int, err error) {
	if f == nil {
		return 0, errs.Nil()
	}
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
		for _, p := range g.reach(f, &digests) {
			if err := f.insert(p.i, p.j, p.fp); err != nil {
				return added, err
			}
			added++
		}
	}
	return added, nil
}

// hasBlock appends the answer for each digest to dst. For few digests it is
// ContainsDigest written out.
func (f *Filter) hasBlock(dst []bool, digests []hashfam.Digest) []bool {
	t := &f.table
	if len(digests) < few {
		for _, d := range digests {
			x, fp := f.home(d)
			i, j := f.moves.pair(x, f.moves.hash(fp))
			if t.kind == single {
				dst = append(dst, t.anyMatches(t.load(i*t.stride), t.load(j*t.stride), fp))
			} else {
				dst = append(dst, t.hasEitherLanes(i, j, fp))
			}
		}
		return dst
	}
	if f.inLanes() {
		return f.hasInLanes(dst, digests)
	}
	var g group
	for len(digests) > 0 {
		if t.kind == single || t.kind == compact {
			dst = t.answer(dst, g.locate(f, &digests))
			continue
		}
		for _, p := range g.reach(f, &digests) {
			dst = append(dst, f.find(p.i, p.j, p.fp))
		}
	}
	return dst
}

// answer appends to dst whether each fingerprint is in its buckets. It replaces
// the buckets by their lanes, which are one word.
func (t *table) answer(dst []bool, places []place) []bool {
	bytes, stride := t.bytes, t.stride
	for k := range places {
		p := &places[k]
		p.i, p.j = load(bytes, p.i*stride), load(bytes, p.j*stride)
	}
	if t.kind == compact {
		for k := range places {
			p := &places[k]
			p.i, p.j = t.decode(p.i), t.decode(p.j)
		}
	}
	for k := range places {
		p := &places[k]
		dst = append(dst, t.anyMatches(p.i, p.j, p.fp))
	}
	return dst
}

// removeBlock returns how many of the keys there were to remove.
func (f *Filter) removeBlock(digests []hashfam.Digest) (removed int) {
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
		for _, p := range g.reach(f, &digests) {
			if f.take(p.i, p.j, p.fp) {
				removed++
			}
		}
	}
	return removed
}

// countBlock appends the count of each digest to dst.
func (f *Filter) countBlock(dst []uint64, digests []hashfam.Digest) []uint64 {
	if len(digests) < few {
		for _, d := range digests {
			dst = append(dst, f.CountDigest(d))
		}
		return dst
	}
	var g group
	for len(digests) > 0 {
		for _, p := range g.reach(f, &digests) {
			dst = append(dst, uint64(f.table.copies(p.i, p.fp)+f.table.copies(p.j, p.fp)))
		}
	}
	return dst
}
