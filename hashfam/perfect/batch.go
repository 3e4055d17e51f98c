package perfect

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// IndexAll appends the answer of [Function.Index] for each key to dst and
// returns the extended slice. O(1) time per key. It takes about half the time
// of single calls (amd64 with AVX2), and less if the function is larger than
// the cache. It allocates only if dst is too small.
func (f *Function) IndexAll(dst []uint64, keys [][]byte) []uint64 {
	return indexAllFunction(f, dst, keys)
}

// IndexAllStrings is [Function.IndexAll] for strings.
func (f *Function) IndexAllStrings(dst []uint64, keys []string) []uint64 {
	return indexAllFunction(f, dst, keys)
}

// IndexAllUint64 is [Function.IndexAll] for integers: each key is the eight
// little-endian bytes of one.
func (f *Function) IndexAllUint64(dst []uint64, keys []uint64) []uint64 {
	return indexAllFunction(f, dst, keys)
}

// indexAllFunction is [Function.IndexAll] for keys of any form.
func indexAllFunction[K batch.Key](f *Function, dst []uint64, keys []K) []uint64 {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = f.indexBlock(dst, batch.Take(&b, f.params.Family, &keys))
	}
	return dst
}

// IndexAllDigests is [Function.IndexAll] for keys already hashed by the
// function's family.
func (f *Function) IndexAllDigests(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Size) {
		dst = f.indexBlock(dst, block)
	}
	return dst
}

// indexBlock appends the index of each digest of a block to dst, which has room
// for them. It loads the seeds of all digests first: the loads follow each
// other closely, so that the processor overlaps many cache misses.
func (m *mapping) indexBlock(dst []uint64, digests []hashfam.Digest) []uint64 {
	if len(m.levels) == 0 {
		for _, d := range digests {
			dst = append(dst, m.index(d))
		}
		return dst
	}
	l := &m.levels[0]
	var found [batch.Size]uint8
	for i, d := range digests {
		found[i] = l.seeds[l.bucket(d.Probe())]
	}
	for i, d := range digests {
		if seed := found[i]; seed != 0 {
			dst = append(dst, l.place(d.Probe(), uint64(seed)))
		} else {
			dst = append(dst, m.index(d))
		}
	}
	return dst
}
