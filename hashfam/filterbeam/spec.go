package filterbeam

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/memory"
)

// A spec contains a Plan's fields. It is sent to the workers as JSON.
type spec struct {
	Kind    kind
	Params  json.RawMessage // the structure's parameters, with the check value as the family
	Family  string          // name under which the family is registered; empty for the public family
	Check   uint64          // the family's check value
	Bytes   uint64          // size of the structure; 0 if it is not known in advance
	Windows int             // number of tasks that gather; 0 to derive it from Bytes
	Parts   int             // number of parts; 0 for a single frame
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

// isFilter reports whether the structure is a filter, and does not count keys.
func (s spec) isFilter() bool {
	switch s.Kind {
	case bloomKind, countingKind, cuckooKind, staticKind:
		return true
	}
	return false
}

// isSorted reports whether the structure is built from sorted digests.
func (s spec) isSorted() bool { return s.Kind == cuckooKind || s.Kind == staticKind }

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

// frameLimit is the size of the largest filter that every bundle builds. A
// worker needs several times a frame's size for each bundle in progress.
const frameLimit = 8 << 20

// inWindows reports whether a filter that is not in parts is built in windows.
func (s spec) inWindows() bool {
	return (s.Kind == bloomKind || s.Kind == countingKind) && (s.Windows > 0 || s.Bytes > frameLimit)
}

// taskBytes is the part of the structure that a task gathers, unless this would
// result in fewer than 16 or more than 512 tasks.
const taskBytes = 4 << 20

// tasks returns the number of tasks that gather. For a filter that is built in
// windows, array.windows returns the exact number.
func (s spec) tasks() int {
	if s.Windows > 0 {
		return s.Windows
	}
	return int(min(max(s.Bytes/taskBytes, 16), 512))
}

// largestTask returns the bytes that the largest task needs, as far as they are
// known in advance.
func (s spec) largestTask() uint64 {
	if s.Parts == 0 && s.inWindows() {
		return s.Bytes / uint64(s.tasks())
	}
	return s.Bytes
}

// checkMemory returns an error if this machine does not have the given memory,
// which a task needs. Any worker may have to run that task.
func checkMemory(bytes uint64) error {
	if err := memory.Check(bytes); err != nil {
		return fmt.Errorf("filterbeam: a task of this job %w", err)
	}
	return nil
}

// checkRate returns an error if the plan is strict and the filter has more than
// twice the wanted rate. A small filter can be fuller than average by chance,
// so checkRate returns an error only if the rate that is expected for this
// number of keys is also too high.
func (s spec) checkRate(sum Summary) error {
	if !s.Strict || s.FPRate == 0 {
		return nil
	}
	keys := cmp.Or(sum.Distinct, sum.Keys)
	expected, err := s.rateAt(keys)
	if err != nil {
		return err
	}
	rate := min(sum.FPRate, expected)
	err = cli.CheckRate(cli.Capacity, keys, rate, s.FPRate, cli.CapacityFor(keys))
	if err != nil {
		return fmt.Errorf("filterbeam: %w", err)
	}
	return nil
}

// rateAt returns the expected rate of a filter with the given number of keys.
// For a static filter, whose rate does not depend on the number of keys, it
// returns 1, so that checkRate uses the Summary's rate. For a filter in parts,
// it returns the rate of one part with an equal share of the keys.
func (s spec) rateAt(keys uint64) (float64, error) {
	parts := uint64(max(s.Parts, 1))
	inPart := keys/parts + min(keys%parts, 1) // rounded up
	switch s.Kind {
	case bloomKind:
		p, err := params[bloom.Params](s)
		return p.RateAt(inPart), err
	case countingKind:
		p, err := params[counting.Params](s)
		return p.RateAt(inPart), err
	case cuckooKind:
		p, err := params[cuckoo.Params](s)
		return p.RateAt(inPart), err
	}
	return 1, nil
}
