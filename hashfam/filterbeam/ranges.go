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
// adds the digests of all ranges in order, so that the result depends on the
// set of keys only.
type ranges struct{ spec spec }

// A digestCollector sends digests to their owners.
type digestCollector struct {
	family  hashfam.Family
	owner   func(hashfam.Digest) int
	digests []hashfam.Digest
	blocks  *blocks
}

func (s spec) digestCollector(owners int, owner func(hashfam.Digest) int) (collector, error) {
	fam, err := s.family()
	return &digestCollector{family: fam, owner: owner, blocks: newBlocks(owners)}, err
}

func (ranges) perKey() uint64 { return 1 }

func (r ranges) collector() (collector, error) {
	owners := r.spec.windows()
	return r.spec.digestCollector(owners, func(d hashfam.Digest) int { return r.owner(uint64(d.Probe())) })
}

// owner returns the owner of the digests with a given first value of their
// probe sequence. It ascends with that value.
func (r ranges) owner(first uint64) int {
	return int(hashfam.Reduce(first, uint64(r.spec.windows())))
}

func (c *digestCollector) addKeys(keys [][]byte, emit emitter) error {
	c.digests = c.family.SumAll(c.digests[:0], keys)
	return c.addDigests(c.digests, emit)
}

func (c *digestCollector) addDigests(digests []hashfam.Digest, emit emitter) error {
	c.blocks.emit = emit
	for _, d := range digests {
		c.blocks.put64(c.owner(d), uint64(d))
	}
	return nil
}

func (c *digestCollector) flush(emit emitter) error {
	c.blocks.emit = emit
	c.blocks.flush()
	return nil
}

func (r ranges) gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	digests, err := sortedValues(ctx, values)
	if err != nil {
		return nil, err
	}
	return writePart(ctx, out, owner, digests)
}

// sortedValues returns the digests of all blocks, sorted.
func sortedValues(ctx context.Context, blocks iter.Seq[[]byte]) ([]hashfam.Digest, error) {
	var digests []hashfam.Digest
	for block := range blocks {
		digests = parseWords(digests, block)
	}
	return sorted(ctx, digests)
}

// sorted sorts digests by the first value of their probe sequences, the order
// in which a static filter is built, and drops copies. It overwrites its
// argument.
func sorted(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	return ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
}

// parseWords appends the words of a block, which may be digests, to words.
func parseWords[W ~uint64](words []W, block []byte) []W {
	for ; len(block) >= 8; block = block[8:] {
		words = append(words, W(binary.LittleEndian.Uint64(block)))
	}
	return words
}

// wordsOf returns the number of words in all parts.
func wordsOf(parts map[int]part) (n uint64) {
	for _, p := range parts {
		n += p.Bytes / 8
	}
	return n
}

func (r ranges) finish(ctx context.Context, out string, records iter.Seq2[[]byte, error], sum *Summary) error {
	parts, err := partsOf(records)
	if err != nil {
		return err
	}
	return r.spec.writeSorted(ctx, out, wordsOf(parts), sum, func(add func([]hashfam.Digest) error) error {
		return r.each(ctx, parts, add)
	})
}

// each calls add with the digests of all parts in ascending order.
func (r ranges) each(ctx context.Context, parts map[int]part, add func([]hashfam.Digest) error) error {
	var digests []hashfam.Digest
	for owner := range r.spec.windows() {
		p, written := parts[owner]
		if !written { // it got no digest
			continue
		}
		var failed error
		err := p.read(ctx, func(piece []byte) bool {
			digests = parseWords(digests[:0], piece)
			failed = add(digests)
			return failed == nil
		})
		if err := errors.Join(failed, err); err != nil {
			return err
		}
	}
	return nil
}
