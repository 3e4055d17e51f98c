// Command compare measures what a set costs: for each structure of filterfam,
// and for an exact map, the bits per key against the least that any structure
// needs, the rate of false positives, and the time per operation.
//
//	go run -C internal/compare .
//
// runs it on embedded real data in well under a minute; -help lists the flags.
// Package measure measures, attack attacks, and report shows what they found.
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

	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
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

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	code := exitUsage
	if err == nil {
		// From here on an interrupt ends the measuring but not the program,
		// which shows the results so far; a second one ends the program.
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		context.AfterFunc(ctx, stop)
		p := program{o, args, stdin, stdout, stderr}
		code, err = p.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(stderr, "compare:", err)
	}
	return code
}

// A program is one run with checked flags.
type program struct {
	options
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run carries out the flags and returns the exit code.
func (p *program) run(ctx context.Context) (int, error) {
	switch {
	case p.version:
		if _, err := fmt.Fprintln(p.stdout, report.Version()); err != nil {
			return exitFailed, fmt.Errorf("-version: %w", err)
		}
		return exitOK, nil
	case p.attack:
		return p.runAttacks(ctx)
	case p.docs != "":
		return p.runDocs(ctx)
	}
	return p.compare(ctx)
}

// compare measures the structures on the keys of the flags.
func (p *program) compare(ctx context.Context) (int, error) {
	if p.dir != "" {
		if err := makeWritable(p.dir); err != nil {
			return exitFailed, fmt.Errorf("-o: %w", err)
		}
	}
	d, err := p.load(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return exitInterrupted, errors.New("interrupted before the keys were read")
	case err != nil:
		return exitFailed, err
	}
	e, err := measure.NewExperiment(ctx, d, p.filters(), p.rates, p.counters())
	if err != nil && ctx.Err() == nil {
		return exitUsage, err
	}
	step, finish := report.Progress(p.stderr, "measuring", int64(e.Steps()), report.InBuilds)
	r, err := e.Run(ctx, func() { step(1) })
	finish()
	if err != nil && !r.Interrupted {
		return exitFailed, err
	}
	return p.show(ctx, &report.Report{Results: r, Machine: report.ThisMachine(p.args)})
}

// load returns the keys of the flags.
func (p *program) load(ctx context.Context) (*measure.Dataset, error) {
	p.Stdin, p.Warnings = p.stdin, p.stderr
	p.Progress = func(name string, bytes int64) (func(int), func()) {
		step, finish := report.Progress(p.stderr, name, bytes, report.InBytes)
		context.AfterFunc(ctx, finish) // if the reading itself waits for a pipe
		return step, finish
	}
	return measure.Load(ctx, p.Source)
}

// show writes the report and the files and returns the exit code.
func (p *program) show(ctx context.Context, r *report.Report) (int, error) {
	if err := report.Write(p.stdout, r, p.format, report.Columns(p.stdout)); err != nil {
		return exitFailed, err
	}
	aside := p.stderr // for everything but the result
	switch p.format {
	case "text":
		aside = p.stdout
	case "json", "csv":
		for _, line := range r.Remarks() {
			fmt.Fprintln(p.stderr, line)
		}
	}
	filesErr := p.writeFiles(ctx, r, aside)
	if err := r.Broken(); err != nil {
		return exitFailed, errors.Join(filesErr, err)
	}
	switch {
	case r.Interrupted:
		return exitInterrupted, filesErr
	case filesErr != nil:
		return exitFailed, filesErr
	}
	return exitOK, nil
}

// writeFiles writes the figures and the page and lists them on aside.
func (p *program) writeFiles(ctx context.Context, r *report.Report, aside io.Writer) error {
	if p.dir == "" || len(r.Rows)+len(r.Frequency) == 0 {
		return nil
	}
	files, err := r.WriteFiles(ctx, p.dir, p.stderr)
	for i, file := range files {
		fmt.Fprintf(aside, "%-9s%s\n", []string{"Written:", ""}[min(i, 1)], file)
	}
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// runAttacks attacks everything, shows the tables and returns the exit code.
func (p *program) runAttacks(ctx context.Context) (int, error) {
	b := attack.Full
	if p.quick {
		b = attack.Quick
	}
	step, finish := report.Progress(p.stderr, "attacking", int64(attack.Duels(attack.Battles)), report.InDuels)
	findings, err := attack.Fight(ctx, attack.Battles, b, func() { step(1) })
	finish()
	if err != nil && ctx.Err() == nil {
		return exitFailed, fmt.Errorf("-attack: %w", err)
	}
	r := report.Attacks{Machine: report.ThisMachine(p.args), Findings: findings, Interrupted: ctx.Err() != nil}
	if err := report.Write(p.stdout, r, p.format, report.Columns(p.stdout)); err != nil {
		return exitFailed, err
	}
	if r.Interrupted {
		return exitInterrupted, errors.New("interrupted: some attacks are missing")
	}
	return exitOK, nil
}

// runDocs measures everything and writes the documents and figures that are
// made of measurements. That takes some minutes, or seconds if quick, which
// gives documents of the same shape with meaningless numbers.
func (p *program) runDocs(ctx context.Context) (int, error) {
	for _, dir := range []string{p.docs, filepath.Join(p.docs, "figures")} {
		if err := makeWritable(dir); err != nil {
			return exitFailed, fmt.Errorf("-docs: %w", err)
		}
	}
	s := measure.NewSweep(p.quick)
	step, finish := report.Progress(p.stderr, "measuring for "+p.docs, int64(s.Steps()), nil)
	m, err := s.Measure(ctx, func() { step(1) })
	finish()
	if err == nil {
		err = report.WriteDocuments(p.docs, s, m)
	} else if errors.Is(err, ctx.Err()) {
		return exitInterrupted, errors.New("-docs: interrupted, nothing was written")
	}
	if err != nil {
		return exitFailed, fmt.Errorf("-docs: %w", err)
	}
	return exitOK, nil
}

// makeWritable makes a directory if there is none, and returns an error if no
// file can be written to it.
func makeWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".compare-*")
	if err != nil {
		return fmt.Errorf("writing to %s: %w", dir, measure.Pathless(err))
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
