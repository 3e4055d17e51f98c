package filterbeam

import (
	"cmp"
	"context"
	"io"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// In ranges, each task sorts the digests in its range and drops duplicates. The
// last task reads the digests of all ranges in order and builds the filter, so
// the result depends only on the set of keys.
type ranges struct{ spec }

// A digestCollector sends digests to their tasks.
type digestCollector struct {
	task func(hashfam.Digest) int
	*blocks
}

func (c digestCollector) add(digests []hashfam.Digest, _ [][]byte) error {
	for _, d := range digests {
		c.put64(c.task(d), uint64(d))
	}
	return nil
}

func (r ranges) collector(emit emitter) (collector, error) {
	return digestCollector{r.task, newBlocks(r.tasks(), emit)}, nil
}

// task returns the task for a digest. The numbers of the tasks ascend in the
// order of sorted.
func (r ranges) task(d hashfam.Digest) int { return int(d.Probe().In(uint64(r.tasks()))) }

func (r ranges) gather(ctx context.Context, out string, _ int, values iter.Seq[[]byte]) ([]byte, error) {
	var digests []hashfam.Digest
	for block := range values {
		digests = parseWords(digests, block)
	}
	digests, err := sorted(ctx, digests)
	if err != nil {
		return nil, err
	}
	return encoded(writeFile(ctx, out, partPurpose, wordFile[hashfam.Digest](digests)))
}

func (r ranges) finish(ctx context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	files, err := decodeRecords[file](records, r.tasks())
	if err != nil {
		return nil, err
	}
	n := uint64(0)
	for _, f := range files {
		n += f.Bytes / wordBytes
	}
	all := fileReader{ctx: ctx, files: files}
	made, err := r.buildSorted(ctx, n, all.digests, sum)
	return made, cmp.Or(all.err, err)
}
