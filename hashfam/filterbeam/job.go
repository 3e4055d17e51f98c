package filterbeam

import (
	"cmp"
	"context"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/filterfam/filterfam/hashfam"
)

// Files builds the structure of the plan from the lines of files and writes its
// frame to the file out. Each line is a key. Unless [Plan.Lines] says
// otherwise, lines are split as by bufio.ScanLines, and empty lines are
// skipped. Patterns must be patterns of the file system. A file that several
// patterns match is read once, even if they spell the name of a local file
// differently. A link counts as another file. A file that begins like a gzip
// file is decompressed, whatever its name, and a UTF-8 byte order mark at the
// beginning is skipped.
//
// The result has one element, a [Summary]. The job fails if
//
//   - there are no patterns, or one matches no file
//   - a pattern matches out, or another file that a job writes
//   - a file does not contain lines, but is for example a filter, an archive,
//     UTF-16 text or compressed in another way than gzip
//   - lines end with a carriage return alone
//   - a line is longer than 16 MiB
//   - a file is longer or shorter than the file system says
//   - a worker does not know the plan's family
//
// The frame is written to a file with another name, which is renamed to out at
// the end, so out stays unchanged if the job fails before that. If the file
// system cannot rename files, this file is copied to out instead, and out may
// be incomplete if copying fails.
//
// The program must import the file systems of the patterns and of out, as
// described in the package comment. See docs/distributed.md for the memory that
// a job needs.
func Files(s beam.Scope, p Plan, out string, patterns ...string) beam.PCollection {
	s = s.Scope("filterbeam.Files")
	files, listing := beam.ParDo2(s, newMatchFn(out, patterns), beam.Impulse(s))
	values := beam.ParDo(s, &readFn{bundle{Spec: p.spec}}, beam.Reshuffle(s, files))
	return gatherAndFinish(s, p, out, 1, values, listing)
}

// Build builds the structure of the plan from a collection of keys and writes
// its frame to the file out. The keys must be of type string, []byte or
// hashfam.Digest. Heavy hitters and a top k store keys, so these cannot be
// built from digests. When the keys are in files, use [Files] instead, because
// an element is much more expensive than a line.
//
// The result has one element, a [Summary]. The collection must be bounded, but
// it can have windows, which are ignored. Build panics, like beam.ParDo, if the
// elements have another type. It uses out like Files, so the program must
// import the file system of out.
func Build(s beam.Scope, p Plan, out string, keys beam.PCollection) beam.PCollection {
	s = s.Scope("filterbeam.Build")
	if !reflect.DeepEqual(keys.WindowingStrategy(), window.DefaultWindowingStrategy()) {
		keys = beam.WindowInto(s, window.NewGlobalWindows(), keys) // needs time for each key
	}
	e := elements{bundle: bundle{Spec: p.spec}}
	var collect any
	switch keys.Type().Type() {
	case reflect.TypeFor[string]():
		collect = &keyFn[string]{e}
	case reflect.TypeFor[hashfam.Digest]():
		collect = &digestFn{e}
	default: // []byte; beam.ParDo panics for other types
		collect = &keyFn[[]byte]{e}
	}
	return gatherAndFinish(s, p, out, 0, beam.ParDo(s, collect, keys))
}

// gatherAndFinish adds the stages that follow collect (see [design]). collected
// contains the values of all bundles and, for Files, the tally of the files
// that are listed. lists is the number of stages that list files: 1 for Files,
// and 0 for Build.
func gatherAndFinish(s beam.Scope, p Plan, out string, lists int, collected ...beam.PCollection) beam.PCollection {
	expected := beam.ParDo(s, &expectFn{lists}, beam.Impulse(s))
	values := beam.GroupByKey(s, beam.Flatten(s, append(collected, expected)...)) // by task
	records := beam.GroupByKey(s, beam.ParDo(s, &gatherFn{p.spec, fileName(out)}, values))
	summary := beam.GroupByKey(s, beam.ParDo(s, &finishFn{p.spec, fileName(out)}, records))
	return beam.ParDo(s, &sweepFn{fileName(out)}, summary)
}

// An expectFn sends a tally with the number of stages that list files. A job
// fails unless a tally from each of these stages arrives. Since an expectFn
// always sends its tally, the last task also runs in a job without keys, and
// writes an empty structure.
type expectFn struct{ Lists int }

func (f *expectFn) ProcessElement(_ []byte, emit func(int, []byte)) {
	emit(tallyTask, tally{Totals: [totals]uint64{listsWanted: uint64(f.Lists)}}.append(nil))
}

// A gatherFn turns the values of a task into a record with a tally.
type gatherFn struct {
	Spec spec
	Out  fileName
}

func (g *gatherFn) ProcessElement(ctx context.Context, task int, next func(*[]byte) bool, emit func(int, []byte)) error {
	var record []byte
	var err error
	if task == tallyTask {
		record, err = addTallies(sequence(next))
	} else {
		record, err = g.gather(ctx, task, sequence(next))
	}
	if err == nil {
		emit(0, record)
	}
	return err
}

// addTallies returns the sum of the bundles' tallies.
func addTallies(tallies iter.Seq[[]byte]) ([]byte, error) {
	var sum tally
	for encoded := range tallies {
		if _, err := sum.add(encoded); err != nil {
			return nil, err
		}
	}
	return sum.append(nil), nil
}

// gather returns the task's record, preceded by the tally of the values that
// arrived.
func (g *gatherFn) gather(ctx context.Context, task int, values iter.Seq[[]byte]) ([]byte, error) {
	d, err := g.Spec.design()
	if err != nil {
		return nil, err
	}
	arrived := load{Runs: 1}
	record, err := d.gather(ctx, string(g.Out), task, arrived.entering(values))
	if err != nil {
		return nil, err
	}
	own := tally{Arrived: map[int]load{task: arrived}}
	return append(own.append(nil), record...), nil
}

// sequence returns the sequence of the values that next returns.
func sequence(next func(*[]byte) bool) iter.Seq[[]byte] {
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
	arrived := records{arriving: sequence(next)}
	content, err := d.finish(ctx, arrived.all, &sum)
	if err := cmp.Or(arrived.err, err); err != nil {
		return err
	}
	arrived.tally.describe(&sum)
	if err := f.Spec.checkRate(sum); err != nil {
		return err
	}
	size, err := replace(ctx, sum.Output, content)
	if err != nil {
		return err
	}
	if f.Spec.Parts == 0 { // otherwise it is the size of the parts
		sum.Size = size
	}
	sum.count(ctx)
	emit(0, sum)
	return nil
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
