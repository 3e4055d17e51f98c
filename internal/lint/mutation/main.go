// Command mutation changes one operator of a package at a time and runs the
// package's tests: a change that no test notices shows what the tests do not
// check. It compiles a package once, with all mutants in it, and runs for each
// mutant only the tests that reach it, the quickest first.
//
//	go run ./internal/lint/mutation ./bloom ./cuckoo
//
// The operators are the defaults of gremlins: + - * / % become their
// opposites, < and <= (> and >=) are exchanged, comparisons are negated, ++ and
// -- are exchanged, and the sign of -x is dropped. docs/mutants.md lists the
// mutants that no test can kill.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"
)

// options are the flags.
type options struct {
	workers  int
	most     int
	least    float64
	listed   bool
	all      bool
	since    string
	tags     string
	skip     string
	docs     string
	patience time.Duration
}

func main() {
	var o options
	flag.IntVar(&o.workers, "workers", 2, "processes at a time")
	flag.Float64Var(&o.least, "least", 95, "fail if less than this percentage of the covered mutants is killed")
	flag.BoolVar(&o.listed, "listed", false, "fail also if a mutant lived that the document does not list")
	flag.IntVar(&o.most, "most", 0, "try at most this many mutants of a package, spread evenly; 0 means all")
	flag.BoolVar(&o.all, "all", false, "print all mutants, not only those that lived")
	flag.StringVar(&o.since, "since", "", "try only mutants on lines that differ from this commit")
	flag.StringVar(&o.tags, "tags", "", "build tags")
	flag.StringVar(&o.skip, "skip", `print\.go$`, "leave files out whose names match: by default those that only format")
	flag.StringVar(&o.docs, "docs", "docs/mutants.md", "the document that lists accepted mutants")
	flag.DurationVar(&o.patience, "patience", 10*time.Second, "how long a mutant may wait, beyond ten times the time of its tests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok := true
	for _, pattern := range flag.Args() {
		passed, err := o.try(ctx, pattern)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutation:", err)
			os.Exit(2)
		}
		ok = ok && passed
	}
	if !ok {
		os.Exit(1)
	}
}

// try tests one package, prints the report, and reports whether it passes.
func (o options) try(ctx context.Context, pattern string) (bool, error) {
	listed, err := acceptances(o.docs)
	if err != nil {
		return false, err
	}
	skip, err := regexp.Compile(o.skip)
	if err != nil {
		return false, err
	}
	r, err := test(ctx, pattern, o, skip)
	if r == nil {
		return false, err
	}
	r.stale = accept(r.pkg, listed)
	if !r.finished {
		r.stale = nil
	}
	r.print(os.Stdout, o.all)
	unlisted := o.listed && r.counts()[lived] > 0
	return r.efficacy() >= o.least && len(r.stale) == 0 && !unlisted, err
}

// test tries all mutants of a package. If it is interrupted, it returns the
// unfinished report and an error.
func test(ctx context.Context, pattern string, o options, skip *regexp.Regexp) (*report, error) {
	p, err := load(ctx, pattern, o.tags, skip)
	if err != nil {
		return nil, err
	}
	defer func() { os.RemoveAll(p.temp) }()
	if n, err := p.choose(ctx, o); err != nil || n == 0 {
		return &report{pkg: p, finished: err == nil}, err
	}
	if err := p.compile(ctx, o.tags, pattern); err != nil {
		return nil, err
	}
	usable, failing, err := p.baseline(ctx, o.workers)
	if err != nil {
		return nil, err
	}
	var shown progress
	err = parallel(o.workers, len(p.mutants), func(_, i int) error {
		m := p.mutants[i]
		var err error
		if m.verdict == notCovered {
			err = p.hunt(ctx, m, usable, o.patience)
		}
		shown.step(m, p)
		return err
	})
	return &report{pkg: p, failing: failing, finished: err == nil}, err
}
