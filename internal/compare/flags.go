package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/internal/advice"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

// options contains the checked flags.
type options struct {
	measure.Source
	rates  []float64
	only   []string // names; nil means all of ours
	peers  bool
	attack bool
	quick  bool
	docs   string // directory for documents; set if they should be written
	format string
	dir    string // directory for files; empty if none should be written
}

const usage = `Usage: go run -C internal/compare . [flags]
Measures the bits per key, false-positive rate and time of each structure or,
with -attack, its resistance to an adversary.
With -C, paths are relative to internal/compare.
`

// parse reads the command line. Its errors name the flag and what it allows.
func parse(args []string, stderr io.Writer) (options, error) {
	o := options{rates: []float64{0.03, 0.01, 0.001, 0.0001}}
	set := o.flags()
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stderr, usage)
		set.SetOutput(stderr)
		set.PrintDefaults()
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w (-help lists the flags)", err)
	case set.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q: the program has only flags (-help lists them)", set.Arg(0))
	}
	given := make(map[string]string)
	set.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() })
	return o, o.check(given)
}

// flags returns a flag set that stores the values in o.
func (o *options) flags() *flag.FlagSet {
	set := flag.NewFlagSet("compare", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the caller prints errors
	set.StringVar(&o.KeysFile, "keys", "", "read member keys from `FILE`, plain or gzip, one per line; - for standard input (default: embedded malicious domains)")
	set.StringVar(&o.AbsentFile, "absent", "", "read absent keys from `FILE`, plain or gzip, one per line; - for standard input (default: embedded benign domains or, with -keys, members with random endings)")
	set.Func("n", "use `N` random 16-byte keys instead, and at least a million absent keys", o.setSynthetic)
	set.Func("fpr", "target false-positive rates, a comma-separated `LIST` (default 0.03,0.01,0.001,0.0001)",
		items(&o.rates, "a rate above 0 and below 1, or a comma-separated list such as 0.01,0.001", func(item string) (float64, bool) {
			rate, err := strconv.ParseFloat(item, 64)
			return rate, err == nil && rate > 0 && rate < 1
		}))
	all := strings.Join(names(), ", ")
	set.Func("structures", "compare only a `LIST` of: "+all+"; includes third-party libraries without -peers",
		items(&o.only, "one of "+all+", or a comma-separated list", func(item string) (string, bool) {
			return item, slices.Contains(names(), item)
		}))
	set.StringVar(&o.format, "format", "text", "print the results as `FORM`: "+strings.Join(report.Formats, ", "))
	set.StringVar(&o.dir, "o", "out", "write figures and report.html to `DIR`; empty to write no files")
	set.BoolVar(&o.peers, "peers", false, "also compare third-party libraries, and our filters with hash/maphash")
	set.StringVar(&o.docs, "docs", "", "regenerate the project's measured documents in `DIR` instead, which takes several minutes")
	set.BoolVar(&o.quick, "quick", false, "with -docs, write the documents in seconds with meaningless numbers; with -attack, attack smaller structures")
	set.BoolVar(&o.attack, "attack", false, "attack our structures and third-party libraries instead, which takes several seconds; write no files")
	return set
}

// excluded lists flags that exclude others.
var excluded = []struct{ name, others, why string }{
	{"n", "keys absent", "-n generates its own keys"},
	{"attack", "keys absent n fpr structures peers docs o", "the attacks use their own keys and structures, and write no files"},
	{"docs", "keys absent n fpr structures peers format o", "the documents use their own keys, structures, form and files"},
}

// check returns an error if given flags exclude each other or have no effect.
func (o *options) check(given map[string]string) error {
	for _, name := range []string{"keys", "absent", "docs"} {
		if path, is := given[name]; is && path == "" {
			return fmt.Errorf("-%s %q: want a file or a directory", name, path)
		}
	}
	switch {
	case o.KeysFile == "-" && o.AbsentFile == "-":
		return errors.New("-keys - and -absent -: only one flag can read standard input")
	case o.quick && o.docs == "" && !o.attack:
		return errors.New("-quick: it needs -docs or -attack")
	case !slices.Contains(report.Formats, o.format):
		return fmt.Errorf("-format %q: want one of %s", o.format, strings.Join(report.Formats, ", "))
	}
	for _, x := range excluded {
		for other := range strings.FieldsSeq(x.others) {
			_, one := given[x.name]
			_, both := given[other]
			if one && both && (other != "o" || o.dir != "") { // with -o "", no files are requested
				return fmt.Errorf("-%s and -%s cannot be used together: %s", x.name, other, x.why)
			}
		}
	}
	return nil
}

func (o *options) setSynthetic(text string) error {
	const maxSynthetic = 1_000_000_000 // needs the memory of a large machine
	n, ok := advice.ParseCount(text)
	if !ok || n > maxSynthetic {
		return fmt.Errorf("want a number from 1 to %s, such as 1000000 or 1e6", measure.Thousands(maxSynthetic))
	}
	o.Synthetic = int(n)
	return nil
}

// items returns a function that stores the items of a comma-separated list in
// *to, without duplicates. If the list has several items, the error names the
// one that is wrong.
func items[T comparable](to *[]T, want string, read func(item string) (T, bool)) func(text string) error {
	return func(text string) error {
		*to = nil
		for item := range strings.SplitSeq(text, ",") {
			x, ok := read(strings.TrimSpace(item))
			switch {
			case !ok && strings.Contains(text, ","):
				return fmt.Errorf("%q: want %s", item, want)
			case !ok:
				return errors.New("want " + want)
			case !slices.Contains(*to, x):
				*to = append(*to, x)
			}
		}
		return nil
	}
}

// names returns the names that -structures accepts.
func names() (list []string) {
	for _, s := range measure.Structures {
		list = append(list, s.Name)
	}
	for _, t := range measure.Tallies {
		if !slices.Contains(list, t.Name) {
			list = append(list, t.Name)
		}
	}
	return list
}

// wants reports whether the flags select a structure or a tally.
func (o *options) wants(name string, onRequest bool) bool {
	return slices.Contains(o.only, name) || onRequest && o.peers || !onRequest && o.only == nil
}

// filters returns the structures that the flags select.
func (o *options) filters() []measure.Structure {
	return measure.Where(measure.Structures, func(s measure.Structure) bool { return o.wants(s.Name, s.Asked()) })
}
