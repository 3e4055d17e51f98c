// Command compare measures what a set costs: for each structure of filterfam,
// and for an exact map, the bits per key against the least that any structure
// needs, the rate of false positives, and the time per operation.
//
//	go run -C internal/compare .
//
// runs it on embedded real data in well under a minute; -help lists what can
// be chosen.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Exit codes. An interrupt ends with 128 plus the number of SIGINT, as shells
// expect.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// options are the flags once they have been checked.
type options struct {
	keysFile, absentFile string
	synthetic            int // 0: none
	rates                []float64
	structures           []structure
	tallies              []tally
	docs                 string // where documents go instead
	quick                bool
	format               string
	dir                  string // where files go; empty: none
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fail := func(code int, err error) int {
		fmt.Fprintln(stderr, "compare:", err)
		return code
	}
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return fail(exitUsage, err)
	}

	// From here on an interrupt ends the work but not the program, which shows
	// what it has; a second one ends the program.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)

	if o.docs != "" {
		if err := writeDocs(ctx, o.docs, o.quick, stderr); err != nil {
			return fail(exitFailed, fmt.Errorf("-docs: %w", err))
		}
		return exitOK
	}
	if o.dir != "" {
		if err := os.MkdirAll(o.dir, 0o755); err != nil {
			return fail(exitFailed, fmt.Errorf("-o: %w", err))
		}
	}
	d, err := loadData(ctx, o, stdin, stderr)
	switch {
	case err != nil && ctx.Err() != nil:
		return fail(exitInterrupted, errors.New("interrupted before the keys were read"))
	case err != nil:
		return fail(exitFailed, err)
	}
	cells := newCells(o.structures, o.rates)
	if err := prepare(ctx, cells, d); err != nil && ctx.Err() == nil {
		return fail(exitUsage, err)
	}

	p := newPlan(d)
	step, finish := newProgress(stderr, "measuring", int64(p.rounds*len(cells)+frequencyRounds*len(o.tallies)), inBuilds)
	err = measure(ctx, cells, d, p, func() { step(1) })
	frequency := []frequencyRow{}
	if err == nil {
		frequency, err = countFrequencies(ctx, d.stream, o.tallies, func() { step(1) })
	}
	finish()
	interrupted := ctx.Err() != nil
	if err != nil && !interrupted {
		return fail(exitFailed, err)
	}

	r := report{data: d, plan: p, rows: rows(cells, d.members.len()), frequency: frequency, failures: failuresOf(cells), interrupted: interrupted}
	if err := r.write(stdout, o.format); err != nil {
		return fail(exitFailed, err)
	}
	beside := stdout // what is not the result itself
	if o.format == "json" || o.format == "csv" {
		beside = stderr
		for _, line := range r.remarks() {
			fmt.Fprintln(stderr, line)
		}
	}
	var filesErr error
	if o.dir != "" && len(r.rows)+len(r.frequency) > 0 {
		var files []string
		files, filesErr = r.writeFiles(ctx, o.dir, stderr)
		for i, file := range files {
			fmt.Fprintf(beside, "%-9s%s\n", []string{"Written:", ""}[min(i, 1)], file)
		}
		if filesErr != nil {
			fmt.Fprintln(stderr, "compare: -o:", filesErr)
		}
	}
	if lost := r.lost(); len(lost) > 0 {
		return fail(exitFailed, fmt.Errorf("a key that was added was not found, which must never happen: %s", strings.Join(lost, "; ")))
	}
	if below := undercounted(r.frequency); len(below) > 0 {
		return fail(exitFailed, fmt.Errorf("a count was below the truth, which must never happen: %s", strings.Join(below, "; ")))
	}
	switch {
	case interrupted:
		return exitInterrupted
	case filesErr != nil:
		return exitFailed
	}
	return exitOK
}

// parse reads the command line. Its errors name the flag, the value and what
// is allowed.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	set := flag.NewFlagSet("compare", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the caller shows the error, once
	var names []string
	for _, s := range structures {
		names = append(names, s.name)
	}
	for _, t := range tallies {
		if !slices.Contains(names, t.name) {
			names = append(names, t.name)
		}
	}
	keys := set.String("keys", "", "read the members from `FILE`, one a line, - for standard input (default: embedded malicious domains)")
	absent := set.String("absent", "", "read keys that are no members from `FILE` likewise (default: embedded benign domains)")
	n := set.Int("n", 0, "use `N` random 16-byte keys instead, and at least a million absent ones")
	fpr := set.String("fpr", "0.03,0.01,0.001,0.0001", "target false-positive rates, a `LIST` with commas")
	only := set.String("structures", "", "compare only this `LIST` (and, with -peers, all peers) of: "+strings.Join(names, ", "))
	format := set.String("format", "text", "print `FORM`: "+strings.Join(formats, ", ")+"; csv has no frequencies")
	dir := set.String("o", "out", "write figures and report.html to `DIR`, relative to the working directory; empty for none")
	peers := set.Bool("peers", false, "compare other people's filters too")
	docs := set.String("docs", "", "instead, measure for minutes and write the measured documents of the project into `DIR`")
	quick := set.Bool("quick", false, "with -docs, write documents of the same shape in seconds, with numbers of no worth")

	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "Usage: go run -C internal/compare . [flags]")
			fmt.Fprintln(stderr, "Measures bits per key, false positives and time of each structure.")
			fmt.Fprintln(stderr, "Under -C, relative paths start at internal/compare.")
			set.SetOutput(stderr)
			set.PrintDefaults()
			return o, err
		}
		return o, fmt.Errorf("%w (-help lists the flags)", err)
	}
	given := make(map[string]bool)
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	bad := func(name, value, allowed string) error {
		return fmt.Errorf("-%s %q: %s", name, value, allowed)
	}

	if set.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: everything is given by flags (-help lists them)", set.Arg(0))
	}
	for _, name := range []string{"keys", "absent"} {
		if given[name] && given["n"] {
			return o, fmt.Errorf("-n and -%s exclude each other: -n makes up its own keys", name)
		}
		if given[name] && set.Lookup(name).Value.String() == "" {
			return o, bad(name, "", "the name of a file, or - for standard input")
		}
	}
	if *keys == "-" && *absent == "-" {
		return o, errors.New("-keys - and -absent -: only one of them can read standard input")
	}
	if given["n"] && (*n < 1 || *n > maxSynthetic) {
		return o, bad("n", strconv.Itoa(*n), "a number of keys from 1 to "+thousands(maxSynthetic))
	}
	if *quick && *docs == "" {
		return o, errors.New("-quick: only with -docs")
	}
	if !slices.Contains(formats, *format) {
		return o, bad("format", *format, "one of "+strings.Join(formats, ", "))
	}
	o = options{keysFile: *keys, absentFile: *absent, synthetic: *n, format: *format, dir: *dir, docs: *docs, quick: *quick}
	if o.dir != "" {
		o.dir = filepath.Clean(o.dir)
	}

	for item := range strings.SplitSeq(*fpr, ",") {
		rate, err := strconv.ParseFloat(strings.TrimSpace(item), 64)
		if err != nil || !(rate > 0 && rate < 1) {
			return o, bad("fpr", item, "a rate above 0 and below 1, or several with commas, such as 0.01,0.001")
		}
		if !slices.Contains(o.rates, rate) {
			o.rates = append(o.rates, rate)
		}
	}

	wanted := make(map[string]bool)
	if given["structures"] {
		for item := range strings.SplitSeq(*only, ",") {
			item = strings.TrimSpace(item)
			if !slices.Contains(names, item) {
				return o, bad("structures", item, "one of "+strings.Join(names, ", ")+", or several with commas")
			}
			wanted[item] = true
		}
	}
	for _, s := range structures {
		if wanted[s.name] || s.peer && *peers || !s.peer && !given["structures"] {
			o.structures = append(o.structures, s)
		}
	}
	for _, t := range tallies {
		if wanted[t.name] || t.peer && *peers || !t.peer && !given["structures"] {
			o.tallies = append(o.tallies, t)
		}
	}
	return o, nil
}

// maxSynthetic keeps -n within what a large machine's memory holds.
const maxSynthetic = 1_000_000_000
