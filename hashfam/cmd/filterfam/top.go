package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cli"
)

// The topFlags say how many lines are printed, when and from which structure.
type topFlags struct {
	heavyFlags
	memory cli.Size
	output string
	every  interval
	low    bool
}

// An interval is a flag such as --every 10s.
type interval time.Duration

func (i *interval) String() string {
	if *i == 0 {
		return "" // the help shows no default
	}
	return time.Duration(*i).String()
}

// Type returns the word for the interval in a list of flags.
func (i *interval) Type() string { return "time" }

// Set sets i to the time in text.
func (i *interval) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("want a time with a unit, such as 10s or 1m")
	}
	*i = interval(d)
	return nil
}

func top(c *command) func(ctx context.Context, names []string) error {
	c.document("top [flags] [FILE...]", "print the most frequent lines", topLong, topExamples)
	var f topFlags
	flags := c.Flags()
	flags.VarP(&f.k, "lines", "k", "the number of lines; 10 if it is not given")
	flags.Var(&f.phi, "phi", "print all lines that make up this fraction of the input instead")
	flags.Var(&f.memory, "memory", "the amount of memory, such as 1M; otherwise as much as is needed")
	flags.BoolVar(&f.low, "low", false, "sort by the lower bounds")
	flags.StringVarP(&f.output, "output", "o", "", "write the heavy hitters to `FILE`, and print nothing")
	flags.Var(&f.every, "every", "print the list after each `time`, such as 10s, and at the end")
	c.addRead("top reads heavy hitters only, and not beside files of lines")
	c.addWeight()
	c.addQuiet()
	return func(ctx context.Context, names []string) error { return c.top(ctx, &f, names) }
}

const topLong = `
Prints the most frequent lines: a lower and an upper bound for the count, and
the line, separated by tabs. If lines may be missing, a remark on standard error
says so. After an interrupt, it prints the list of the lines so far.

A FILE can also contain heavy hitters, which top -o has written. Then all files
must do so, and top prints the most frequent lines of all of them.`

const topExamples = `
  printf 'ada\ngrace\nada\n' | filterfam top -k 1
  printf 'ada\ngrace\nada\n' | filterfam top --phi 50% -o monday.heavy
  filterfam top monday.heavy`

func (c *command) top(ctx context.Context, f *topFlags, names []string) error {
	fam, err := c.family(ctx)
	if err != nil {
		return err
	}
	if err := c.checkTop(f, names); err != nil {
		return err
	}
	old, err := c.loadHeavy(ctx, names, fam, f)
	if err != nil {
		return err
	}
	if old != nil {
		return c.finishTop(ctx, old, f)
	}
	if err := f.check(c, f.memory); err != nil {
		return err
	}
	f.setDefault(c)
	heavy, err := f.create(fam, f.memory)
	if err != nil {
		return err
	}
	if f.output != "" {
		c.progress.start(names, 1)
	}
	err = c.countLines(ctx, heavy, f, fam, names)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if f.output == "" || err == nil {
		err = errors.Join(c.finishTop(ctx, heavy, f), err)
	}
	return err
}

// checkTop checks the flags that do not describe the heavy hitters.
func (c *command) checkTop(f *topFlags, names []string) error {
	if f.every < 0 || f.every > 0 && f.output != "" {
		return fmt.Errorf("--every %v, want a time above 0, and no -o", time.Duration(f.every))
	}
	if f.output == "" {
		return checkStdout(c.inputs(names))
	}
	return checkOutput(f.output, c.inputs(names))
}

// countLines counts all lines, and prints the list at the interval --every.
func (c *command) countLines(ctx context.Context, heavy *countmin.HeavyHitters, f *topFlags, fam hashfam.Family, names []string) error {
	add := newAdder(heavy)
	var lock sync.Mutex
	if f.every > 0 {
		stop := c.printOften(heavy, f, &lock)
		defer stop()
	}
	return c.each(ctx, names, fam, func(b batch) error {
		lock.Lock()
		defer lock.Unlock()
		return add(b)
	})
}

// printOften starts a goroutine that locks lock and prints the list at the
// interval --every. The goroutine has ended when stop returns.
func (c *command) printOften(heavy *countmin.HeavyHitters, f *topFlags, lock sync.Locker) (stop func()) {
	ended := make(chan struct{})
	var printing sync.WaitGroup
	printing.Go(func() {
		ticker := time.NewTicker(time.Duration(f.every))
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
			lock.Lock()
			c.printTop(heavy, f)
			c.out.WriteByte(c.end()) // an empty line ends each list but the last
			c.out.Flush()
			lock.Unlock()
		}
	})
	return func() {
		close(ended)
		printing.Wait()
	}
}

// finishTop writes the heavy hitters or prints the list.
func (c *command) finishTop(ctx context.Context, heavy *countmin.HeavyHitters, f *topFlags) error {
	if f.output != "" && heavy.Total() == 0 {
		return c.noLines("")
	}
	if f.output != "" {
		return write(ctx, f.output, heavy)
	}
	c.printTop(heavy, f)
	return c.out.Flush()
}

// A ranked line has bounds for its count.
type ranked struct {
	line string
	countmin.Estimate
}

// printTop prints the frequent lines, and a remark if some may be missing.
func (c *command) printTop(heavy *countmin.HeavyHitters, f *topFlags) {
	var all []ranked
	for line, e := range heavy.All() {
		all = append(all, ranked{line, e})
	}
	missing := heavy.OmittedBound()
	complete := heavy.Complete()
	if k := int(f.k); k > 0 && k < len(all) { // of heavy hitters in a file
		complete = complete && all[k].High <= all[k-1].Low
		missing = max(missing, all[k].High)
		all = all[:k]
	}
	if f.low {
		slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.Low, a.Low) })
	}
	for _, r := range all {
		fmt.Fprintf(c.out, "%d\t%d\t%s%c", r.Low, r.High, r.line, c.end())
	}
	if !complete {
		c.remark("the list may be incomplete: a line that is missing occurs at most %d times; more --memory helps", missing)
	}
}
