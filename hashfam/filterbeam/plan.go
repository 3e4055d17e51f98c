package filterbeam

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// A Plan says which structure a job builds. Make one with [Bloom], [Counting],
// [Cuckoo], [Sketch], [Heavy], [TopK] or [Static]. It holds the structure's
// parameters, not its Config, so that all workers build the same structure. It
// names the hash family and holds its check value, never its key.
type Plan struct{ spec spec }

// A spec is what the workers get of a Plan, as JSON.
type spec struct {
	Kind    kind
	Params  json.RawMessage // the structure's parameters, in which the family is its check value
	Family  string          // its registered name; empty for the public family
	Check   uint64          // its check value
	Bytes   uint64          // size of the structure; 0 if it is not known in advance
	Windows int             // number of windows; 0 to choose it by Bytes
	Parts   int             // number of filters that stay apart; 0 for one frame
	Sorted  bool            // the digests of a static filter are sorted: the shards are to be solved
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

// frameLimit is the size up to which every bundle builds a structure of its
// own. A worker needs ten to twenty times the size of a frame for each bundle
// that it works on.
const frameLimit = 8 << 20

// Bloom returns the plan of a Bloom filter. It returns the errors of
// bloom.Config.Params, and [ErrParams] if the family is not registered. O(1)
// time.
func Bloom(c bloom.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(bloomKind, p.Family, p, p.SizeBytes(), err)
}

// Counting returns the plan of a counting Bloom filter. Its errors are like
// those of [Bloom]. O(1) time.
func Counting(c counting.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(countingKind, p.Family, p, p.SizeBytes(), err)
}

// Cuckoo returns the plan of a cuckoo filter. The keys are sorted by digest,
// and copies are dropped, so that the result does not depend on the order of
// the keys. One task adds all of them: it needs 8 bytes of disk per key and the
// memory of the filter. Its errors are like those of [Bloom]. O(1) time.
func Cuckoo(c cuckoo.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(cuckooKind, p.Family, p, p.SizeBytes(), err)
}

// Sketch returns the plan of a count-min sketch. Every bundle has a sketch of
// its own, whatever its size. A Conservative sketch is valid, but not the one
// that a single process builds: the errors of the bundles add up. Its errors
// are like those of [Bloom]. O(1) time.
func Sketch(c countmin.Config) (Plan, error) {
	p, err := c.Params()
	return newPlan(sketchKind, p.Family, p, p.SizeBytes(), err)
}

// Heavy returns the plan of heavy hitters: every key with a share of at least
// Phi. Every bundle has a structure of its own. Its errors are like those of
// [Bloom]. O(MemoryBytes) time and memory, or O(1/Phi) if MemoryBytes is 0: to
// check c, it makes the structure and drops it.
func Heavy(c countmin.HeavyConfig) (Plan, error) {
	_, err := countmin.NewHeavyHitters(c)
	return newPlan(heavyKind, c.Family, c, 0, err)
}

// TopK returns the plan of the K most frequent keys. All counts of a key meet
// in one task, so that the result is as good as that of a single process. Its
// errors are like those of [Bloom]. O(MemoryBytes) time and memory, or O(K) if
// MemoryBytes is 0, like [Heavy].
func TopK(c countmin.TopKConfig) (Plan, error) {
	_, err := countmin.NewTopK(c)
	return newPlan(topkKind, c.Family, c, 0, err)
}

// Static returns the plan of a static filter. The keys are sorted by digest,
// and each task solves the equations of a range of them. That takes 8 bytes of
// disk per key. One task joins the results: it needs 0.4 bytes of memory per
// key. The Workers of c are the goroutines of that task; its Progress is not
// called. The errors are like those of [Bloom]. O(1) time.
func Static(c static.Config) (Plan, error) {
	_, err := c.SizeBytes(0)
	if c.MemoryBytes > 0 {
		err = errs.Field(ErrParams, "Config.MemoryBytes", c.MemoryBytes, "0: the size of the filter is known when it is built")
	}
	return newPlan(staticKind, c.Family, c, 0, err)
}

// newPlan returns the plan of a structure with the given parameters, or err if
// that is not nil.
func newPlan(k kind, fam hashfam.Family, params any, bytes uint64, err error) (Plan, error) {
	if err != nil {
		return Plan{}, err
	}
	name, err := nameOf(fam)
	if err != nil {
		return Plan{}, err
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		return Plan{}, fmt.Errorf("filterbeam: parameters: %w", err)
	}
	return Plan{spec{Kind: k, Params: encoded, Family: name, Check: fam.CheckValue(), Bytes: bytes}}, nil
}

// Windows returns the plan with the work spread over n tasks, each of which
// owns a range of the structure or of the keys; 0 chooses n by the size of the
// structure, which is also the default. The result of the job is the same for
// every n. Each bundle that a worker reads takes up to 64 KiB per window. A
// sketch and heavy hitters have no windows, so n changes nothing for them; a
// filter that is not Blocked has at least one for each 2^32 cells. It returns
// [ErrParams] unless n is 0 to 4,096. O(1) time.
func (p Plan) Windows(n int) (Plan, error) {
	if n < 0 || n > maxWindows {
		return Plan{}, errs.Field(ErrParams, "windows", n, fmt.Sprintf("0 to %d", maxWindows))
	}
	p.spec.Windows = n
	return p, nil
}

// maxWindows bounds the buffers of a bundle: 64 KiB for each window.
const maxWindows = 4096

// windowBytes is the size of a window if the plan does not say how many there
// are. There are then 16 to 512 of them.
const windowBytes = 4 << 20

// windows returns the number of windows.
func (s spec) windows() int {
	if s.Windows > 0 {
		return s.Windows
	}
	return int(min(max(s.Bytes/windowBytes, 16), 512))
}

// Parts returns the plan of a filter in n parts that stay apart, for one that
// is larger than any machine; 0, the default, stands for a single frame. Part i
// is a filter of the keys whose digest d has d.Shard(n) == i. So p is the plan
// of one part: its Capacity is a little above that of all keys divided by n. A
// job of n parts writes one file for each, beside the output, which is an index
// of them. Package parts answers queries. One task builds each part, in the
// memory of the part; Windows has no effect. Only [Files] and [Build] make
// parts: [Local] and [Combine] return ErrParams for such a plan.
//
// It returns [ErrParams] unless n is 0 to 4,096 and p is the plan of a Bloom,
// counting, cuckoo or static filter. O(1) time.
func (p Plan) Parts(n int) (Plan, error) {
	if n < 0 || n > maxWindows {
		return Plan{}, errs.Field(ErrParams, "parts", n, fmt.Sprintf("0 to %d", maxWindows))
	}
	switch p.spec.Kind {
	case bloomKind, countingKind, cuckooKind, staticKind:
		p.spec.Parts = n
		return p, nil
	}
	return Plan{}, errs.Field(ErrParams, "Plan", p.spec.Kind, "bloom, counting, cuckoo or static")
}

// single returns ErrParams if the plan is one of parts.
func (s spec) single() error {
	if s.Parts > 0 {
		return errs.Field(ErrParams, "parts", s.Parts, "0: only Files and Build make parts")
	}
	return nil
}

// family returns the plan's family as this process knows it.
func (s spec) family() (hashfam.Family, error) {
	if s.Kind == "" {
		return hashfam.Family{}, errs.Field(ErrParams, "Plan", "the zero Plan", "one made by Bloom, Counting, ...")
	}
	return familyOf(s.Family, s.Check)
}

// params decodes the parameters of a plan, a struct with a field Family.
func params[P any](s spec) (P, error) {
	var p P
	fam, err := s.family()
	if err != nil {
		return p, err
	}
	reflect.ValueOf(&p).Elem().FieldByName("Family").Set(reflect.ValueOf(fam)) // the text is a check of it
	if err := json.Unmarshal(s.Params, &p); err != nil {
		return p, fmt.Errorf("filterbeam: parameters of a plan: %w", err)
	}
	return p, nil
}

// families holds the keyed families that this process has registered.
var families = struct {
	sync.RWMutex
	open map[string]func() (hashfam.Family, error)
}{open: map[string]func() (hashfam.Family, error){}}

// RegisterFamily gives a keyed family a name, under which every worker finds
// it. Call it in an init function of the program that is both submitted and run
// by the workers. open returns the family, from a secret store for example. It
// is called when any keyed Plan is made, and by a worker several times for each
// bundle and from several goroutines, so it should remember a family that takes
// long to get. It must not call RegisterFamily. The key itself is never part of
// a Plan: a worker compares the check value of its family with that of the Plan
// and fails with [ErrFamily] if they differ.
//
// It returns [ErrParams] if the name is empty or registered already, and if
// open is nil. Then no family is registered. O(1) time. RegisterFamily may be
// called by several goroutines.
func RegisterFamily(name string, open func() (hashfam.Family, error)) error {
	if open == nil {
		return errs.Field(ErrParams, "open", "nil", "a function that returns the family")
	}
	families.Lock()
	defer families.Unlock()
	if _, taken := families.open[name]; taken || name == "" {
		return errs.Field(ErrParams, "name", name, "a name that is not empty and not registered")
	}
	families.open[name] = open
	return nil
}

// nameOf returns the name under which fam is registered: the empty one for the
// public family. It returns ErrParams if fam is not registered.
func nameOf(fam hashfam.Family) (string, error) {
	if fam == (hashfam.Family{}) {
		return "", nil
	}
	families.RLock()
	defer families.RUnlock()
	for name, open := range families.open {
		if registered, err := open(); err == nil && registered == fam {
			return name, nil
		}
	}
	return "", errs.Field(ErrParams, "Config.Family", fam, "the public family, or one that RegisterFamily has named")
}

// familyOf returns the family with the given name. It returns ErrFamily unless
// that family is registered in this process and has the given check value.
func familyOf(name string, check uint64) (hashfam.Family, error) {
	families.RLock()
	open, known := families.open[name]
	families.RUnlock()
	var fam hashfam.Family
	switch {
	case name != "" && !known:
		return fam, errs.Field(ErrFamily, "family", name, "a family that RegisterFamily has named in this worker")
	case name != "":
		var err error
		if fam, err = open(); err != nil {
			return fam, fmt.Errorf("filterbeam: family %q: %w", name, err)
		}
	}
	if fam.CheckValue() != check {
		return fam, errs.Field(ErrFamily, "check value of family "+name,
			fmt.Sprintf("%x", fam.CheckValue()), fmt.Sprintf("%x", check))
	}
	return fam, nil
}
