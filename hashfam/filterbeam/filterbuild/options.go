package main

import (
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// The options are the flags of the program. Those of the runners are the SDK's.
type options struct {
	structure, layout string
	output            string
	force, local      bool
	n, rate           float64
	compact           bool
	epsilon, delta    float64
	conservative      bool
	phi               float64
	k, memory         int
	windows, parts    int
	timeout           time.Duration
	helpRunner        bool
}

func newOptions(flags *flag.FlagSet) *options {
	o := &options{}
	flags.StringVar(&o.structure, "structure", "bloom", "`NAME`: bloom, counting, cuckoo, static, sketch, heavy or topk")
	flags.StringVar(&o.output, "o", "", "write the frame to `FILE`")
	flags.BoolVar(&o.force, "force", false, "replace FILE if it exists")
	flags.BoolVar(&o.local, "local", false, "run a loop in this process, without an engine; not with -parts")
	flags.Float64Var(&o.n, "n", 0, "expected number of different keys, such as 1e9 (bloom, counting, cuckoo)")
	flags.Float64Var(&o.rate, "fpr", 0.01, "false-positive `rate` (bloom, counting, cuckoo, static)")
	flags.StringVar(&o.layout, "layout", "classic", "`LAYOUT`: classic, blocked or partitioned (bloom, counting)")
	flags.BoolVar(&o.compact, "compact", false, "take one bit per slot less (cuckoo)")
	flags.Float64Var(&o.epsilon, "epsilon", 0.001, "largest error as a share of the total (sketch)")
	flags.Float64Var(&o.delta, "delta", 0.01, "probability of a larger error (sketch)")
	flags.BoolVar(&o.conservative, "conservative", false, "use the conservative update (sketch)")
	flags.Float64Var(&o.phi, "phi", 0.001, "smallest share of a key to report (heavy)")
	flags.IntVar(&o.k, "k", 100, "number of keys to report (topk)")
	flags.IntVar(&o.memory, "memory", 0, "bytes of memory; 0 for what the guarantee needs (heavy, topk)")
	flags.IntVar(&o.windows, "windows", 0, "number of windows; 0 to choose it by the size")
	flags.IntVar(&o.parts, "parts", 0, "write a filter in that many files beside FILE, an index; not with -local")
	flags.DurationVar(&o.timeout, "timeout", 0, "give up after a `time` such as 30m; 0 for never")
	flags.BoolVar(&o.helpRunner, "help-runner", false, "list the flags of the runners")
	return o
}

// plan returns the plan that the flags describe.
func (o *options) plan() (filterbeam.Plan, error) {
	p, err := o.structurePlan()
	if err != nil {
		return p, err
	}
	if p, err = p.Windows(o.windows); err != nil || o.parts == 0 {
		return p, err
	}
	if p, err = p.Parts(o.parts); err == nil && o.local {
		return p, fmt.Errorf("-local and -parts %d, want one of the two: only a job writes parts", o.parts)
	}
	return p, err
}

// capacity returns the number of keys of a filter: all of them, or those that
// the fullest part may get.
func (o *options) capacity() uint64 { return sharded.Capacity(uint64(o.n), o.parts) }

func (o *options) structurePlan() (filterbeam.Plan, error) {
	fam, err := family()
	if err != nil {
		return filterbeam.Plan{}, err
	}
	if !(o.n >= 0 && o.n <= 1<<48 && o.n == math.Trunc(o.n)) {
		return filterbeam.Plan{}, fmt.Errorf("-n %g, want a whole number up to 2^48", o.n)
	}
	var l bloom.Layout
	if err := l.UnmarshalText([]byte(o.layout)); err != nil {
		return filterbeam.Plan{}, err
	}
	switch o.structure {
	case "bloom":
		return filterbeam.Bloom(bloom.Config{Capacity: o.capacity(), FPRate: o.rate, Layout: l, Family: fam})
	case "counting":
		return filterbeam.Counting(counting.Config{Capacity: o.capacity(), FPRate: o.rate, Layout: l, Family: fam})
	case "cuckoo":
		return filterbeam.Cuckoo(cuckoo.Config{Capacity: o.capacity(), FPRate: o.rate, Compact: o.compact, Family: fam})
	case "static":
		return filterbeam.Static(static.Config{FPRate: o.rate, Family: fam})
	case "sketch":
		return filterbeam.Sketch(countmin.Config{Epsilon: o.epsilon, Delta: o.delta, Conservative: o.conservative, Family: fam})
	case "heavy":
		return filterbeam.Heavy(countmin.HeavyConfig{Phi: o.phi, MemoryBytes: o.memory, Family: fam})
	case "topk":
		return filterbeam.TopK(countmin.TopKConfig{K: o.k, MemoryBytes: o.memory, Family: fam})
	}
	return filterbeam.Plan{}, fmt.Errorf("-structure %q, want bloom, counting, cuckoo, static, sketch, heavy or topk", o.structure)
}

// keyVariable is the environment variable with the secret key.
const keyVariable = "FILTERBUILD_KEY"

func init() { registerFamily() }

// registerFamily names the family of the environment variable, if it is set.
func registerFamily() {
	if os.Getenv(keyVariable) != "" {
		if err := filterbeam.RegisterFamily("environment", family); err != nil {
			panic(err) // no other family is registered here
		}
	}
}

// family returns the family with the key of the environment variable, or the
// public family if that is not set.
func family() (hashfam.Family, error) {
	text := os.Getenv(keyVariable)
	if text == "" {
		return hashfam.Family{}, nil
	}
	var key hashfam.Key
	if n, err := hex.Decode(key[:], []byte(text[:min(len(text), 2*len(key))])); err != nil || n != len(key) || len(text) != 2*len(key) {
		return hashfam.Family{}, fmt.Errorf("%s has %d characters, want %d hexadecimal digits", keyVariable, len(text), 2*len(key))
	}
	return hashfam.New(key), nil
}
