package filterbeam

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
)

// In apart, each task builds a part of the filter from its keys and writes the
// part's frame to a file. The last task writes the index of these files.
type apart struct{ spec }

func (a apart) collector(emit emitter) (collector, error) {
	return digestCollector{a.task, newBlocks(a.Parts, emit)}, nil
}

func (a apart) task(d hashfam.Digest) int { return d.Shard(a.Parts) }

// A builtPart describes a part and its file.
type builtPart struct {
	file
	FPRate   float64
	Distinct uint64
}

func (a apart) gather(ctx context.Context, out string, task int, values iter.Seq[[]byte]) ([]byte, error) {
	var sum Summary
	filter, err := a.part(ctx, values, &sum)
	if err != nil {
		return nil, fmt.Errorf("filterbeam: part %d: %w", task, err)
	}
	written, err := writeFile(ctx, out, shardPurpose, filter)
	return encoded(builtPart{written, sum.FPRate, sum.Distinct}, err)
}

// part returns the filter of the digests in some blocks, and describes it in
// sum.
func (a apart) part(ctx context.Context, blocks iter.Seq[[]byte], sum *Summary) (io.WriterTo, error) {
	b, err := a.builder()
	if err != nil {
		return nil, err
	}
	var digests []hashfam.Digest
	for block := range blocks {
		digests = parseWords(digests[:0], block)
		if err := b.add(digests, nil); err != nil {
			return nil, err
		}
	}
	return b.finish(ctx, sum)
}

// finish returns the index. A part without keys has no file.
func (a apart) finish(_ context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	parts, err := decodeRecords[builtPart](records, a.Parts)
	if err != nil {
		return nil, err
	}
	x := index.Index{Version: 1, Kind: string(a.Kind), Check: a.Check, Parts: make([]index.Part, a.Parts)}
	for i, p := range parts {
		if len(p.Name) > 0 {
			x.Parts[i] = index.Part{Name: filepath.Base(string(p.Name)), Bytes: int64(p.Bytes), CRC: p.CRC}
		}
		sum.FPRate += p.FPRate / float64(a.Parts)
		sum.Distinct += p.Distinct
		sum.Size += p.Bytes
	}
	encoded, err := x.Append(nil)
	return bytes.NewReader(encoded), err
}
