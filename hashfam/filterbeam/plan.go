package filterbeam

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/memory"
)

var errs = &fault.Maker{Package: "filterbeam"}

// A Plan describes the structure that a job will build. It contains the
// structure's parameters instead of its Config, so that all workers build the
// same structure, and the family's name and check value, but never its key.
// [Bloom], [Counting], [Cuckoo], [Sketch], [Heavy] and [Static] return Plans.
type Plan struct{ spec spec }

// A spec contains a Plan's fields. It is sent to the workers as JSON.
type spec struct {
	Kind    kind
	Params  json.RawMessage // the structure's parameters, with the check value as the family
	Family  string          // name under which the family is registered; empty for the public family
	Check   uint64          // the family's check value
	Bytes   uint64          // size of the structure; 0 if it is not known in advance
	Windows int             // number of windows; 0 to derive it from Bytes
	Parts   int             // number of parts; 0 for a single frame
	Sorted  bool            // the digests of a static filter are sorted, and its shards must be solved
	FPRate  float64         // the rate that was wanted; 0 if it is not known
	Strict  bool            // the job fails if the filter has more than twice this rate
	Lines   Lines           // of files
}

type kind string

const (
	bloomKind    kind = "bloom"
	countingKind kind = "counting"
	cuckooKind   kind = "cuckoo"
	sketchKind   kind = "sketch"
	heavyKind    kind = "heavy"
	topkKind     kind = "topk"
	staticKind   kind = "static"
)

// frameLimit is the size of the largest filter that every bundle builds. A
// worker needs several times a frame's size for each bundle in progress.
const frameLimit = 8 << 20

// Bloom returns a plan for a Bloom filter. It returns the errors of
// bloom.Config.Params, and [hashfam.ErrParams] if the family is not registered.
func Bloom(c bloom.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(spec{Kind: bloomKind, Bytes: p.SizeBytes(), FPRate: c.FPRate}, p.Family, p, err)
}

// Counting returns a plan for a counting Bloom filter. Its errors are like the
// errors of [Bloom].
func Counting(c counting.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(spec{Kind: countingKind, Bytes: p.SizeBytes(), FPRate: c.FPRate}, p.Family, p, err)
}

// Cuckoo returns a plan for a cuckoo filter. The result does not depend on the
// order of the keys, because they are sorted by digest and duplicates are
// dropped, which needs 8 bytes of disk per key. A single task, which needs the
// filter's memory, then adds all keys. Cuckoo returns errors as [Bloom] does.
func Cuckoo(c cuckoo.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(spec{Kind: cuckooKind, Bytes: p.SizeBytes(), FPRate: c.FPRate}, p.Family, p, err)
}

// Sketch returns a plan for a count-min sketch. Every bundle builds a sketch,
// whatever its size. A Conservative sketch is valid, but differs from the
// sketch of a single process, because the errors of the bundles add up. Sketch
// returns errors as [Bloom] does.
func Sketch(c countmin.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(spec{Kind: sketchKind, Bytes: p.SizeBytes()}, p.Family, p, err)
}

// Heavy returns a plan for frequent keys. With Phi, every bundle builds a
// structure. With K, a key's counts are all added by the same task, so the
// result is as good as a single process's. Heavy returns errors as [Bloom]
// does.
func Heavy(c countmin.HeavyConfig) (Plan, error) {
	_, err := countmin.NewHeavyHitters(c)
	if c.K > 0 {
		return newPlan(spec{Kind: topkKind}, c.Family, c, err)
	}
	return newPlan(spec{Kind: heavyKind, Bytes: uint64(c.MemoryBytes)}, c.Family, c, err)
}

// Static returns a plan for a static filter. The keys are sorted by digest,
// which needs 8 bytes of disk per key, and each task solves the equations for a
// range. A single task joins the results, using 0.4 bytes of memory per key and
// c.Workers goroutines. Static does not call c.Progress, and returns errors as
// [Bloom] does.
func Static(c static.Config) (Plan, error) {
	_, err := c.EstimatedBytes(0)
	if c.MemoryBytes > 0 {
		err = errs.Field(hashfam.ErrParams, "Config.MemoryBytes", c.MemoryBytes, "0: the size of the filter is known when it is built")
	}
	return newPlan(spec{Kind: staticKind, FPRate: c.FPRate}, c.Family, c, err)
}

// newPlan returns a plan with the given spec and parameters, or err if that is
// not nil.
func newPlan(s spec, fam hashfam.Family, params any, err error) (Plan, error) {
	if err != nil {
		return Plan{}, err
	}
	s.Check = fam.CheckValue()
	s.Family, err = nameOf(fam)
	if err != nil {
		return Plan{}, err
	}
	s.Params, err = json.Marshal(params)
	if err != nil {
		return Plan{}, fmt.Errorf("filterbeam: parameters: %w", err)
	}
	return Plan{s}, nil
}

// SizeBytes returns the size of the structure, without its header, or of all
// parts. It returns 0 if the size is not known in advance, as for a static
// filter.
func (p Plan) SizeBytes() uint64 { return p.spec.Bytes * uint64(max(p.spec.Parts, 1)) }

// Lines describes the lines that [Files] reads.
type Lines struct {
	NUL   bool // lines end with a zero byte, and not with a line break
	Empty bool // empty lines are keys; otherwise they are skipped
}

// Lines returns a plan for lines that are described by l.
func (p Plan) Lines(l Lines) Plan {
	p.spec.Lines = l
	return p
}

// Strict returns a plan whose jobs fail, without output, if the filter's
// false-positive rate is more than twice the FPRate of its Config, because
// Capacity was too small. Otherwise, such a job succeeds, and the rate is in
// its [Summary]. It has no effect on [Combine].
func (p Plan) Strict() Plan {
	p.spec.Strict = true
	return p
}

// checkRate returns an error if the plan is strict and the rate is too high.
func (s spec) checkRate(sum Summary) error {
	if !s.Strict || s.FPRate == 0 {
		return nil
	}
	keys := cmp.Or(sum.Distinct, sum.Keys)
	err := cli.CheckRate("the Capacity", keys, sum.FPRate, s.FPRate, fmt.Sprintf("a Capacity for %d keys", keys))
	if err != nil {
		return fmt.Errorf("filterbeam: %w", err)
	}
	return nil
}

// checkMemory returns an error if this machine does not have the memory that
// the largest task needs. Any worker may have to run that task.
func (s spec) checkMemory() error {
	bytes := s.Bytes
	if s.Parts == 0 && s.inWindows() {
		bytes /= uint64(s.windows())
	}
	if err := memory.Check(bytes); err != nil {
		return fmt.Errorf("filterbeam: a task of this job %w", err)
	}
	return nil
}

// inWindows reports whether a filter that is not in parts is built in windows.
func (s spec) inWindows() bool {
	return (s.Kind == bloomKind || s.Kind == countingKind) && (s.Windows > 0 || s.Bytes > frameLimit)
}

// Windows returns p with its work divided among n tasks, each of which owns a
// range of the structure or of the keys. If n is 0, which is the default, the
// number depends on the structure's size. The result of the job does not depend
// on n, but for each window, a bundle in progress needs up to 64 KiB of memory.
// A filter that is not Blocked has at least one window for each 2^32 cells,
// while a sketch and heavy hitters have no windows, so n has no effect.
//
// Windows returns [hashfam.ErrParams] unless n is from 0 to 4,096.
func (p Plan) Windows(n int) (Plan, error) {
	p.spec.Windows = n
	return p.with("windows", n)
}

// maxTasks is the largest number of windows or parts. It limits a bundle's
// memory, since there is a block for each.
const maxTasks = 4096

// with returns p, or ErrParams if it has too many tasks in a field.
func (p Plan) with(field string, tasks int) (Plan, error) {
	if tasks < 0 || tasks > maxTasks {
		return Plan{}, errs.Field(hashfam.ErrParams, field, tasks, fmt.Sprintf("0 to %d", maxTasks))
	}
	return p, nil
}

// windowBytes is the default size of a window, unless this would result in
// fewer than 16 or more than 512 windows.
const windowBytes = 4 << 20

// windows returns the number of windows.
func (s spec) windows() int {
	if s.Windows > 0 {
		return s.Windows
	}
	return int(min(max(s.Bytes/windowBytes, 16), 512))
}

// Parts returns a plan for a filter in n parts, for filters that are larger
// than any machine. Part i is a filter of the keys whose digest d has
// d.Shard(n) == i. p must be the plan for one part, so its Capacity should be
// slightly larger than the total number of keys divided by n. If n is 0, which
// is the default, a job writes a single frame.
//
// A job writes one file for each part, and an index to the output file, which
// package parts can query. Each part is built by a single task, which needs the
// part's memory, so Windows has no effect. Only [Files] and [Build] can build
// parts: [Combine] returns ErrParams for such a plan.
//
// Parts returns [hashfam.ErrParams] unless n is from 0 to 4,096 and p is a plan
// for a Bloom, counting, cuckoo or static filter.
func (p Plan) Parts(n int) (Plan, error) {
	switch p.spec.Kind {
	case bloomKind, countingKind, cuckooKind, staticKind:
		p.spec.Parts = n
		return p.with("parts", n)
	}
	return Plan{}, errs.Field(hashfam.ErrParams, "Plan", p.spec.Kind, "bloom, counting, cuckoo or static")
}

// single returns ErrParams if the plan has parts.
func (s spec) single() error {
	if s.Parts > 0 {
		return errs.Field(hashfam.ErrParams, "parts", s.Parts, "0: only Files and Build make parts")
	}
	return nil
}

// params decodes the parameters of a plan. P must be a struct with a field
// Family.
func params[P any](s spec) (P, error) {
	var p P
	fam, err := s.family()
	if err != nil {
		return p, err
	}
	reflect.ValueOf(&p).Elem().FieldByName("Family").Set(reflect.ValueOf(fam)) // which the encoded check value must match
	if err := json.Unmarshal(s.Params, &p); err != nil {
		return p, fmt.Errorf("filterbeam: parameters of a plan: %w", err)
	}
	return p, nil
}
