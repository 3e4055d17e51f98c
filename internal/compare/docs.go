package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

const docsCommand = "go run -C internal/compare . -docs ../../docs"

// writeDocs measures everything and writes the documents and figures that are
// made of measurements into dir. That takes some minutes, or seconds if quick,
// from which come documents of the same shape and numbers of no worth.
func writeDocs(ctx context.Context, dir string, quick bool, stderr io.Writer) error {
	s := newSweep(quick)
	step, finish := newProgress(stderr, "measuring for "+dir, int64(len(s.accuracy)+len(s.times)+len(s.memory)+2), nil)
	defer finish()
	done := func() { step(1) }

	run, err := runAll(ctx, options{}, s.rates, false)
	if err != nil {
		return err
	}
	done()
	peerKeys := 1_000_000
	if quick {
		peerKeys = 1000
	}
	peerRun, err := runAll(ctx, options{synthetic: peerKeys}, []float64{0.01}, true)
	if err != nil {
		return err
	}
	done()
	accuracy, err := s.measureAccuracy(ctx, done)
	if err != nil {
		return err
	}
	times, err := s.measureTimes(ctx, done)
	if err != nil {
		return err
	}
	errors, err := s.measureErrors(ctx, done)
	if err != nil {
		return err
	}
	sizes, err := s.sizeSeries(ctx)
	if err != nil {
		return err
	}

	figures := filepath.Join(dir, "figures")
	for _, c := range []*chart{costChart(run.rows), sizeChart(sizes), timeChart(s.times, times), errorChart(errors)} {
		if _, err := c.save(figures); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"figures/run.txt": run.text(),
		"accuracy.md":     accuracyText(s, accuracy, errors),
		"benchmarks.md":   benchmarkText(s, peerRun, times),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// runAll is the program's main job.
func runAll(ctx context.Context, o options, rates []float64, withPeers bool) (*report, error) {
	d, err := loadData(ctx, o, nil, io.Discard)
	if err != nil {
		return nil, err
	}
	all, counted := structures, tallies
	if !withPeers {
		all = slices.DeleteFunc(slices.Clone(all), func(s structure) bool { return s.peer })
		counted = slices.DeleteFunc(slices.Clone(counted), func(t tally) bool { return t.peer })
	}
	cells := newCells(all, rates)
	if err := prepare(ctx, cells, d); err != nil {
		return nil, err
	}
	p := newPlan(d)
	if err := measure(ctx, cells, d, p, func() {}); err != nil {
		return nil, err
	}
	frequency, err := countFrequencies(ctx, d.stream, counted, func() {})
	if err != nil {
		return nil, err
	}
	return &report{data: d, plan: p, rows: rows(cells, d.members.len()), frequency: frequency, failures: failuresOf(cells)}, nil
}

const written = "Written by `" + docsCommand + "`; do not edit.\n\n"

func accuracyText(s sweep, found map[int][]row, errors []errorPoint) string {
	var b strings.Builder
	b.WriteString("# Accuracy\n\n" + written)
	b.WriteString("Measured rate of false positives over the rate asked for, of full filters of random keys, with half the width\n" +
		"of its 95 % interval. 1 is what was asked; below 1 is better. Every structure was asked for at least a million\n" +
		"absent keys, under several hash families; no key was lost.\n")
	for _, rate := range s.rates {
		fmt.Fprintf(&b, "\n## %s\n\n| structure |", percentOf(rate))
		for _, n := range s.accuracy {
			fmt.Fprintf(&b, " %s keys |", thousands(n))
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|", len(s.accuracy)) + "\n")
		for _, one := range ourOwn() {
			fmt.Fprintf(&b, "| %s |", one.name)
			for _, n := range s.accuracy {
				for _, x := range found[n] {
					if x.Structure == one.name && x.TargetFPR == rate {
						fmt.Fprintf(&b, " %.3f ± %.3f |", x.FPR/rate, (x.FPRHigh-x.FPRLow)/2/rate)
					}
				}
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n## Counts\n\n" +
		"The " + mobyDick().about + " Sketches are five rows deep, so that\n99 % of the counts are meant to be within the " +
		"bound. Errors are how much a count is too high; missed and extra are of the\nwords above 0.1 % of the total.\n\n" +
		"![error of counts against memory](figures/count-error.svg)\n\n" +
		"| KiB | structure | mean error | largest | bound | above it | missed | extra |\n|---:|---|---:|---:|---:|---:|---:|---:|\n")
	for _, x := range errors {
		c := x.cells()
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s | %s | %s |\n", x.bytes>>10, x.structure, c[4], c[5], c[6], c[7], c[9], c[10])
	}
	return b.String()
}

func benchmarkText(s sweep, peers *report, times map[int][]timePoint) string {
	var b strings.Builder
	b.WriteString("# Benchmarks\n\n" + written)
	fmt.Fprintf(&b, "Measured on %s. Times on a busy machine are worth little by themselves: read them against each other.\n", machine())
	b.WriteString("\n## Beside other libraries\n\n`go run -C internal/compare . -peers -n 1000000 -fpr 0.01` prints this table. ")
	b.WriteString(peers.markdown())
	b.WriteString("\n## By the number of keys\n\nNanoseconds of a look-up at 1 %, half of them of members; *batch* is `ContainsAll` with " +
		fmt.Sprint(batchKeys) + " keys a call.\n\n![time of a look-up against the number of keys](figures/time-by-n.svg)\n\n| structure |")
	for _, n := range s.times {
		fmt.Fprintf(&b, " %s |", thousands(n))
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(s.times)) + "\n")
	for i, p := range times[s.times[0]] {
		fmt.Fprintf(&b, "| %s |", p.name())
		for _, n := range s.times {
			fmt.Fprintf(&b, " %s |", nanoseconds(times[n][i].ns))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## Space by the number of keys\n\nBits per key at 1 %; seiflotfy-cuckoo has the rate that it has, about 3 %. " +
		"Tables of a power of two of slots take up to twice the memory.\n\n![bits per key against the number of keys](figures/bits-by-n.svg)\n")
	b.WriteString("\n## As Go benchmarks\n\n" +
		"    go test -C internal/compare -run xxx -bench BenchmarkRatios -benchtime 1x .\n\n" +
		"runs them in turn and prints the median ratios of one run; `FILTERFAM_N` sets the number of keys, and\n" +
		"`-bench BenchmarkFilters` gives times instead.\n")
	return b.String()
}

func (p timePoint) name() string {
	if p.batch {
		return p.structure + ", batch"
	}
	return p.structure
}

// machine names what the numbers depend on.
func machine() string {
	cpu := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				cpu = strings.TrimSpace(value)
				break
			}
		}
	}
	version := runtime.Version()
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.GoVersion
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", cpu, runtime.NumCPU(), runtime.GOOS, version)
}

// sizeChart draws bits per key against the number of keys.
func sizeChart(list []series) *chart {
	c := newChart("bits-by-n", "What a key costs at 1 %, by the number of keys", "keys", "bits per key")
	first, last := list[0].XYs[0].X, list[0].XYs[len(list[0].XYs)-1].X
	c.across(first, last, 7, countTicks)
	c.up(0, 28, every(4, 28))
	for _, l := range list {
		c.line(l.XYs, l.look)
	}
	c.nameEnds(list, 1.5)
	return c
}

// timeChart draws the time of a look-up against the number of keys.
func timeChart(sizes []int, times map[int][]timePoint) *chart {
	c := newChart("time-by-n", "A look-up at 1 %, by the number of keys", "keys", "nanoseconds")
	c.across(float64(sizes[0]), float64(sizes[len(sizes)-1]), 12, countTicks)
	var list []series
	top := 0.0
	for i, p := range times[sizes[0]] {
		if p.structure == "counting" || p.structure == "cuckoo-compact" || p.structure == "seiflotfy-cuckoo" {
			continue // in the table; here they would cover others
		}
		l := series{name: p.name(), look: markOf(p.structure)}
		if p.batch {
			l.look.dashes = dashed
		}
		for _, n := range sizes {
			l.XYs = append(l.XYs, plotter.XY{X: float64(n), Y: times[n][i].ns})
			top = max(top, times[n][i].ns)
		}
		c.line(l.XYs, l.look)
		list = append(list, l)
	}
	step := 10.0
	for top/step > 10 {
		step *= 2
	}
	top = math.Ceil(top/step) * step
	c.up(0, top, every(step, top))
	c.nameEnds(list, top/22)
	return c
}

// errorChart draws the mean error of counts against memory.
func errorChart(errors []errorPoint) *chart {
	c := newChart("count-error", "How much a word's count is too high, words of Moby-Dick", "KiB", "mean error, occurrences")
	var list []series
	marks := map[string]mark{
		"count-min": {color: blue}, "count-min-conservative": {color: green}, "heavy-hitters": {color: vermilion},
	}
	low, high := math.Inf(1), 0.0
	for _, x := range errors {
		if x.MeanError == nil || *x.MeanError <= 0 {
			continue
		}
		i := slices.IndexFunc(list, func(l series) bool { return l.name == x.structure })
		if i < 0 {
			i = len(list)
			list = append(list, series{name: x.structure, look: marks[x.structure]})
		}
		list[i].XYs = append(list[i].XYs, plotter.XY{X: float64(x.bytes) / 1024, Y: *x.MeanError})
		low, high = min(low, *x.MeanError), max(high, *x.MeanError)
	}
	first, last := float64(errors[0].bytes)/1024, float64(errors[len(errors)-1].bytes)/1024
	c.across(first, last, 6, kibTicks)
	c.upByTens(math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high))))
	for _, l := range list {
		c.line(l.XYs, l.look)
	}
	c.nameEnds(list, 0)
	return c
}

// nameEnds writes the name of each line at its right end, no two closer than
// gap.
func (c *chart) nameEnds(list []series, gap float64) {
	order := slices.SortedFunc(slices.Values(list), func(a, b series) int {
		return cmp.Compare(a.XYs[len(a.XYs)-1].Y, b.XYs[len(b.XYs)-1].Y)
	})
	at := make([]float64, len(order))
	for i, l := range order {
		at[i] = l.XYs[len(l.XYs)-1].Y
		if i > 0 {
			at[i] = max(at[i], at[i-1]+gap)
		}
	}
	for i := len(order) - 1; i >= 0 && gap > 0; i-- { // and none above the figure
		most := c.Y.Max - gap/2
		if i < len(order)-1 {
			most = at[i+1] - gap
		}
		at[i] = min(at[i], most)
	}
	for i, l := range order {
		c.write(l.XYs[len(l.XYs)-1].X*1.06, at[i], l.name, l.look.color, draw.XLeft, 0)
	}
}
