package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/cli"
	"github.com/filterfam/filterfam/internal/memory"
	"github.com/filterfam/filterfam/internal/replace"
)

// The options are the program's own flags. The SDK defines the runners' flags.
type options struct {
	structure, layout string
	output            string
	force, local      bool
	n                 cli.Number
	rate              float64
	compact           bool
	epsilon, delta    float64
	conservative      bool
	phi               float64
	k, memory         int
	windows, parts    int
	timeout           time.Duration
	helpRunner        bool
	lines             filterbeam.Lines
}

func newOptions(flags *flag.FlagSet) *options {
	o := &options{}
	flags.StringVar(&o.structure, "structure", "bloom", "`NAME`: bloom, counting, cuckoo, static, sketch, heavy or topk")
	flags.StringVar(&o.output, "o", "", "write the frame to `FILE`")
	flags.BoolVar(&o.force, "force", false, "replace FILE if it exists, and write it even if the rate is above twice -fpr")
	flags.BoolVar(&o.lines.NUL, "0", false, "lines end with a zero byte instead of a line break")
	flags.BoolVar(&o.lines.Empty, "empty", false, "empty lines are keys; otherwise they are skipped")
	flags.BoolVar(&o.local, "local", false, "") // not listed: an error names its successor
	flags.Var(&o.n, "n", "expected `number` of distinct keys, such as 1e9 (bloom, counting, cuckoo)")
	flags.Float64Var(&o.rate, "fpr", 0.01, "false-positive `rate` (bloom, counting, cuckoo, static)")
	flags.StringVar(&o.layout, "layout", "classic", "`LAYOUT`: classic, blocked or partitioned (bloom, counting)")
	flags.BoolVar(&o.compact, "compact", false, "use one bit less per slot (cuckoo)")
	flags.Float64Var(&o.epsilon, "epsilon", 0.001, "largest error as a fraction of the total (sketch)")
	flags.Float64Var(&o.delta, "delta", 0.01, "probability of a larger error (sketch)")
	flags.BoolVar(&o.conservative, "conservative", false, "use the conservative update (sketch)")
	flags.Float64Var(&o.phi, "phi", 0.001, "smallest frequency of a reported key, as a fraction (heavy)")
	flags.IntVar(&o.k, "k", 100, "number of keys to report (topk)")
	flags.IntVar(&o.memory, "memory", 0, "bytes of memory; 0 for as many as the guarantee needs (heavy, topk)")
	flags.IntVar(&o.windows, "windows", 0, "number of windows; 0 to derive it from the size")
	flags.IntVar(&o.parts, "parts", 0, "write this number of filters, and an index to FILE")
	flags.DurationVar(&o.timeout, "timeout", 0, "give up after a `time`, such as 30m; 0 for never")
	flags.BoolVar(&o.helpRunner, "help-runner", false, "list the flags of the runners")
	return o
}

// plan returns the plan described by the flags.
func (o *options) plan() (filterbeam.Plan, error) {
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

// checkMemory returns an error if the job runs in this process, and there is
// too little memory. This process then also holds the blocks of all keys, which
// usually need more memory than the structure.
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
	switch o.structure {
	case "sketch":
		return fmt.Sprintf("-epsilon %g", o.epsilon)
	case "heavy", "topk":
		return fmt.Sprintf("-memory %d", o.memory)
	}
	return fmt.Sprintf("-n %d", o.n)
}

// wanted matches the capacity that an error of a worker wants.
var wanted = regexp.MustCompile(`want a Capacity for (\d+) keys`)

// words returns a worker's error in the words of the flags.
func (o *options) words(text string) string {
	if strings.Contains(text, "more than twice") {
		text += ", or -force"
	}
	text = strings.Replace(text, "the Capacity is", o.limit()+" is", 1)
	return wanted.ReplaceAllString(text, "want -n $1")
}

func (o *options) structurePlan() (filterbeam.Plan, error) {
	fam, err := family()
	if err != nil {
		return filterbeam.Plan{}, err
	}
	var l bloom.Layout
	if err := l.UnmarshalText([]byte(o.layout)); err != nil {
		return filterbeam.Plan{}, err
	}
	if o.n == 0 && slices.Contains([]string{"bloom", "counting", "cuckoo"}, o.structure) {
		return filterbeam.Plan{}, errors.New("want -n, the number of distinct keys")
	}
	switch n := sharded.Capacity(uint64(o.n), o.parts); o.structure { // n is the capacity of a part
	case "bloom":
		return filterbeam.Bloom(bloom.Config{Capacity: n, FPRate: o.rate, Layout: l, Family: fam})
	case "counting":
		return filterbeam.Counting(counting.Config{Capacity: n, FPRate: o.rate, Layout: l, Family: fam})
	case "cuckoo":
		return filterbeam.Cuckoo(cuckoo.Config{Capacity: n, FPRate: o.rate, Compact: o.compact, Family: fam})
	case "static":
		return filterbeam.Static(static.Config{FPRate: o.rate, Family: fam})
	case "sketch":
		return filterbeam.Sketch(countmin.Config{Epsilon: o.epsilon, Delta: o.delta, Conservative: o.conservative, Family: fam})
	case "heavy":
		return filterbeam.Heavy(countmin.HeavyConfig{Phi: o.phi, MemoryBytes: o.memory, Family: fam})
	case "topk":
		return filterbeam.Heavy(countmin.HeavyConfig{K: o.k, MemoryBytes: o.memory, Family: fam})
	}
	return filterbeam.Plan{}, fmt.Errorf("-structure %q, want bloom, counting, cuckoo, static, sketch, heavy or topk", o.structure)
}

// keyVariable is the environment variable that contains the secret key.
const keyVariable = "FILTERBUILD_KEY"

func init() { registerFamily() }

// registerFamily registers the family with the secret key, if there is one.
func registerFamily() {
	if os.Getenv(keyVariable) != "" {
		if err := filterbeam.RegisterFamily("environment", family); err != nil {
			panic(err) // no other family is registered here
		}
	}
}

// family returns the family with the secret key, or the public family if there
// is none.
func family() (hashfam.Family, error) {
	text := os.Getenv(keyVariable)
	if text == "" {
		return hashfam.Family{}, nil
	}
	return cli.Family([]byte(text), keyVariable)
}

// checkOutput returns an error if the output cannot be written, or if it exists
// and -force is not set.
func (o *options) checkOutput(ctx context.Context) error {
	fs, err := filesystem.New(ctx, o.output)
	if err != nil {
		return err
	}
	defer fs.Close()
	if !strings.Contains(o.output, "://") {
		if err := checkLocal(o.output); err != nil {
			return err
		}
	}
	exists, err := pattern.Exists(ctx, fs, o.output)
	if err == nil && exists && !o.force {
		err = fmt.Errorf("%s exists; -force replaces it", o.output)
	}
	return err
}

// checkLocal returns an error if a local file cannot be written. The job replaces
// links, so they are refused, and creates folders that do not exist.
func checkLocal(name string) error {
	info, err := os.Lstat(name)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		return fmt.Errorf("-o %s is a link, want the name of a file", name)
	}
	if _, err := os.Stat(filepath.Dir(name)); os.IsNotExist(err) {
		return nil
	}
	err = replace.Check(name)
	var path *os.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("-o %s: %w", name, path.Err)
	}
	return err
}

// printHelp prints a description of the program and its own flags.
func printHelp(w io.Writer, own *flag.FlagSet) {
	fmt.Fprint(w, "usage: filterbuild -structure NAME [flags] -o FILE PATTERN...\n\n"+
		"Builds a filter or a counter from keys in files, one key a line.\n\n")
	own.VisitAll(func(f *flag.Flag) {
		if f.Usage != "" {
			printFlag(w, f)
		}
	})
	fmt.Fprint(w, "\nThe runners have additional flags, such as -runner and -endpoint:\n"+
		"filterbuild -help-runner lists them.\n")
}

// printRunnerHelp prints all other flags.
func printRunnerHelp(w io.Writer, own, all *flag.FlagSet) {
	all.VisitAll(func(f *flag.Flag) {
		if own.Lookup(f.Name) == nil {
			printFlag(w, f)
		}
	})
}

// printFlag prints a line that describes a flag.
func printFlag(w io.Writer, f *flag.Flag) {
	argument, usage := flag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "0s" {
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(w, "  %-20s %s\n", "-"+f.Name+" "+argument, usage)
}
