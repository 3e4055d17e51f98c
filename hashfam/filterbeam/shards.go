package filterbeam

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// Shards: each owner counts the keys of its shard, all occurrences of which it
// gets. The shards have no key in common, so that their merger loses nothing.
type shards struct{ spec spec }

// A shardCollector counts the keys of a bundle, so that a frequent key is sent
// once in a while rather than each time.
type shardCollector struct {
	family hashfam.Family
	counts map[string]uint64
	bytes  int // of the keys in counts
	blocks *blocks
}

// A shardCollector sends its counts if it holds as many keys, or bytes of them.
const (
	maxCounted      = 1 << 16
	maxCountedBytes = 4 << 20
)

func (shards) perKey() uint64 { return 1 }

func (s shards) collector() (collector, error) {
	fam, err := s.spec.family()
	return &shardCollector{family: fam, counts: map[string]uint64{}, blocks: newBlocks(s.spec.windows())}, err
}

func (c *shardCollector) addKeys(keys [][]byte, emit emitter) error {
	for _, key := range keys {
		n := c.counts[string(key)]
		c.counts[string(key)] = n + 1
		if n > 0 {
			continue
		}
		if c.bytes += len(key); len(c.counts) >= maxCounted || c.bytes >= maxCountedBytes {
			c.send(emit)
		}
	}
	return nil
}

func (c *shardCollector) addDigests([]hashfam.Digest, emitter) error {
	return needKeys()
}

// send moves all counts into the blocks: a count, a length, the key.
func (c *shardCollector) send(emit emitter) {
	c.blocks.emit = emit
	for key, n := range c.counts {
		shard := c.family.SumString(key).Shard(len(c.blocks.of))
		block := binary.AppendUvarint(c.blocks.of[shard].data, n)
		block = binary.AppendUvarint(block, uint64(len(key)))
		c.blocks.store(shard, append(block, key...), n)
	}
	clear(c.counts)
	c.bytes = 0
}

func (c *shardCollector) flush(emit emitter) error {
	c.send(emit)
	c.blocks.flush()
	return nil
}

func (s shards) open() (*countmin.TopK, error) {
	c, err := params(s.spec, familyOfTopK)
	if err != nil {
		return nil, err
	}
	return countmin.NewTopK(c)
}

// gather returns a record of the shard's number and its frame.
func (s shards) gather(_ context.Context, _ string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	top, err := s.open()
	if err != nil {
		return nil, err
	}
	for block := range values {
		if err := addCounts(top, block); err != nil {
			return nil, err
		}
	}
	return top.AppendBinary(binary.LittleEndian.AppendUint64(nil, uint64(owner)))
}

// addCounts adds a block of counts to top.
func addCounts(top *countmin.TopK, block []byte) error {
	for len(block) > 0 {
		n, first := binary.Uvarint(block)
		length, second := binary.Uvarint(block[max(first, 0):])
		if first <= 0 || second <= 0 || length > uint64(len(block)-first-second) {
			return errs.Field(ErrCorrupt, "length of a key", length, "one that the block contains")
		}
		block = block[first+second:]
		top.AddN(block[:length], n)
		block = block[length:]
	}
	return nil
}

func (s shards) finish(ctx context.Context, out string, records iter.Seq2[[]byte, error], sum *Summary) error {
	all := make([]*countmin.TopK, s.spec.windows())
	for i := range all { // a shard without keys has no record
		var err error
		if all[i], err = s.open(); err != nil {
			return err
		}
	}
	for record, err := range records {
		if err != nil {
			return err
		}
		owner := uint64(len(all))
		if len(record) >= 8 {
			owner = binary.LittleEndian.Uint64(record)
		}
		if owner >= uint64(len(all)) {
			return errs.Field(ErrCorrupt, "number of a shard", owner, fmt.Sprintf("below %d", len(all)))
		}
		if err := all[owner].UnmarshalBinary(record[8:]); err != nil {
			return err
		}
	}
	top, err := countmin.JoinTopK(all)
	if err != nil {
		return err
	}
	sum.Complete = top.Complete()
	return writeFrame(ctx, out, top, sum)
}
