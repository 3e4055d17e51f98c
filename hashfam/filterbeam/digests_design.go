package filterbeam

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// In ranges, each owner sorts the digests in its range and drops duplicates. A
// single task reads the digests of all ranges in order and builds the filter,
// so the result depends only on the set of keys.
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

// In apart, each owner builds a filter from the keys in its shard and writes
// its frame to a file. A single task writes the index of these files.
type apart struct{ spec }

func (a apart) collector(emit emitter) (collector, error) {
	owner := func(d hashfam.Digest) int { return d.Shard(a.Parts) }
	return digestCollector{owner, newBlocks(a.Parts, emit)}, nil
}

// A shardFile describes a part's file.
type shardFile struct {
	part
	FPRate   float64
	Distinct uint64
}

func (a apart) gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	var sum Summary
	filter, err := a.build(ctx, &sum, values)
	if err != nil {
		return nil, fmt.Errorf("filterbeam: part %d: %w", owner, err)
	}
	file, err := writePart(ctx, out, shardPurpose, filter)
	return encoded(shardFile{file, sum.FPRate, sum.Distinct}, err)
}

// build returns a part's filter, and describes it in sum.
func (a apart) build(ctx context.Context, sum *Summary, values iter.Seq[[]byte]) (io.WriterTo, error) {
	p, err := a.process()
	if err != nil {
		return nil, err
	}
	var digests []hashfam.Digest
	for block := range values {
		digests = parseWords(digests[:0], block)
		if err := p.add(digests, nil); err != nil {
			return nil, err
		}
	}
	return p.finish(ctx, sum)
}

// finish returns the index. A part without keys has no file.
func (a apart) finish(_ context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	files, err := decodeRecords[shardFile](records, a.Parts)
	if err != nil {
		return nil, err
	}
	x := index.Index{Version: 1, Kind: string(a.Kind), Check: a.Check, Parts: make([]index.Part, a.Parts)}
	for i, f := range files {
		if len(f.Name) > 0 {
			x.Parts[i] = index.Part{Name: filepath.Base(string(f.Name)), Bytes: int64(f.Bytes), CRC: f.CRC}
		}
		sum.FPRate += f.FPRate / float64(a.Parts)
		sum.Distinct += f.Distinct
		sum.Size += f.Bytes
	}
	line, err := x.Append(nil)
	return bytes.NewReader(line), err
}
