// Command compare measures what a set costs: for each structure of filterfam,
// and for an exact map, the bits per key against the least that any structure
// needs, the rate of false positives, and the time per operation.
//
//	go run -C internal/compare .
//
// runs it on embedded real data in well under a minute; -help lists the flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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
		p := program{o: o, args: args, stdin: stdin, stdout: stdout, stderr: stderr}
		code, err = p.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(stderr, "compare:", err)
	}
	return code
}

// A program is one run with checked flags.
type program struct {
	o              options
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run carries out the flags and returns the exit code.
func (p *program) run(ctx context.Context) (int, error) {
	switch {
	case p.o.version:
		return p.writeVersion()
	case p.o.attack:
		return p.runAttacks(ctx)
	case p.o.docs != "":
		return p.runDocs(ctx)
	}
	return p.compare(ctx)
}

func (p *program) writeVersion() (int, error) {
	if _, err := fmt.Fprintln(p.stdout, version()); err != nil {
		return exitFailed, fmt.Errorf("-version: %w", err)
	}
	return exitOK, nil
}

// compare measures the structures on the keys of the flags.
func (p *program) compare(ctx context.Context) (int, error) {
	if p.o.dir != "" {
		if err := makeWritable(p.o.dir); err != nil {
			return exitFailed, fmt.Errorf("-o: %w", err)
		}
	}
	d, err := loadData(ctx, p.o, p.stdin, p.stderr)
	switch {
	case err != nil && ctx.Err() != nil:
		return exitInterrupted, errors.New("interrupted before the keys were read")
	case err != nil:
		return exitFailed, err
	}
	filters, counters := p.o.chosen()
	e, err := newExperiment(ctx, d, filters, p.o.rates, counters)
	if err != nil && ctx.Err() == nil {
		return exitUsage, err
	}
	step, finish := newProgress(p.stderr, "measuring", int64(e.steps()), inBuilds)
	r, err := e.run(ctx, func() { step(1) })
	finish()
	if err != nil && !r.interrupted {
		return exitFailed, err
	}
	r.machine = thisMachine(p.args)
	return p.show(ctx, r)
}

// show writes the report and the files and returns the exit code.
func (p *program) show(ctx context.Context, r *report) (int, error) {
	if err := r.write(p.stdout, p.o.format, columns(p.stdout)); err != nil {
		return exitFailed, err
	}
	aside := p.stderr // for everything but the result
	switch p.o.format {
	case "text":
		aside = p.stdout
	case "json", "csv":
		for _, line := range r.remarks() {
			fmt.Fprintln(p.stderr, line)
		}
	}
	filesErr := p.writeFiles(ctx, r, aside)
	if err := r.broken(); err != nil {
		return exitFailed, errors.Join(filesErr, err)
	}
	switch {
	case r.interrupted:
		return exitInterrupted, filesErr
	case filesErr != nil:
		return exitFailed, filesErr
	}
	return exitOK, nil
}

// writeFiles writes the figures and the page and lists them on aside.
func (p *program) writeFiles(ctx context.Context, r *report, aside io.Writer) error {
	if p.o.dir == "" || len(r.rows)+len(r.frequency) == 0 {
		return nil
	}
	files, err := r.writeFiles(ctx, p.o.dir, p.stderr)
	for i, file := range files {
		fmt.Fprintf(aside, "%-9s%s\n", []string{"Written:", ""}[min(i, 1)], file)
	}
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}
