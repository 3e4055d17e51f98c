package countmin

import (
	"fmt"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll counts every key once. It does the same as
// [ConcurrentHeavyHitters.Add] on each, in less time: it takes a shard's lock
// once for all keys of the shard among 128. O(1) time a key, amortized; no key is
// kept.
func (c *ConcurrentHeavyHitters) AddAll(keys [][]byte) {
	var b batch.Buffer
	for len(keys) > 0 {
		block := keys
		observeBlock(c, b.Take(c.config.Family, &keys), block)
	}
}

// AddAllDigests is [ConcurrentHeavyHitters.AddAll] for keys already hashed by
// the family of Params(): digests[i] must be the digest of keys[i]. It returns
// [ErrParams], and counts nothing, if there are not as many digests as keys.
func (c *ConcurrentHeavyHitters) AddAllDigests(digests []hashfam.Digest, keys [][]byte) error {
	if c == nil {
		return errs.Nil()
	}
	if len(digests) != len(keys) {
		return paramError("len(digests)", len(digests), fmt.Sprintf("%d, the number of keys", len(keys)))
	}
	for block := range slices.Chunk(digests, batch.Size) {
		observeBlock(c, block, keys)
		keys = keys[len(block):]
	}
	return nil
}

// AddAllStrings is [ConcurrentHeavyHitters.AddAll] for strings.
func (c *ConcurrentHeavyHitters) AddAllStrings(keys []string) {
	var b batch.Buffer
	for len(keys) > 0 {
		block := keys
		observeBlock(c, b.TakeStrings(c.config.Family, &keys), block)
	}
}

// AddSeq counts every key of a sequence once. A key needs to be valid only
// until the sequence yields the next one. O(1) time a key, amortized.
func (c *ConcurrentHeavyHitters) AddSeq(keys iter.Seq[[]byte]) {
	for key := range keys {
		c.Add(key)
	}
}

// EstimateAll appends the answer of [ConcurrentHeavyHitters.Estimate] for each
// key to dst and returns the extended slice. O(1) time a key; it allocates only
// if dst has to grow.
func (c *ConcurrentHeavyHitters) EstimateAll(dst []Estimate, keys [][]byte) []Estimate {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = c.estimateBlock(dst, b.Take(c.config.Family, &keys))
	}
	return dst
}

// EstimateAllStrings is [ConcurrentHeavyHitters.EstimateAll] for strings.
func (c *ConcurrentHeavyHitters) EstimateAllStrings(dst []Estimate, keys []string) []Estimate {
	dst = slices.Grow(dst, len(keys))
	var b batch.Buffer
	for len(keys) > 0 {
		dst = c.estimateBlock(dst, b.TakeStrings(c.config.Family, &keys))
	}
	return dst
}

// EstimateAllDigests is [ConcurrentHeavyHitters.EstimateAll] for keys already
// hashed by the family of Params().
func (c *ConcurrentHeavyHitters) EstimateAllDigests(dst []Estimate, digests []hashfam.Digest) []Estimate {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, batch.Size) {
		dst = c.estimateBlock(dst, block)
	}
	return dst
}

// observeBlock counts the keys of a block of digests once each.
func observeBlock[K tracker.Key](c *ConcurrentHeavyHitters, digests []hashfam.Digest, keys []K) {
	var g grouping
	for s, members := range g.byShard(c, digests) {
		s.lock()
		for _, i := range members {
			tracker.Observe(&s.tracker, digests[i], keys[i], 1)
		}
		c.inform(s)
		s.mu.Unlock()
	}
}

// estimateBlock appends what is known of the key of each digest of a block.
func (c *ConcurrentHeavyHitters) estimateBlock(dst []Estimate, digests []hashfam.Digest) []Estimate {
	if len(c.shards) == 0 {
		for range digests {
			dst = append(dst, c.EstimateDigest(0))
		}
		return dst
	}
	end := len(dst)
	dst = append(dst, make([]Estimate, len(digests))...)
	answers := dst[end:]
	var g grouping
	for s, members := range g.byShard(c, digests) {
		s.lock()
		for _, i := range members {
			answers[i] = Estimate(s.tracker.Estimate(digests[i]))
		}
		s.mu.Unlock()
	}
	return dst
}

// A grouping is the room to sort a block by shards.
type grouping struct {
	ends    [maxShards]uint8 // where the members of a shard end
	members [batch.Size]uint8
}

const _ = uint8(batch.Size) // fits

// byShard yields every shard that has members among the digests of a block, at
// most batch.Size, and the members in order, as indices into digests. Keys of
// one shard stay in order.
func (g *grouping) byShard(c *ConcurrentHeavyHitters, digests []hashfam.Digest) iter.Seq2[*heavyShard, []uint8] {
	return func(yield func(*heavyShard, []uint8) bool) {
		n := len(c.shards)
		if n == 0 {
			return
		}
		for _, d := range digests {
			g.ends[d.Shard(n)]++
		}
		sum := uint8(0)
		for i, size := range g.ends[:n] {
			g.ends[i] = sum // where they begin, until they are placed
			sum += size
		}
		for i, d := range digests {
			at := &g.ends[d.Shard(n)]
			g.members[*at] = uint8(i)
			*at++
		}
		begin := uint8(0)
		for i, end := range g.ends[:n] {
			if end > begin && !yield(&c.shards[i], g.members[begin:end]) {
				return
			}
			begin = end
		}
	}
}
