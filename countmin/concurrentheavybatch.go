package countmin

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// AddAll counts every key once. It does the same as
// [ConcurrentHeavyHitters.Add] on each, in less time: it takes a shard's lock
// once for all keys of the shard among 1,024. O(1) time a key, amortized; no
// key is kept.
func (c *ConcurrentHeavyHitters) AddAll(keys [][]byte) { addAllConcurrentHeavy(c, keys) }

// AddAllStrings is [ConcurrentHeavyHitters.AddAll] for strings.
func (c *ConcurrentHeavyHitters) AddAllStrings(keys []string) { addAllConcurrentHeavy(c, keys) }

// addAllConcurrentHeavy is [ConcurrentHeavyHitters.AddAll] for keys of any
// form.
func addAllConcurrentHeavy[K tracker.Key](c *ConcurrentHeavyHitters, keys []K) {
	for _, key := range batch.Few(&keys) {
		observe(c, batch.Sum(c.config.Family, key), key, 1)
	}
	for block := range slices.Chunk(keys, groupSize) {
		var g grouping
		observeBlock(c, &g, batch.SumAll(g.digests[:0], c.config.Family, block), block)
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
	var g grouping
	for block := range slices.Chunk(digests, groupSize) {
		observeBlock(c, &g, block, keys)
		keys = keys[len(block):]
	}
	return nil
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
	return estimateAllConcurrentHeavy(c, dst, keys)
}

// EstimateAllStrings is [ConcurrentHeavyHitters.EstimateAll] for strings.
func (c *ConcurrentHeavyHitters) EstimateAllStrings(dst []Estimate, keys []string) []Estimate {
	return estimateAllConcurrentHeavy(c, dst, keys)
}

// estimateAllConcurrentHeavy is [ConcurrentHeavyHitters.EstimateAll] for keys
// of any form.
func estimateAllConcurrentHeavy[K tracker.Key](c *ConcurrentHeavyHitters, dst []Estimate, keys []K) []Estimate {
	dst = slices.Grow(dst, len(keys))
	for _, key := range batch.Few(&keys) {
		dst = append(dst, c.EstimateDigest(batch.Sum(c.config.Family, key)))
	}
	for block := range slices.Chunk(keys, groupSize) {
		var g grouping
		dst = c.estimateBlock(dst, &g, batch.SumAll(g.digests[:0], c.config.Family, block))
	}
	return dst
}

// EstimateAllDigests is [ConcurrentHeavyHitters.EstimateAll] for keys already
// hashed by the family of Params().
func (c *ConcurrentHeavyHitters) EstimateAllDigests(dst []Estimate, digests []hashfam.Digest) []Estimate {
	dst = slices.Grow(dst, len(digests))
	var g grouping
	for block := range slices.Chunk(digests, groupSize) {
		dst = c.estimateBlock(dst, &g, block)
	}
	return dst
}

// observeBlock counts the keys of a block of digests once each.
func observeBlock[K tracker.Key](c *ConcurrentHeavyHitters, g *grouping, digests []hashfam.Digest, keys []K) {
	g.sort(digests, len(c.shards))
	for i := range c.shards {
		s, members := &c.shards[i], g.shard(i)
		if len(members) == 0 {
			continue
		}
		s.lock()
		for _, i := range members {
			tracker.Observe(&s.tracker, digests[i], keys[i], 1)
		}
		c.inform(s)
		s.mu.Unlock()
	}
}

// estimateBlock appends what is known of the key of each digest of a block.
func (c *ConcurrentHeavyHitters) estimateBlock(dst []Estimate, g *grouping, digests []hashfam.Digest) []Estimate {
	end := len(dst)
	for range digests {
		dst = append(dst, Estimate{Count: math.MaxUint64, High: math.MaxUint64})
	}
	answers := dst[end:]
	g.sort(digests, len(c.shards))
	for i := range c.shards {
		s, members := &c.shards[i], g.shard(i)
		if len(members) == 0 {
			continue
		}
		s.lock()
		for _, i := range members {
			answers[i] = Estimate(s.tracker.Estimate(digests[i]))
		}
		s.mu.Unlock()
	}
	return dst
}

// groupSize is how many keys of a batch are grouped by shards. It is more than
// a block of package batch: the more keys of a shard come together, the more of
// its memory is moved to the processor's cache at once.
const groupSize = 1024

// A grouping is a block of keys, as indices, sorted by shards.
type grouping struct {
	digests [groupSize]hashfam.Digest // room for the digests of the block
	members [groupSize]uint16
	ends    [maxShards]uint16 // where the members of a shard end
}

// sort sorts a block of at most groupSize digests by n shards. Members of a
// shard stay in order.
func (g *grouping) sort(digests []hashfam.Digest, n int) {
	if n == 0 {
		return
	}
	ends := g.ends[:n]
	clear(ends)
	for _, d := range digests {
		ends[d.Shard(n)]++
	}
	sum := uint16(0)
	for i, size := range ends {
		ends[i] = sum // where they begin, until they are placed
		sum += size
	}
	for i, d := range digests {
		at := &ends[d.Shard(n)]
		g.members[*at] = uint16(i)
		*at++
	}
}

// shard returns the members of shard i.
func (g *grouping) shard(i int) []uint16 {
	if i == 0 {
		return g.members[:g.ends[0]]
	}
	return g.members[g.ends[i-1]:g.ends[i]]
}
