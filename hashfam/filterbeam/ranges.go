package filterbeam

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// Ranges: each owner sorts the digests of its range and drops copies. One task
// adds the digests of all ranges in order, so that the result depends
// on the set of keys only.
type ranges struct{ spec spec }

// A rangeCollector sends digests to the owners of their ranges.
type rangeCollector struct {
	family  hashfam.Family
	digests []hashfam.Digest
	blocks  *blocks
}

func (r ranges) collector() (collector, error) {
	fam, err := r.spec.family()
	return &rangeCollector{family: fam, blocks: newBlocks(r.spec.windows())}, err
}

func (c *rangeCollector) addKeys(keys [][]byte, emit emitter) error {
	c.digests = c.family.SumAll(c.digests[:0], keys)
	return c.addDigests(c.digests, emit)
}

func (c *rangeCollector) addDigests(digests []hashfam.Digest, emit emitter) error {
	c.blocks.emit = emit
	for _, d := range digests {
		c.blocks.put64(int(d.Probe().In(uint64(len(c.blocks.of)))), uint64(d))
	}
	return nil
}

func (c *rangeCollector) flush(emit emitter) error {
	c.blocks.emit = emit
	c.blocks.flush()
	return nil
}

func (r ranges) gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	var digests []hashfam.Digest
	for block := range values {
		digests = appendDigests(digests, block)
	}
	digests, err := sorted(ctx, digests)
	if err != nil {
		return nil, err
	}
	return writePart(ctx, out, owner, digests)
}

// sorted sorts digests by the first value of their probe sequences, the order
// in which a static filter is built, and drops copies. It overwrites its
// argument.
func sorted(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	return ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
}

// appendDigests appends the digests of a block.
func appendDigests(digests []hashfam.Digest, block []byte) []hashfam.Digest {
	for ; len(block) >= 8; block = block[8:] {
		digests = append(digests, hashfam.Digest(binary.LittleEndian.Uint64(block)))
	}
	return digests
}

func (r ranges) finish(ctx context.Context, out string, records iter.Seq[[]byte], sum *Summary) error {
	parts, err := partsOf(records)
	if err != nil {
		return err
	}
	n := uint64(0)
	for _, p := range parts {
		n += p.Bytes / 8
	}
	return r.spec.writeSorted(ctx, out, n, sum, func(add func([]hashfam.Digest) error) error {
		return r.each(ctx, parts, add)
	})
}

// each calls add with the digests of all parts in ascending order.
func (r ranges) each(ctx context.Context, parts map[int]part, add func([]hashfam.Digest) error) error {
	var digests []hashfam.Digest
	for owner := range r.spec.windows() {
		var failed error
		err := parts[owner].read(ctx, func(piece []byte) bool {
			digests = appendDigests(digests[:0], piece)
			failed = add(digests)
			return failed == nil
		})
		if err := errors.Join(failed, err); err != nil {
			return err
		}
	}
	return nil
}
