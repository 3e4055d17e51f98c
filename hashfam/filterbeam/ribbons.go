package filterbeam

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

func init() {
	// They are called once for a task, so a call by reflection is fast enough.
	beam.RegisterType(reflect.TypeFor[divideFn]())
	beam.RegisterType(reflect.TypeFor[solveFn]())
}

// Ribbons: as in ranges, each owner sorts the digests of its range. Their
// number, which is then known, gives the shards of the ribbon. Each task solves
// some shards, from the sorted digests of the ranges that they overlap. One
// task joins the shards and builds the layers of the digests that they bump.
type ribbons struct{ ranges }

// solved reports whether the plan's records are solved before they are joined.
func (s spec) solved() bool { return s.Kind == staticKind && s.Parts == 0 }

// solve adds the stages between the sorted ranges and the join.
func solve(s beam.Scope, p Plan, out string, records beam.PCollection) beam.PCollection {
	tasks := beam.GroupByKey(s, beam.ParDo(s, &divideFn{p.spec}, records))
	return beam.GroupByKey(s, beam.ParDo(s, &solveFn{p.spec, fileName(out)}, tasks))
}

// A divideFn divides the shards among tasks. The books of the stages before it
// end here, and begin again with the tasks.
type divideFn struct{ Spec spec }

func (f *divideFn) ProcessElement(_ int, next func(*[]byte) bool, emit func(int, []byte)) error {
	var books ledger
	var sum Summary
	tasks, err := ribbons{ranges{f.Spec}}.divide(books.records(values(next), &sum))
	if err != nil {
		return err
	}
	t := tally{totals: books.tally.totals}
	t.Items = uint64(len(tasks))
	for i, task := range tasks {
		task = sealed(task, 1)
		t.send(i, task)
		emit(i, task)
	}
	emit(tallyOwner, t.append(nil))
	return nil
}

// A solveFn solves the shards of a task.
type solveFn struct {
	Spec spec
	Out  fileName
}

func (f *solveFn) ProcessElement(ctx context.Context, owner int, next func(*[]byte) bool, emit func(int, []byte)) error {
	return emitRecord(ctx, string(f.Out), owner, next, emit, ribbons{ranges{f.Spec}}.solve)
}

// A shardRange is some shards of a ribbon of n keys.
type shardRange struct {
	Keys     uint64
	Columns  uint32
	From, To uint64 // shards from From to To, To not included
}

func (s shardRange) shards() ribbon.Shards { return ribbon.NewShards(s.Columns, s.Keys) }

// A solveTask is what one task solves: the shards, and the parts that have
// their digests.
type solveTask struct {
	shardRange
	Parts []part
}

// A solvedRange is what a task has solved.
type solvedRange struct {
	shardRange
	Thresholds, Words, Bumped part
}

// columns returns the columns of a filter of n keys.
func (r ribbons) columns(n uint64) (uint32, error) {
	var p staticParams
	if err := r.spec.decode(&p); err != nil {
		return 0, err
	}
	columns, ok := sizing.RibbonColumns(p.FPRate, n)
	if !ok || n > ribbon.MaxKeys {
		return 0, errs.Field(ErrParams, "keys", n, fmt.Sprintf("a number that a static filter can have at FPRate %g", p.FPRate))
	}
	return columns, nil
}

// divide returns the tasks, encoded.
func (r ribbons) divide(records iter.Seq2[[]byte, error]) ([][]byte, error) {
	parts, err := partsOf(records)
	if err != nil {
		return nil, err
	}
	n := wordsOf(parts)
	columns, err := r.columns(n)
	if err != nil || n == 0 {
		return nil, err
	}
	all := ribbon.NewShards(columns, n).Len()
	tasks := make([][]byte, min(uint64(r.spec.windows()), all))
	for i := range tasks {
		from, to := uint64(i)*all/uint64(len(tasks)), uint64(i+1)*all/uint64(len(tasks))
		shards := shardRange{n, columns, from, to}
		if tasks[i], err = json.Marshal(solveTask{shards, r.overlapping(shards, parts)}); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// overlapping returns the parts that have digests of the shards.
func (r ribbons) overlapping(s shardRange, parts map[int]part) []part {
	var some []part
	first, last := s.shards().Ranks(s.From, s.To)
	for owner := r.owner(first); owner <= r.owner(last); owner++ {
		if p, written := parts[owner]; written {
			some = append(some, p)
		}
	}
	return some
}

// solve solves the shards of a task and writes them to part files.
func (r ribbons) solve(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	var task solveTask
	for encoded := range values {
		if err := json.Unmarshal(encoded, &task); err != nil {
			return nil, fmt.Errorf("filterbeam: record of shards: %w", err)
		}
	}
	first, last := task.shards().Ranks(task.From, task.To)
	var digests []hashfam.Digest
	for _, p := range task.Parts {
		err := p.read(ctx, func(piece []byte) bool {
			digests = appendBetween(digests, piece, first, last)
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	thresholds, words, bumped, err := task.shards().Solve(ctx, task.From, task.To, digests)
	if err != nil {
		return nil, err
	}
	return writeSolved(ctx, out, owner, task.shardRange, thresholds, words, bumped)
}

// appendBetween appends those digests of a block whose first probe value is in
// a range.
func appendBetween(digests []hashfam.Digest, block []byte, first, last uint64) []hashfam.Digest {
	for ; len(block) >= 8; block = block[8:] {
		d := hashfam.Digest(binary.LittleEndian.Uint64(block))
		if x := uint64(d.Probe()); x >= first && x <= last {
			digests = append(digests, d)
		}
	}
	return digests
}

// writeSolved writes three parts and returns their record.
func writeSolved(ctx context.Context, out string, owner int, r shardRange, thresholds, words []uint64, bumped []hashfam.Digest) ([]byte, error) {
	solved := solvedRange{shardRange: r}
	var err error
	if solved.Thresholds, err = newPart(ctx, out, owner, thresholds); err != nil {
		return nil, err
	}
	if solved.Words, err = newPart(ctx, out, owner, words); err != nil {
		return nil, err
	}
	if solved.Bumped, err = newPart(ctx, out, owner, bumped); err != nil {
		return nil, err
	}
	return json.Marshal(solved)
}

// finish joins the shards and writes the frame. The words pass through it from
// the part files; it holds the rest.
func (r ribbons) finish(ctx context.Context, out string, records iter.Seq2[[]byte, error], sum *Summary) error {
	all, err := decodeRecords[solvedRange](records)
	if err != nil {
		return err
	}
	if len(all) == 0 { // there are no keys
		return r.spec.writeSorted(ctx, out, 0, sum, func(func([]hashfam.Digest) error) error { return nil })
	}
	slices.SortFunc(all, func(a, b solvedRange) int { return cmp.Compare(a.From, b.From) })
	joined, err := r.join(ctx, all)
	if err != nil {
		return err
	}
	header := joined.Shape().Header(r.spec.Check, joined.PayloadBytes())
	sum.FPRate = sizing.WithDigest(joined.Rate(), joined.Shape().Keys)
	sum.Distinct, sum.Size = joined.Shape().Keys, header.Size()
	return replace(ctx, out, func(w io.Writer) error {
		var failed error
		payload := joined.PayloadAround(func(yield func([]byte) bool) { failed = words(ctx, all, yield) })
		_, err := frame.Write(w, header, payload)
		return cmp.Or(failed, err)
	})
}

// join returns the ribbon without the words of its first layer.
func (r ribbons) join(ctx context.Context, all []solvedRange) (*ribbon.Ribbon, error) {
	var p staticParams
	if err := r.spec.decode(&p); err != nil {
		return nil, err
	}
	var thresholds []uint64
	var bumped []hashfam.Digest
	for _, s := range all {
		var err error
		if thresholds, err = appendPart(ctx, thresholds, s.Thresholds); err != nil {
			return nil, err
		}
		if bumped, err = appendPart(ctx, bumped, s.Bumped); err != nil {
			return nil, err
		}
	}
	return all[0].shards().Join(ctx, ribbon.Build{Workers: max(p.Workers, 1)}, thresholds, bumped)
}

// appendPart appends the words of a part.
func appendPart[W ~uint64](ctx context.Context, words []W, p part) ([]W, error) {
	err := p.read(ctx, func(piece []byte) bool {
		words = parseWords(words, piece)
		return true
	})
	return words, err
}

// words yields the words of all shards in order.
func words(ctx context.Context, all []solvedRange, yield func([]byte) bool) error {
	going := true
	for _, s := range all {
		err := s.Words.read(ctx, func(piece []byte) bool {
			going = yield(piece)
			return going
		})
		if err != nil || !going {
			return err
		}
	}
	return nil
}
