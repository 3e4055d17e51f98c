package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/memory"
)

// The options are the program's own flags, which are named like the flags of
// filterfam build where both have them. The SDK defines the runners' flags.
type options struct {
	flags *flag.FlagSet // the parsed flags, of which these are some

	kind, layout    string
	output, keyFile string
	force, local    bool
	n               cli.Number
	rate            float64
	memory          cli.Size
	compact         bool
	epsilon, delta  float64
	conservative    bool
	phi             float64
	k               int
	windows, parts  int
	timeout         time.Duration
	helpRunner      bool
	lines           filterbeam.Lines
}

// usedBy lists the types that use a flag.
var usedBy = map[string][]string{
	"fpr":          {cli.StaticType, cli.BloomType, cli.CuckooType, cli.CountingType},
	"n":            {cli.BloomType, cli.CuckooType, cli.CountingType},
	"memory":       {cli.HeavyType},
	"layout":       {cli.BloomType, cli.CountingType},
	"compact":      {cli.CuckooType},
	"epsilon":      {cli.SketchType},
	"delta":        {cli.SketchType},
	"conservative": {cli.SketchType},
	"phi":          {cli.HeavyType},
	"k":            {cli.HeavyType},
}

func newOptions(flags *flag.FlagSet) *options {
	o := &options{flags: flags}
	flags.StringVar(&o.kind, "type", cli.StaticType, "the `TYPE`: "+strings.Join(cli.Types, ", "))
	flags.StringVar(&o.output, "o", "", "write the frame to `FILE`")
	flags.BoolVar(&o.force, "force", false, "replace FILE if it exists, and write it even if the rate is above twice -fpr")
	flags.BoolVar(&o.lines.NUL, "0", false, "lines end with a zero byte instead of a line break")
	flags.BoolVar(&o.lines.Empty, "empty", false, "empty lines are keys; otherwise they are skipped")
	flags.BoolVar(&o.local, "local", false, "") // not listed: an error names its successor
	flags.StringVar(&o.keyFile, "key-file", "", "the secret key is in `FILE`; otherwise, FILTERFAM_KEY is used if it is set")
	flags.Var(&o.n, "n", "the `number` of distinct keys, such as 1e9 (bloom, cuckoo, counting)")
	flags.Float64Var(&o.rate, "fpr", 0.01, "the false-positive `rate` (static, bloom, cuckoo, counting)")
	flags.Var(&o.memory, "memory", "the `bytes` of memory, such as 64M; otherwise, what -k or -phi needs (heavy)")
	flags.StringVar(&o.layout, "layout", "classic", "the `LAYOUT`: classic, blocked or (only bloom) partitioned")
	flags.BoolVar(&o.compact, "compact", false, "use one bit less per slot (cuckoo)")
	flags.Float64Var(&o.epsilon, "epsilon", 0.001, "the largest error, as a fraction of all keys (sketch)")
	flags.Float64Var(&o.delta, "delta", 0.01, "the probability of a larger error (sketch)")
	flags.BoolVar(&o.conservative, "conservative", false, "use the conservative update (sketch)")
	flags.IntVar(&o.k, "k", 10, "the `number` of keys to find (heavy)")
	flags.Float64Var(&o.phi, "phi", 0, "find all keys that make up this `fraction` of the input instead (heavy)")
	flags.IntVar(&o.windows, "windows", 0, "number of windows; 0 to derive it from the size")
	flags.IntVar(&o.parts, "parts", 0, "write this number of filters, and an index to FILE")
	flags.DurationVar(&o.timeout, "timeout", 0, "give up after a `time`, such as 30m; 0 for never")
	flags.BoolVar(&o.helpRunner, "help-runner", false, "list the flags of the runners")
	for long, short := range longNames {
		flags.Var(flags.Lookup(short).Value, long, "") // not listed
	}
	return o
}

// longNames are the second names of some flags, as in filterfam build.
var longNames = map[string]string{"output": "o", "null": "0", "null-data": "0", "z": "0", "keys": "n", "lines": "k"}

// given reports whether a flag is on the command line.
func (o *options) given(name string) (found bool) {
	o.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name || longNames[f.Name] == name })
	return found
}

// checkFlags returns an error if the flags contradict each other.
func (o *options) checkFlags() error {
	if !slices.Contains(cli.Types, o.kind) {
		return fmt.Errorf("-type %s, want %s", o.kind, strings.Join(cli.Types, ", "))
	}
	for name, kinds := range usedBy {
		if o.given(name) && !slices.Contains(kinds, o.kind) {
			return fmt.Errorf("-%s cannot be used with -type %s, only with %s", name, o.kind, strings.Join(kinds, ", "))
		}
	}
	if o.given("k") && o.given("phi") {
		return errors.New("-k and -phi, want one of the two")
	}
	if o.n == 0 && slices.Contains(usedBy["n"], o.kind) {
		return errors.New("want -n, the number of distinct keys")
	}
	return nil
}

// plan returns the plan described by the flags.
func (o *options) plan() (filterbeam.Plan, error) {
	if err := o.checkFlags(); err != nil {
		return filterbeam.Plan{}, err
	}
	p, err := o.structurePlan()
	if err != nil {
		return p, err
	}
	p = p.Lines(o.lines)
	if !o.force {
		p = p.Strict()
	}
	if p, err = p.Windows(o.windows); err != nil || o.parts == 0 {
		return p, err
	}
	return p.Parts(o.parts)
}

// checkMemory returns an error if the job runs in this process and the
// structure does not fit in memory. It does not count the blocks of keys, which
// this process also holds, and which can need more memory than the structure.
func (o *options) checkMemory(p filterbeam.Plan) error {
	if !inProcess() {
		return nil
	}
	if err := memory.Check(p.SizeBytes()); err != nil {
		return fmt.Errorf("%s: %w", o.limit(), err)
	}
	return nil
}

// limit returns the flag that limits the structure.
func (o *options) limit() string {
	switch o.kind {
	case cli.SketchType:
		return fmt.Sprintf("-epsilon %g", o.epsilon)
	case cli.HeavyType:
		return fmt.Sprintf("-memory %d", o.memory)
	}
	return fmt.Sprintf("-n %d", o.n)
}

// words returns the text of a worker's error in the words of the flags.
func (o *options) words(text string) string {
	if strings.Contains(text, "more than twice") {
		text += ", or -force"
	}
	return cli.CapacityAsFlag(text, o.limit())
}

// structurePlan returns the plan for the structure, or for a part of it.
func (o *options) structurePlan() (filterbeam.Plan, error) {
	fam, err := o.family()
	if err != nil {
		return filterbeam.Plan{}, err
	}
	var l bloom.Layout
	if err := l.UnmarshalText([]byte(o.layout)); err != nil {
		return filterbeam.Plan{}, err
	}
	n := sharded.Capacity(uint64(o.n), o.parts) // of a part
	switch o.kind {
	case cli.StaticType:
		return filterbeam.Static(static.Config{FPRate: o.rate, Family: fam})
	case cli.BloomType:
		return filterbeam.Bloom(bloom.Config{Capacity: n, FPRate: o.rate, Layout: l, Family: fam})
	case cli.CuckooType:
		return filterbeam.Cuckoo(cuckoo.Config{Capacity: n, FPRate: o.rate, Compact: o.compact, Family: fam})
	case cli.CountingType:
		return filterbeam.Counting(counting.Config{Capacity: n, FPRate: o.rate, Layout: l, Family: fam})
	case cli.SketchType:
		return filterbeam.Sketch(countmin.Config{Epsilon: o.epsilon, Delta: o.delta, Conservative: o.conservative, Family: fam})
	}
	heavy := countmin.HeavyConfig{K: o.k, MemoryBytes: int(o.memory), Family: fam}
	if o.given("phi") {
		heavy.K = 0
		heavy.Phi = o.phi
	}
	return filterbeam.Heavy(heavy)
}
