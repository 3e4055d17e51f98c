package filterbeam

import (
	"context"
	"encoding/binary"
	"io"
	"iter"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// In shards, each task counts the keys in its shard. It receives all
// occurrences of these keys, and no key is in two shards, so joining the
// results loses nothing.
type shards struct{ spec }

// A shardCollector counts a bundle's keys, so that a frequent key is not sent
// each time it occurs.
type shardCollector struct {
	counts map[hashfam.Digest]counted
	bytes  int // of the keys in counts
	blocks *blocks
}

// A counted is a key and the number of times it occurred.
type counted struct {
	key   string
	times uint64
}

// A shardCollector sends its counts when it holds this number of keys, or keys
// of this total size.
const (
	maxCounted      = 1 << 16
	maxCountedBytes = 4 << 20
)

func (s shards) collector(emit emitter) (collector, error) {
	return &shardCollector{counts: map[hashfam.Digest]counted{}, blocks: newBlocks(s.tasks(), emit)}, nil
}

func (c *shardCollector) add(digests []hashfam.Digest, keys [][]byte) error {
	if keys == nil {
		return needKeys()
	}
	for i, key := range keys {
		one := c.counts[digests[i]]
		one.times++
		if one.times == 1 {
			one.key = string(key)
			c.bytes += len(key)
		}
		c.counts[digests[i]] = one
		if len(c.counts) >= maxCounted || c.bytes >= maxCountedBytes {
			c.send()
		}
	}
	return nil
}

// send moves all counts into the blocks. Each becomes a count, the length of
// the key, and the key.
func (c *shardCollector) send() {
	for d, one := range c.counts {
		shard := d.Shard(len(c.blocks.of))
		block := binary.AppendUvarint(c.blocks.of[shard].data, one.times)
		c.blocks.store(shard, appendKey(block, one.key), one.times)
	}
	clear(c.counts)
	c.bytes = 0
}

func (c *shardCollector) flush() error {
	c.send()
	return c.blocks.flush()
}

func (s shards) top() (*countmin.HeavyHitters, error) {
	c, err := params[countmin.HeavyConfig](s.spec)
	if err != nil {
		return nil, err
	}
	return countmin.NewHeavyHitters(c)
}

func (s shards) gather(_ context.Context, _ string, _ int, values iter.Seq[[]byte]) ([]byte, error) {
	top, err := s.top()
	if err != nil {
		return nil, err
	}
	for block := range values {
		for len(block) > 0 {
			n, first := binary.Uvarint(block)
			key, rest, err := cutKey(block[max(first, 0):])
			if err != nil {
				return nil, err
			}
			top.AddN(key, n)
			block = rest
		}
	}
	return encoded(top.MarshalBinary())
}

func (s shards) finish(_ context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	frames, err := decodeRecords[[]byte](records, s.tasks())
	if err != nil {
		return nil, err
	}
	all := make([]*countmin.HeavyHitters, len(frames))
	for i, frame := range frames {
		all[i], err = s.top()
		if err == nil && frame != nil { // a shard without keys has no record
			err = all[i].UnmarshalBinary(frame)
		}
		if err != nil {
			return nil, err
		}
	}
	top, err := countmin.JoinHeavyHitters(all)
	if err != nil {
		return nil, err
	}
	sum.Complete = top.Complete()
	return top, nil
}
