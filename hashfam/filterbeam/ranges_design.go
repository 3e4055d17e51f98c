package filterbeam

import (
	"cmp"
	"context"
	"io"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// In ranges, each owner sorts the digests in its range and drops duplicates. A
// single task adds the digests of all ranges in order, so the result depends
// only on the set of keys.
type ranges struct{ spec }

// A digestCollector sends digests to their owners.
type digestCollector struct {
	owner func(hashfam.Digest) int
	*blocks
}

func (c digestCollector) add(digests []hashfam.Digest, _ [][]byte) error {
	for _, d := range digests {
		c.put64(c.owner(d), uint64(d))
	}
	return nil
}

func (r ranges) collector(emit emitter) (collector, error) {
	owner := func(d hashfam.Digest) int { return r.owner(uint64(d.Probe())) }
	return digestCollector{owner, newBlocks(r.windows(), emit)}, nil
}

// owner returns the owner of the digests whose probe sequences begin with
// first. The owners ascend with first.
func (r ranges) owner(first uint64) int {
	return int(hashfam.Reduce(first, uint64(r.windows())))
}

func (r ranges) gather(ctx context.Context, out string, _ int, values iter.Seq[[]byte]) ([]byte, error) {
	var digests []hashfam.Digest
	for block := range values {
		digests = parseWords(digests, block)
	}
	digests, err := sorted(ctx, digests)
	if err != nil {
		return nil, err
	}
	return encoded(writeWords(ctx, out, digests))
}

// sorted sorts digests by the first value of their probe sequences, which is
// the order that a static filter needs, and drops duplicates. It overwrites its
// argument.
func sorted(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	return ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
}

func (r ranges) finish(ctx context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	parts, err := decodeRecords[part](records, r.windows())
	if err != nil {
		return nil, err
	}
	var failed error
	made, err := r.buildSorted(ctx, wordsOf(parts), sum, func(yield func([]hashfam.Digest) bool) {
		var digests []hashfam.Digest
		for piece := range pieces(ctx, parts, &failed) {
			digests = parseWords(digests[:0], piece)
			if !yield(digests) {
				return
			}
		}
	})
	return made, cmp.Or(failed, err)
}
