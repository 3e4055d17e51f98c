package filterbeam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
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

// In ribbons, the digests have been sorted as in ranges, so their number is
// known, which determines the ribbon's shards. A value is a task, which is to
// solve some shards using the sorted digests of the ranges that they overlap. A
// single task joins the shards and builds the layers for the digests that they
// bump.
type ribbons struct{ ranges }

// A divideFn divides the shards among tasks. It checks the tally of the
// previous stages, and starts another for the tasks.
type divideFn struct{ Spec spec }

func (f *divideFn) ProcessElement(_ int, next func(*[]byte) bool, emit func(int, []byte)) error {
	var books tally
	var failed error
	tasks, err := ribbons{ranges{f.Spec}}.divide(books.records(values(next), &failed))
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	t := tally{Totals: books.Totals}
	t.Totals[itemsRead] = uint64(len(tasks))
	for i, task := range tasks {
		task = sealed(task, 1)
		t.send(i, task)
		emit(i, task)
	}
	emit(tallyOwner, t.append(nil))
	return nil
}

// A shardRange is a task: the range [From, To) of a ribbon's shards, with the
// parts that contain its digests before it is solved, and then with those that
// contain its solution.
type shardRange struct {
	Keys     uint64 // of the whole ribbon
	Columns  uint32
	From, To uint64

	Digests                   []part
	Thresholds, Words, Bumped part
}

func (s shardRange) shards() ribbon.Shards { return ribbon.NewShards(s.Columns, s.Keys) }

// divide returns the encoded tasks.
func (r ribbons) divide(records iter.Seq2[int, []byte]) ([][]byte, error) {
	parts, err := decodeRecords[part](records, r.windows())
	if err != nil {
		return nil, err
	}
	c, err := params[static.Config](r.spec)
	n := wordsOf(parts)
	if err != nil || n == 0 {
		return nil, err
	}
	columns, ok := sizing.RibbonColumns(c.FPRate, n)
	if n > ribbon.MaxKeys {
		return nil, errs.Field(hashfam.ErrParams, "keys", n, fmt.Sprint("at most ", uint64(ribbon.MaxKeys)))
	}
	if !ok {
		return nil, errs.Field(hashfam.ErrParams, "FPRate", c.FPRate, fmt.Sprintf("a rate that a static filter of %d keys can have", n))
	}
	all := ribbon.NewShards(columns, n)
	tasks := make([][]byte, min(uint64(len(parts)), all.Len()))
	for i := range uint64(len(tasks)) {
		from := i * all.Len() / uint64(len(tasks))
		to := (i + 1) * all.Len() / uint64(len(tasks))
		first, last := all.Ranks(from, to)
		task := shardRange{Keys: n, Columns: columns, From: from, To: to, Digests: parts[r.owner(first) : r.owner(last)+1]}
		tasks[i], err = json.Marshal(task)
		if err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// gather solves a task's shards and writes them to part files.
func (r ribbons) gather(ctx context.Context, out string, _ int, values iter.Seq[[]byte]) ([]byte, error) {
	var task shardRange
	for encoded := range values {
		if err := json.Unmarshal(encoded, &task); err != nil {
			return nil, fmt.Errorf("filterbeam: record of shards: %w", err)
		}
	}
	first, last := task.shards().Ranks(task.From, task.To)
	digests, err := digestsBetween(ctx, task.Digests, first, last)
	if err != nil {
		return nil, err
	}
	thresholds, words, bumped, err := task.shards().Solve(ctx, task.From, task.To, digests)
	if err != nil {
		return nil, err
	}
	task.Digests = nil
	task.Thresholds, err = writeWords(ctx, out, thresholds)
	if err == nil {
		task.Words, err = writeWords(ctx, out, words)
	}
	if err == nil {
		task.Bumped, err = writeWords(ctx, out, bumped)
	}
	return encoded(task, err)
}

// digestsBetween returns the digests in parts whose first probe value is in
// [first, last].
func digestsBetween(ctx context.Context, parts []part, first, last uint64) (digests []hashfam.Digest, err error) {
	outside := func(d hashfam.Digest) bool { return uint64(d.Probe()) < first || uint64(d.Probe()) > last }
	var some []hashfam.Digest
	for piece := range pieces(ctx, parts, &err) {
		some = slices.DeleteFunc(parseWords(some[:0], piece), outside)
		digests = append(digests, some...)
	}
	return digests, err
}

// finish joins the shards. The words are streamed from the part files when the
// frame is written, and the rest is in memory.
func (r ribbons) finish(ctx context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	all, err := decodeRecords[shardRange](records, r.windows())
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s shardRange) bool { return s.Keys == 0 })
	if len(all) == 0 { // there are no keys
		return r.ranges.finish(ctx, maps.All(map[int][]byte{}), sum)
	}
	var thresholds, words, bumped []part
	for _, s := range all {
		thresholds = append(thresholds, s.Thresholds)
		words = append(words, s.Words)
		bumped = append(bumped, s.Bumped)
	}
	made, err := r.join(ctx, all[0].shards(), thresholds, bumped)
	if err != nil {
		return nil, err
	}
	sum.FPRate = sizing.WithDigest(made.Rate(), made.Shape().Keys)
	sum.Distinct = made.Shape().Keys
	return joined(ctx, made.Shape().Header(r.Check, made.PayloadBytes()), words, made.PayloadAround), nil
}

// join returns the ribbon without the words of its first layer.
func (r ribbons) join(ctx context.Context, s ribbon.Shards, thresholds, bumped []part) (*ribbon.Ribbon, error) {
	c, err := params[static.Config](r.spec)
	if err != nil {
		return nil, err
	}
	first, err := wordsIn[uint64](ctx, thresholds)
	if err != nil {
		return nil, err
	}
	digests, err := wordsIn[hashfam.Digest](ctx, bumped)
	if err != nil {
		return nil, err
	}
	return s.Join(ctx, ribbon.Build{Workers: max(c.Workers, 1)}, first, digests)
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
