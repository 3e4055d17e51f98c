package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/filterfam/filterfam/internal/compare/advice"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

// options are the flags once they have been checked.
type options struct {
	measure.Source
	rates   []float64
	only    []string // names; nil: everything of ours
	peers   bool
	docs    string // directory to write documents to instead
	quick   bool
	attack  bool
	given   []string // the flags on the command line
	version bool
	format  string
	dir     string // directory for files; empty: none
}

// maxSynthetic keeps -n within the memory of a large machine.
const maxSynthetic = 1_000_000_000

const usage = `Usage: go run -C internal/compare . [flags]
Measures bits per key, false positives and time of each structure, or, with
-attack, what an adversary can do to it.
Under -C, relative paths start at internal/compare.
`

// parse reads the command line. Its errors name the flag, the value and what is
// allowed.
func parse(args []string, stderr io.Writer) (options, error) {
	o := options{rates: []float64{0.03, 0.01, 0.001, 0.0001}, format: "text", dir: "out"}
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
		return o, fmt.Errorf("unexpected argument %q: everything is given by flags (-help lists them)", set.Arg(0))
	}
	set.Visit(func(f *flag.Flag) { o.given = append(o.given, f.Name) })
	return o, o.check()
}

// flags returns the flags, which store into o.
func (o *options) flags() *flag.FlagSet {
	set := flag.NewFlagSet("compare", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the caller shows the error, once
	set.Func("keys", "read member keys from `FILE`, plain or gzip, one per line, - for standard input (default: embedded malicious domains)", file(&o.KeysFile))
	set.Func("absent", "read non-member keys from `FILE`, plain or gzip, one per line, - for standard input (default: embedded benign domains, or with -keys members with a random ending)", file(&o.AbsentFile))
	set.Func("n", "use `N` random 16-byte keys instead, and at least a million absent ones", o.setSynthetic)
	set.Func("fpr", "target false-positive rates, a `LIST` with commas (default 0.03,0.01,0.001,0.0001)", o.setRates)
	set.Func("structures", "compare only this `LIST` of: "+strings.Join(names(), ", ")+
		"; a third-party library in it needs no -peers", o.setStructures)
	set.Func("format", "print `FORM`: "+strings.Join(report.Formats, ", ")+" (default text)", o.setFormat)
	set.Func("o", "write figures and report.html to `DIR`, relative to the working directory; empty for none (default out)", func(text string) error { o.dir = text; return nil })
	set.BoolFunc("peers", "compare all third-party libraries too", yes(&o.peers))
	set.Func("docs", "measure for several minutes and regenerate the measured documents of the project in `DIR` instead", o.setDocs)
	set.BoolFunc("quick", "with -docs, write documents of the same shape in seconds, with meaningless numbers; with -attack, attack smaller structures", yes(&o.quick))
	set.BoolFunc("attack", "attack our structures and those of third-party libraries instead, which takes some seconds, and show what succeeds; writes no files", yes(&o.attack))
	set.BoolFunc("version", "print the version and stop", yes(&o.version))
	return set
}

// modes are flags of which each leaves room for few others.
var modes = []struct {
	name   string
	beside []string
	why    string
}{
	{"attack", []string{"attack", "format", "quick", "version"}, "the attacks choose their own keys and structures, and write no files"},
	{"docs", []string{"docs", "quick", "version"}, "the documents choose their own keys, structures, form and files"},
}

// check finds flags that exclude each other.
func (o *options) check() error {
	switch {
	case o.Synthetic > 0 && o.KeysFile != "":
		return errors.New("-n and -keys exclude each other: -n makes up its own keys")
	case o.Synthetic > 0 && o.AbsentFile != "":
		return errors.New("-n and -absent exclude each other: -n makes up its own keys")
	case o.KeysFile == "-" && o.AbsentFile == "-":
		return errors.New("-keys - and -absent -: only one of them can read standard input")
	case o.quick && o.docs == "" && !o.attack:
		return errors.New("-quick: want it only with -docs or -attack")
	}
	for _, m := range modes {
		for _, name := range o.given {
			none := name == "o" && o.dir == "" // no files beside those of the mode
			if slices.Contains(o.given, m.name) && !none && !slices.Contains(m.beside, name) {
				return fmt.Errorf("-%s and -%s exclude each other: %s", m.name, name, m.why)
			}
		}
	}
	return nil
}

func file(name *string) func(string) error {
	return func(text string) error {
		if text == "" {
			return errors.New("want the name of a file, or - for standard input")
		}
		*name = text
		return nil
	}
}

func yes(value *bool) func(string) error {
	return func(text string) error {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("want true or false, or the flag alone")
		}
		*value = on
		return nil
	}
}

func (o *options) setSynthetic(text string) error {
	n, ok := advice.ParseCount(text)
	if !ok || n > maxSynthetic {
		return fmt.Errorf("want a number of keys from 1 to %s, such as 1000000 or 1e6", measure.Thousands(maxSynthetic))
	}
	o.Synthetic = int(n)
	return nil
}

func (o *options) setRates(text string) (err error) {
	o.rates, err = items(text, "a rate above 0 and below 1, or several with commas, such as 0.01,0.001", func(item string) (float64, bool) {
		rate, err := strconv.ParseFloat(item, 64)
		return rate, err == nil && rate > 0 && rate < 1
	})
	return err
}

func (o *options) setStructures(text string) (err error) {
	o.only, err = items(text, "one of "+strings.Join(names(), ", ")+", or several with commas", func(item string) (string, bool) {
		return item, slices.Contains(names(), item)
	})
	return err
}

// items reads a list with commas, each item once. An error names the item that
// is wrong, if there are others.
func items[T comparable](text, want string, read func(item string) (T, bool)) ([]T, error) {
	var list []T
	for item := range strings.SplitSeq(text, ",") {
		x, ok := read(strings.TrimSpace(item))
		switch {
		case !ok && strings.Contains(text, ","):
			return nil, fmt.Errorf("%q: want %s", item, want)
		case !ok:
			return nil, errors.New("want " + want)
		case !slices.Contains(list, x):
			list = append(list, x)
		}
	}
	return list, nil
}

func (o *options) setFormat(text string) error {
	if !slices.Contains(report.Formats, text) {
		return fmt.Errorf("want one of %s", strings.Join(report.Formats, ", "))
	}
	o.format = text
	return nil
}

func (o *options) setDocs(text string) error {
	if text == "" {
		return errors.New("want a directory")
	}
	o.docs = filepath.Clean(text)
	return nil
}

// names lists what -structures takes.
func names() []string {
	var list []string
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

// wants reports whether the flags choose a structure or a tally.
func (o *options) wants(name string, peer bool) bool {
	return slices.Contains(o.only, name) || peer && o.peers || !peer && o.only == nil
}

// filters returns the structures that the flags choose, in the order of the
// rows.
func (o *options) filters() []measure.Structure {
	return slices.DeleteFunc(slices.Clone(measure.Structures), func(s measure.Structure) bool { return !o.wants(s.Name, s.Peer) })
}

// counters returns the tallies that the flags choose, in the order of the rows.
func (o *options) counters() []measure.Tally {
	return slices.DeleteFunc(slices.Clone(measure.Tallies), func(t measure.Tally) bool { return !o.wants(t.Name, t.Peer) })
}
