package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const docsCommand = "go run -C internal/compare . -docs ../../docs"

const written = "Written by `" + docsCommand + "`; do not edit.\n\n"

// errDocs is the error of an interrupt.
var errDocs = errors.New("interrupted, nothing was written")

// runDocs writes the documents and returns the exit code.
func (p *program) runDocs(ctx context.Context) (int, error) {
	err := writeDocs(ctx, p.o.docs, p.o.quick, p.stderr)
	switch {
	case errors.Is(err, errDocs):
		return exitInterrupted, fmt.Errorf("-docs: %w", err)
	case err != nil:
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
		return fmt.Errorf("writing to %s: %w", dir, pathless(err))
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// writeDocs measures everything and writes the documents and figures that are
// made of measurements into dir. That takes some minutes, or seconds if quick,
// which gives documents of the same shape with meaningless numbers. If ctx ends
// before all is measured, it returns errDocs.
func writeDocs(ctx context.Context, dir string, quick bool, stderr io.Writer) error {
	figures := filepath.Join(dir, "figures")
	for _, d := range []string{dir, figures} {
		if err := makeWritable(d); err != nil {
			return err
		}
	}
	s := newSweep(quick)
	step, finish := newProgress(stderr, "measuring for "+dir, int64(s.steps()), nil)
	defer finish()
	m, err := s.measure(ctx, func() { step(1) })
	switch {
	case err != nil && errors.Is(err, ctx.Err()):
		return errDocs
	case err != nil:
		return err
	}
	for _, c := range []*chart{costChart(m.run.rows), sizeChart(m.sizes), timeChart(s.times, m.times), errorChart(m.errors)} {
		if _, err := c.save(figures); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"figures/run.txt": m.run.text(mostColumns),
		"accuracy.md":     accuracyText(s, m.accuracy, m.errors),
		"benchmarks.md":   benchmarkText(s, m.peers, m.times),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func accuracyText(s sweep, found map[int][]row, errors []errorPoint) string {
	var b strings.Builder
	b.WriteString("# Accuracy\n\n" + written +
		"Measured / requested rate of full filters of random keys, with half the width of its 95 % interval; below 1 is\n" +
		"better than requested. Every filter was queried for at least a million absent keys, over several hash families; no\n" +
		"key was lost.\n")
	for _, rate := range s.rates {
		fmt.Fprintf(&b, "\n## %s\n\n%s", percentOf(rate), s.accuracyTable(rate, found).markdown())
	}
	b.WriteString("\n## Counts\n\n" +
		"The " + mobyDick().about + " Sketches are five rows deep, so that\n99 % of the counts are meant to be within the " +
		"bound. Errors are how much a count is too high; missed and extra are of the\nwords above 0.1 % of the total.\n\n" +
		"![error of counts against memory](figures/count-error.svg)\n\n" + errorTable(errors).markdown() + "\n" + capacityText())
	return b.String()
}

func benchmarkText(s sweep, peers *report, times map[int][]timePoint) string {
	return "# Benchmarks\n\n" + written +
		"Measured on " + thisMachine(nil).String() + ". Times on a busy machine mean little by themselves: compare them with each other.\n\n" +
		"## Against other libraries\n\n`go run -C internal/compare . -peers -n 1000000 -fpr 0.01` prints these tables.\n\n" +
		peers.markdown() +
		"\n## By the number of keys\n\nNanoseconds of a lookup at 1 %, half of them of members, the least of " +
		fmt.Sprint(s.passes*passRounds) + " rounds; *batch* is `ContainsAll` with " + fmt.Sprint(batchKeys) + " keys a call.\n\n![time of a lookup against the number of keys](figures/time-by-n.svg)\n\n" +
		timeTable(s.times, times).markdown() +
		"\n## Space by the number of keys\n\nBits per key at 1 %; fuse8 always has a rate of 0.4 %, seiflotfy-cuckoo of about 3 %. " +
		"Tables of a power of two of slots take up to twice the memory.\n\n![bits per key against the number of keys](figures/bits-by-n.svg)\n" +
		"\n## As Go benchmarks\n\n" +
		"    go test -C internal/compare -run xxx -bench BenchmarkRatios -benchtime 1x .\n\n" +
		"runs all filters in turn and prints a table of the median ratios; `FILTERFAM_N` sets the number of keys, and\n" +
		"`-bench BenchmarkFilters` gives times instead.\n"
}
