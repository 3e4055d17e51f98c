package filterbeam

import (
	"cmp"
	"context"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/filterfam/filterfam/hashfam"
)

func init() {
	// These are called once for a task or for a piece of a file, so that calls
	// by reflection are fast enough. Generic functions would take a minute to
	// compile.
	for _, t := range []reflect.Type{
		reflect.TypeFor[matchFn](), reflect.TypeFor[readFn](), reflect.TypeFor[nothingFn](), reflect.TypeFor[gatherFn](),
		reflect.TypeFor[divideFn](), reflect.TypeFor[finishFn](), reflect.TypeFor[sweepFn](),
		reflect.TypeFor[Summary](), reflect.TypeFor[hashfam.Digest](),
	} {
		beam.RegisterType(t)
	}
	register.DoFn3x1[context.Context, string, func(int, []byte), error](&keyFn[string]{})
	register.DoFn3x1[context.Context, []byte, func(int, []byte), error](&keyFn[[]byte]{})
	register.DoFn3x1[context.Context, hashfam.Digest, func(int, []byte), error](&digestFn{})
	register.Emitter2[string, int64]()
	register.Emitter2[int, []byte]()
	register.Emitter2[int, Summary]()
	register.Emitter1[Summary]()
	register.Iter1[[]byte]()
	register.Iter1[Summary]()
}

// Files builds the structure of the plan from the lines of files and writes its
// frame to the file out. Each line, as split by bufio.ScanLines, is a key.
// Empty lines are skipped, unless [Plan.Lines] says otherwise. Patterns must be
// patterns of the file system. A file that is matched several times is read
// once, even if its name is spelled differently. A file that begins like a gzip
// file is decompressed, whatever its name, and a UTF-8 byte order mark at the
// beginning is skipped.
//
// The result has one element, a [Summary]. The job fails if there are no
// patterns, if a pattern matches no file or a file that a job writes, such as
// out, if a file does not contain lines but is for example a filter, an archive,
// UTF-16 or compressed in another way, if a file is longer or shorter than
// listed, or if a worker does not know the plan's family. If the job fails, out
// stays unchanged, because the frame is written using another name and renamed
// at the end, or copied if the file system cannot rename files. The program must
// import the file systems of the patterns and of out, as described in the
// package comment. See docs/distributed.md for the memory that a job needs.
func Files(s beam.Scope, p Plan, out string, patterns ...string) beam.PCollection {
	s = s.Scope("filterbeam.Files")
	matched, listed := beam.ParDo2(s, newMatchFn(out, patterns), beam.Impulse(s))
	values := beam.ParDo(s, &readFn{bundle: bundle{Spec: p.spec}}, beam.Reshuffle(s, matched))
	return join(s, p, out, 1, values, listed)
}

// Build builds the structure of the plan from a collection of keys and writes
// its frame to the file out. The keys must be of type string, []byte or
// hashfam.Digest. Heavy hitters and a top k store keys, so these cannot be
// built from digests. When the keys are in files, use [Files] instead, because
// an element is much more expensive than a line.
//
// The result has one element, a [Summary]. The job fails if the elements have
// another type. The collection must be bounded, but it can have windows, which
// are ignored. Build uses out like Files, so the program must import the file
// system of out.
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
	default: // the engine returns an error unless this is []byte
		collect = &keyFn[[]byte]{e}
	}
	return join(s, p, out, 0, beam.ParDo(s, collect, keys))
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
	if err := f.Spec.checkRate(sum); err != nil {
		return err
	}
	n, err := replace(ctx, sum.Output, made)
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

// The elements are collected in batches.
type elements struct {
	bundle
	arena []byte   // bytes of the keys in the batch
	keys  [][]byte // none if the elements are digests
}

// The limits for a batch.
const (
	batchKeys  = 512
	batchBytes = blockBytes
)

// StartBundle drops the state that a failed bundle may have left.
func (e *elements) StartBundle(emit func(int, []byte)) {
	e.bundle.StartBundle(emit)
	e.drop()
}

// drop drops the batch.
func (e *elements) drop() { e.arena, e.keys, e.digests = e.arena[:0], e.keys[:0], e.digests[:0] }

// FinishBundle collects the last batch and sends the values that are left.
func (e *elements) FinishBundle(ctx context.Context, emit func(int, []byte)) error {
	if len(e.keys)+len(e.digests) > 0 {
		if err := e.flush(ctx, emit); err != nil {
			return err
		}
	}
	return e.bundle.FinishBundle(ctx, emit)
}

// flush collects the batch.
func (e *elements) flush(ctx context.Context, emit func(int, []byte)) error {
	defer e.drop()
	if err := e.open(emit); err != nil {
		return err
	}
	if e.keys == nil {
		return e.add(ctx, e.digests, nil)
	}
	e.tally.Totals[bytesRead] += uint64(len(e.arena))
	return e.addKeys(ctx, e.keys)
}

// A keyFn collects keys that have not been hashed.
type keyFn[K string | []byte] struct{ elements }

func (f *keyFn[K]) ProcessElement(ctx context.Context, key K, emit func(int, []byte)) error {
	start := len(f.arena)
	f.arena = append(f.arena, key...)
	f.keys = append(f.keys, f.arena[start:len(f.arena):len(f.arena)])
	if len(f.keys) < batchKeys && len(f.arena) < batchBytes {
		return nil
	}
	return f.flush(ctx, emit)
}

// A digestFn collects digests.
type digestFn struct{ elements }

func (f *digestFn) ProcessElement(ctx context.Context, d hashfam.Digest, emit func(int, []byte)) error {
	f.digests = append(f.digests, d)
	if len(f.digests) < batchKeys {
		return nil
	}
	return f.flush(ctx, emit)
}
