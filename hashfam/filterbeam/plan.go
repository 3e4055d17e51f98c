package filterbeam

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// A Plan describes the structure that a job will build. It contains the
// structure's parameters, so that all workers build the same structure. Of the
// hash family, it contains the name and the check value, but never the key.
// [Bloom], [Counting], [Cuckoo], [Sketch], [Heavy] and [Static] return Plans.
//
// An engine may return a worker's error as text, which contains for example the
// text of [hashfam.ErrFamily], but then errors.Is does not find that error.
type Plan struct{ spec spec }

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
// filter's memory, then adds all keys. Cuckoo returns errors as [Bloom] does. A
// job fails with the text of [cuckoo.ErrFull] if there are too many keys.
func Cuckoo(c cuckoo.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(spec{Kind: cuckooKind, Bytes: p.SizeBytes(), FPRate: c.FPRate}, p.Family, p, err)
}

// Sketch returns a plan for a count-min sketch. Every bundle builds a whole
// sketch, even if it is large. A Conservative sketch is valid, but can differ
// from the sketch of a single process, because the errors of the bundles add
// up. Sketch returns errors as [Bloom] does.
func Sketch(c countmin.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(spec{Kind: sketchKind, Bytes: p.SizeBytes()}, p.Family, p, err)
}

// Heavy returns a plan for frequent keys: heavy hitters if c has Phi, and a top
// k if it has K. For heavy hitters, every bundle builds a structure. For a top
// k, all counts of a key are added by the same task, so the result is as
// accurate as in a single process. Heavy returns errors as [Bloom] does.
func Heavy(c countmin.HeavyConfig) (Plan, error) {
	_, err := countmin.NewHeavyHitters(c)
	if c.K > 0 {
		return newPlan(spec{Kind: topkKind}, c.Family, c, err)
	}
	return newPlan(spec{Kind: heavyKind, Bytes: uint64(c.MemoryBytes)}, c.Family, c, err)
}

// Static returns a plan for a static filter. The keys are sorted by digest,
// which needs 8 bytes of disk per key. A single task then builds the filter
// from the sorted digests, which needs the filter's memory and 0.5 bytes per
// key, so use [Plan.Parts] for a filter of more than 1 GB. The job does not
// call c.Progress. Static returns [hashfam.ErrParams] if c.MemoryBytes is not
// 0, and other errors as [Bloom] does.
func Static(c static.Config) (Plan, error) {
	_, err := static.New(context.Background(), c, nil)
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
// parts together. For a plan of [Heavy] with Phi, it returns MemoryBytes. It
// returns 0 if the size is not known in advance, as for a static filter.
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

// Strict returns a plan whose jobs fail, without output, if Capacity was too
// small: if the filter's false-positive rate, and the expected rate of a filter
// with this number of keys, are both more than twice the FPRate of its Config.
// Without Strict, such a job succeeds, and the rate is in its [Summary]. Strict
// has no effect on [Combine], or if the FPRate is 0.
func (p Plan) Strict() Plan {
	p.spec.Strict = true
	return p
}

// maxTasks is the largest number of windows or parts. It limits a bundle's
// memory, since there is a block for each.
const maxTasks = 4096

// Windows returns p with its work divided among n tasks, each of which owns a
// window: a range of the structure or of the keys. If n is 0, which is the
// default, the number is derived from the structure's size, and is 16 if the
// size is not known in advance. For each window, a bundle in progress needs up
// to about 64 KiB of memory. A filter does not depend on n, but a top k does:
// its size and the bounds of its counts may differ.
//
// The number of windows can differ from n: a small filter has fewer, and a
// Bloom or counting filter that is not Blocked has at least one for each 2^32
// bits or counters. A sketch and heavy hitters have no windows, so n has no
// effect on them.
//
// Windows returns [hashfam.ErrParams] unless n is from 0 to 4,096.
func (p Plan) Windows(n int) (Plan, error) {
	if err := checkTasks("windows", n); err != nil {
		return Plan{}, err
	}
	p.spec.Windows = n
	return p, nil
}

// Parts returns a plan for a filter in n parts, for filters that are larger
// than any machine. Part i is a filter of the keys whose digest d has
// d.Shard(n) == i. p must be the plan for one part, so its Capacity should be
// slightly larger than the total number of keys divided by n. If n is 0, which
// is the default, a job writes a single frame.
//
// A job writes one file for each part, and an index to the output file, which
// package parts can query. Each part is built by a single task, so Windows has
// no effect. The task needs the part's memory and, for a cuckoo or static
// filter, 8 bytes per key. Only [Files] and [Build] can build parts: [Combine]
// returns ErrParams for such a plan.
//
// Parts returns [hashfam.ErrParams] unless n is from 0 to 4,096 and p is a plan
// for a Bloom, counting, cuckoo or static filter.
func (p Plan) Parts(n int) (Plan, error) {
	if !p.spec.isFilter() {
		return Plan{}, errs.Field(hashfam.ErrParams, "Plan", p.spec.Kind, "bloom, counting, cuckoo or static")
	}
	if err := checkTasks("parts", n); err != nil {
		return Plan{}, err
	}
	p.spec.Parts = n
	return p, nil
}

// checkTasks returns ErrParams if a field has an invalid number of tasks.
func checkTasks(field string, n int) error {
	if n < 0 || n > maxTasks {
		return errs.Field(hashfam.ErrParams, field, n, fmt.Sprintf("0 to %d", maxTasks))
	}
	return nil
}
