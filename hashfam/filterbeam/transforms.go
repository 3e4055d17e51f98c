package filterbeam

import (
	"context"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Summary]())
	// These are called once for a task, so a call by reflection is fast enough.
	// The generic functions that avoid it take a minute to compile.
	beam.RegisterType(reflect.TypeFor[nothingFn]())
	beam.RegisterType(reflect.TypeFor[gatherFn]())
	beam.RegisterType(reflect.TypeFor[finishFn]())
	beam.RegisterType(reflect.TypeFor[sweepFn]())
	register.Emitter2[int, Summary]()
	register.Emitter1[Summary]()
	register.Iter1[[]byte]()
	register.Iter1[Summary]()
}

// Files builds the structure of the plan from the lines of files and writes its
// frame to the file out. Every line is a key, without its line end (as
// bufio.ScanLines splits lines; an empty line is the empty key). Patterns are
// those of the file system; a file that several of them match, however they
// spell its name, is read once. A file whose name ends in .gz is decompressed.
//
// The result has one element, a [Summary]. The job fails without a pattern, if
// a pattern matches no file or one that a job writes, such as out, if a file is
// longer or shorter than listed, or if a worker does not know the plan's
// family. If it fails, out stays as it was: the frame is written under another
// name, and renamed at the end. A file system without a rename copies it.
// O(bytes read) time, spread over the workers; see docs/distributed.md for
// memory.
//
// The program must import a package of Beam for each file system of the
// patterns and of out: for local files
//
//	import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
//
// and filesystem/gcs or filesystem/s3 for gs:// and s3://. Otherwise the job
// fails with: file system scheme "default" not registered.
func Files(s beam.Scope, p Plan, out string, patterns ...string) beam.PCollection {
	s = s.Scope("filterbeam.Files")
	matched, listed := beam.ParDo2(s, newMatchFn(out, patterns), beam.Impulse(s))
	values := beam.ParDo(s, &readFn{bundle: bundle{Spec: p.spec}}, beam.Reshuffle(s, matched))
	return join(s, p, out, 1, beam.Flatten(s, values, listed))
}

// join builds the structure of the values that bundles have collected from the
// files of some listings, and writes it. The stages are those of a [design].
func join(s beam.Scope, p Plan, out string, lists int, values beam.PCollection) beam.PCollection {
	nothing := beam.ParDo(s, &nothingFn{lists}, beam.Impulse(s))
	gathered := beam.ParDo(s, &gatherFn{p.spec, fileName(out)}, beam.GroupByKey(s, values))
	records := beam.GroupByKey(s, beam.Flatten(s, gathered, nothing))
	if p.spec.solved() {
		records = solve(s, p, out, records)
	}
	written := beam.GroupByKey(s, beam.ParDo(s, &finishFn{p.spec, fileName(out)}, records))
	return beam.ParDo(s, &sweepFn{fileName(out)}, written)
}

// A nothingFn sends the record of a tally without keys, so that a job without
// any key writes an empty structure.
type nothingFn struct{ Lists int }

func (f *nothingFn) ProcessElement(_ []byte, emit func(int, []byte)) {
	emit(0, tally{totals: totals{Wanted: uint64(f.Lists)}}.append([]byte{tallyRecord}))
}

// A gatherFn makes one record of the values of an owner, and counts them.
type gatherFn struct {
	Spec spec
	Out  fileName
}

func (g *gatherFn) ProcessElement(ctx context.Context, owner int, next func(*[]byte) bool, emit func(int, []byte)) error {
	d, err := g.Spec.design()
	if err != nil {
		return err
	}
	return emitRecord(ctx, string(g.Out), owner, next, emit, d.gather)
}

// emitRecord emits the record that make returns for the values of an owner, or
// the sum of tallies.
func emitRecord(ctx context.Context, out string, owner int, next func(*[]byte) bool, emit func(int, []byte),
	make func(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error)) error {
	if owner == tallyOwner {
		return emitTally(next, emit)
	}
	var arrived load
	record, err := make(ctx, out, owner, arrived.arriving(values(next)))
	if err == nil {
		header := appendFixed([]byte{valueRecord}, ownerLoad{int64(owner), arrived})
		emit(0, append(header, record...))
	}
	return err
}

// emitTally emits the sum of tallies as a record.
func emitTally(next func(*[]byte) bool, emit func(int, []byte)) error {
	var sum tally
	for encoded := range values(next) {
		if err := sum.add(encoded); err != nil {
			return err
		}
	}
	emit(0, sum.append([]byte{tallyRecord}))
	return nil
}

// values returns the sequence of what next returns.
func values(next func(*[]byte) bool) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var value []byte
		for next(&value) && yield(value) {
		}
	}
}

// A finishFn writes the output.
type finishFn struct {
	Spec spec
	Out  fileName
}

func (f *finishFn) ProcessElement(ctx context.Context, _ int, next func(*[]byte) bool, emit func(int, Summary)) error {
	d, err := f.Spec.design()
	if err != nil {
		return err
	}
	sum := Summary{Output: string(f.Out), Complete: true}
	var books ledger
	if err := d.finish(ctx, string(f.Out), books.records(values(next), &sum), &sum); err != nil {
		return err
	}
	sum.count(ctx)
	emit(0, sum)
	return nil
}

// A sweepFn removes intermediate files. It runs behind a barrier, so that an
// attempt to finish that is repeated still finds them.
type sweepFn struct{ Out fileName }

func (f *sweepFn) ProcessElement(ctx context.Context, _ int, next func(*Summary) bool, emit func(Summary)) error {
	if _, err := Clean(ctx, string(f.Out)); err != nil {
		log.Warnf(ctx, "filterbeam: intermediate files of %s: %v", f.Out, err)
	}
	var sum Summary
	for next(&sum) {
		emit(sum)
	}
	return nil
}
