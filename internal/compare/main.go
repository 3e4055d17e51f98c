// Command compare measures the structures of filterfam and an exact map. For
// each, it prints the bits per key, their ratio to a lower bound, the
// false-positive rate, and the time per operation. For example, this command
// uses embedded real data and usually takes less than two minutes:
//
//	go run -C internal/compare .
//
// The -help flag lists all flags. Package measure runs the measurements, attack
// runs the attacks, and report prints the results.
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

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/attack"
	"github.com/filterfam/filterfam/internal/compare/measure"
	"github.com/filterfam/filterfam/internal/compare/report"
)

// The exit codes. Shells expect 128 plus the number of SIGINT when interrupted.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// errInterrupted is returned when an interrupted run has printed its results.
var errInterrupted = errors.New("interrupted")

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	code := exitFailed
	o, err := parse(args, stderr)
	o.Stdin = stdin
	p := program{o, args, stdout, stderr}
	switch {
	case err != nil:
		code = exitUsage
	case p.attack:
		err = p.runAttacks()
	case p.docs != "":
		err = p.runDocs()
	default:
		err = p.compare(ctx)
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, hashfam.ErrParams):
		code = exitUsage
	}
	fmt.Fprintln(stderr, "compare:", err)
	return code
}

// A program is a run with checked flags.
type program struct {
	options
	args           []string
	stdout, stderr io.Writer
}

// compare measures the selected structures and prints the results.
func (p *program) compare(ctx context.Context) error {
	if p.dir != "" {
		if err := makeWritable(p.dir); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
	}
	d, err := measure.Load(p.Source)
	if err != nil {
		return err
	}
	counters := measure.Where(measure.Tallies, func(t measure.Tally) bool { return p.wants(t.Name, t.Peer) })
	e, err := measure.NewExperiment(d, p.filters(), p.rates, counters)
	if err != nil {
		return err
	}
	// The first interrupt stops the measurements, the second one the program.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	step, finish := report.Progress(p.stderr, "measuring", e.Steps())
	r, err := e.Run(ctx, step)
	finish()
	if err != nil && !r.Interrupted {
		return err
	}
	return p.show(&report.Report{Results: r, Machine: report.ThisMachine(p.args)})
}

func (p *program) show(r *report.Report) error {
	if err := report.Write(p.stdout, r, p.format); err != nil {
		return err
	}
	aside := p.stderr // for messages
	switch p.format {
	case "text":
		aside = p.stdout
	case "json":
		for _, line := range r.Remarks() {
			fmt.Fprintln(p.stderr, line)
		}
	}
	err := errors.Join(p.writeFiles(r, aside), r.Broken())
	if err == nil && r.Interrupted {
		return errInterrupted
	}
	return err
}

// writeFiles writes the figures and the page, and lists them on aside.
func (p *program) writeFiles(r *report.Report, aside io.Writer) error {
	if p.dir == "" || len(r.Rows)+len(r.Frequency) == 0 {
		return nil
	}
	files, err := r.WriteFiles(p.dir, p.stderr)
	for i, file := range files {
		fmt.Fprintf(aside, "%-9s%s\n", []string{"Written:", ""}[min(i, 1)], file)
	}
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

func (p *program) runAttacks() error {
	budget := attack.Full
	if p.quick {
		budget = attack.Quick
	}
	step, finish := report.Progress(p.stderr, "attacking", attack.Duels(attack.Battles))
	findings := attack.Fight(attack.Battles, budget, step)
	finish()
	return report.Write(p.stdout, report.Attacks{Machine: report.ThisMachine(p.args), Findings: findings}, p.format)
}

// runDocs measures everything and writes the generated documents and figures.
func (p *program) runDocs() error {
	err := errors.Join(makeWritable(p.docs), makeWritable(filepath.Join(p.docs, "figures")))
	if err == nil {
		s := measure.NewSweep(p.quick)
		step, finish := report.Progress(p.stderr, "measuring for "+p.docs, s.Steps())
		m, failed := s.Measure(step)
		finish()
		if err = failed; err == nil {
			err = report.WriteDocuments(p.docs, s, m)
		}
	}
	if err != nil {
		return fmt.Errorf("-docs: %w", err)
	}
	return nil
}

// makeWritable creates a directory if it does not exist. It returns an error if
// files cannot be created in it.
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
