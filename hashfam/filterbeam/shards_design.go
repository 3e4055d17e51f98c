package filterbeam

import (
	"context"
	"encoding/binary"
	"iter"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
)

// Shards: each owner counts the keys of its shard, all occurrences of which it
// gets. The shards have no key in common, so that their merger loses nothing.
type shards struct{ spec }

// A shardCollector counts the keys of a bundle, so that a frequent key is sent
// once in a while rather than each time.
type shardCollector struct {
	counts map[hashfam.Digest]counted
	bytes  int // of the keys in counts
	blocks *blocks
}

// A counted is a key and how often it occurred.
type counted struct {
	key   string
	times uint64
}

// A shardCollector sends its counts if it holds as many keys, or bytes of them.
const (
	maxCounted      = 1 << 16
	maxCountedBytes = 4 << 20
)

func (s shards) collector(emit emitter) (collector, error) {
	return &shardCollector{counts: map[hashfam.Digest]counted{}, blocks: newBlocks(s.windows(), emit)}, nil
}

func (c *shardCollector) add(digests []hashfam.Digest, keys [][]byte) error {
	if keys == nil {
		return needKeys()
	}
	for i, key := range keys {
		one := c.counts[digests[i]]
		if one.times++; one.times == 1 {
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

// send moves all counts into the blocks: a count, a length, the key.
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

func (s shards) top() (*countmin.TopK, error) {
	c, err := params[countmin.TopKConfig](s.spec)
	if err != nil {
		return nil, err
	}
	return countmin.NewTopK(c)
}

func (s shards) gather(_ context.Context, _ string, _ int, values iter.Seq[[]byte]) ([]byte, error) {
	top, err := s.top()
	if err != nil {
		return nil, err
	}
	for block := range values {
		if err := addCounts(top, block); err != nil {
			return nil, err
		}
	}
	return top.MarshalBinary()
}

// addCounts adds a block of counts to top.
func addCounts(top *countmin.TopK, block []byte) error {
	for len(block) > 0 {
		n, first := binary.Uvarint(block)
		key, rest, err := cutKey(block[max(first, 0):])
		if err != nil {
			return err
		}
		top.AddN(key, n)
		block = rest
	}
	return nil
}

// appendKey appends the length of a key and the key.
func appendKey[K string | []byte](dst []byte, key K) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(key))), key...)
}

// cutKey returns the key with which data begins, and what follows it.
func cutKey(data []byte) (key, rest []byte, err error) {
	n, start := binary.Uvarint(data)
	if start <= 0 || n > uint64(len(data)-start) {
		return nil, nil, errs.Field(ErrCorrupt, "length of a key", n, "one that its block contains")
	}
	end := start + int(n)
	return data[start:end:end], data[end:], nil
}

func (s shards) finish(ctx context.Context, out string, records iter.Seq2[record, error], sum *Summary) error {
	frames, err := byOwner(records, s.windows())
	if err != nil {
		return err
	}
	all := make([]*countmin.TopK, len(frames))
	for i, frame := range frames {
		all[i], err = s.top()
		if err == nil && frame != nil { // a shard without keys has no record
			err = all[i].UnmarshalBinary(frame)
		}
		if err != nil {
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
