package filterbeam

import (
	"cmp"
	"context"
	"io"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	// These are called once for a task or for a piece of a file, so that calls
	// by reflection are fast enough. Generic functions would take a minute to
	// compile.
	for _, t := range []reflect.Type{
		reflect.TypeFor[Summary](), reflect.TypeFor[matchFn](), reflect.TypeFor[readFn](), reflect.TypeFor[nothingFn](),
		reflect.TypeFor[gatherFn](), reflect.TypeFor[divideFn](), reflect.TypeFor[finishFn](), reflect.TypeFor[sweepFn](),
	} {
		beam.RegisterType(t)
	}
	register.Emitter2[string, int64]()
	register.Emitter2[int, []byte]()
	register.Emitter2[int, Summary]()
	register.Emitter1[Summary]()
	register.Iter1[[]byte]()
	register.Iter1[Summary]()
}

// Files builds the structure of the plan from the lines of files and writes its
// frame to the file out. Each line, as split by bufio.ScanLines, is a key. An
// empty line is the empty key. Patterns must be patterns of the file system. A
// file that is matched several times is read once, even if its name is spelled
// differently. A file whose name ends in .gz is decompressed.
//
// The result has one element, a [Summary]. The job fails if there are no
// patterns, if a pattern matches no file or a file that a job writes, such as
// out, if a file is longer or shorter than listed, or if a worker does not know
// the plan's family. If the job fails, out stays unchanged, because the frame
// is written using another name and renamed at the end. A file system that
// cannot rename files copies it instead. The program must import the file
// systems of the patterns and of out, as described in the package comment. See
// docs/distributed.md for the memory that a job needs.
func Files(s beam.Scope, p Plan, out string, patterns ...string) beam.PCollection {
	s = s.Scope("filterbeam.Files")
	matched, listed := beam.ParDo2(s, newMatchFn(out, patterns), beam.Impulse(s))
	values := beam.ParDo(s, &readFn{bundle: bundle{Spec: p.spec}}, beam.Reshuffle(s, matched))
	return join(s, p, out, 1, values, listed)
}

// join adds the stages of the [design] that follow collect. values must contain
// the values of all bundles, and the tallies of lists listings of files.
func join(s beam.Scope, p Plan, out string, lists int, values ...beam.PCollection) beam.PCollection {
	nothing := beam.ParDo(s, &nothingFn{lists}, beam.Impulse(s))
	gather := func(values beam.PCollection) beam.PCollection {
		return beam.GroupByKey(s, beam.ParDo(s, &gatherFn{p.spec, fileName(out)}, beam.GroupByKey(s, values)))
	}
	records := gather(beam.Flatten(s, append(values, nothing)...))
	if p.spec.Kind == staticKind && p.spec.Parts == 0 {
		p.spec.Sorted = true
		records = gather(beam.ParDo(s, &divideFn{p.spec}, records))
	}
	written := beam.GroupByKey(s, beam.ParDo(s, &finishFn{p.spec, fileName(out)}, records))
	return beam.ParDo(s, &sweepFn{fileName(out)}, written)
}

// A nothingFn sends a tally without keys, so that a job writes an empty
// structure if there are no keys.
type nothingFn struct{ Lists int }

func (f *nothingFn) ProcessElement(_ []byte, emit func(int, []byte)) {
	emit(tallyOwner, tally{Totals: [totals]uint64{listsWanted: uint64(f.Lists)}}.append(nil))
}

// A gatherFn turns the values of an owner into a record, and tallies them.
type gatherFn struct {
	Spec spec
	Out  fileName
}

func (g *gatherFn) ProcessElement(ctx context.Context, owner int, next func(*[]byte) bool, emit func(int, []byte)) error {
	d, err := g.Spec.design()
	if err != nil {
		return err
	}
	var t tally
	var value []byte
	if owner == tallyOwner {
		for encoded := range values(next) {
			if _, err := t.add(encoded); err != nil {
				return err
			}
		}
	} else {
		got := load{Tasks: 1}
		if value, err = d.gather(ctx, string(g.Out), owner, got.arriving(values(next))); err != nil {
			return err
		}
		t.Arrived = map[int]load{owner: got}
	}
	emit(0, append(t.append(nil), value...))
	return nil
}

// values returns the sequence of the values that next returns.
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
	var books tally
	var failed error
	made, err := d.finish(ctx, books.records(values(next), &failed), &sum)
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	books.describe(&sum)
	n, err := writeFrame(ctx, sum.Output, made)
	if err != nil {
		return err
	}
	if f.Spec.Parts == 0 { // otherwise it is the size of the parts
		sum.Size = n
	}
	sum.count(ctx)
	emit(0, sum)
	return nil
}

// writeFrame writes a structure's frame and returns its size.
func writeFrame(ctx context.Context, out string, made io.WriterTo) (size uint64, err error) {
	err = replace(ctx, out, func(w io.Writer) error {
		n, err := made.WriteTo(w)
		size = uint64(n)
		return err
	})
	return size, err
}

// A sweepFn removes intermediate files. It is a stage of its own, so that a
// finishFn that is repeated still finds them.
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
