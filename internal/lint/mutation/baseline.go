package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/filterfam/filterfam/internal/lint/mutation/point"
)

// A unit is a test, an example, or the seeds of a fuzz target.
type unit struct {
	name      string
	cpu, wall time.Duration
	reached   [point.Size]byte
	failed    bool
}

// units lists what the test binary can run.
func (p *pkg) units(ctx context.Context) ([]*unit, error) {
	if p.tests == "" {
		return nil, nil
	}
	cmd := exec.CommandContext(ctx, p.tests, "-test.list", ".")
	cmd.Dir = p.dir
	out, err := run(cmd)
	var all []*unit
	for name := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(name, "Benchmark") {
			all = append(all, &unit{name: name})
		}
	}
	return all, err
}

// process returns the command that runs units, and stops at the first that
// fails.
func (p *pkg) process(ctx context.Context, of []*unit, env ...string) *exec.Cmd {
	var names []string
	for _, u := range of {
		names = append(names, regexp.QuoteMeta(u.name))
	}
	cmd := exec.CommandContext(ctx, p.tests, "-test.short", "-test.failfast", "-test.timeout=0",
		"-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Dir = p.dir
	cmd.WaitDelay = time.Second
	// Rapid draws the same values in each run, and reports the first failure
	// as it is.
	cmd.Env = append(os.Environ(), "RAPID_SEED=1", "RAPID_SHRINKTIME=1ns", "RAPID_NOFAILFILE=true")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// tooLong is the time after which a unit without a mutant fails.
const tooLong = 2 * time.Minute

// measure runs a unit alone, without a mutant. It records its time and the
// mutants that it reaches.
func (p *pkg) measure(ctx context.Context, u *unit, file string) error {
	if err := os.WriteFile(file, make([]byte, point.Size), 0o600); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, tooLong)
	defer cancel()
	cmd := p.process(within, []*unit{u}, point.Reach+"="+file)
	begin := time.Now()
	err := cmd.Run()
	u.wall = time.Since(begin)
	if cmd.ProcessState == nil {
		return err
	}
	u.failed = err != nil
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	reached, err := os.ReadFile(file)
	copy(u.reached[:], reached)
	return cmp.Or(ctx.Err(), err)
}

// baseline measures all units and returns those that pass, the quickest first,
// and the names of the others. It is an error if all fail.
func (p *pkg) baseline(ctx context.Context, workers int) (usable []*unit, failing []string, err error) {
	all, err := p.units(ctx)
	if err != nil {
		return nil, nil, err
	}
	err = parallel(workers, len(all), func(worker, i int) error {
		return p.measure(ctx, all[i], filepath.Join(p.temp, fmt.Sprint("reached", worker)))
	})
	for _, u := range all {
		if u.failed {
			failing = append(failing, u.name)
		} else {
			usable = append(usable, u)
		}
	}
	if err == nil && len(usable) == 0 && len(failing) > 0 {
		err = fmt.Errorf("%s: all tests fail without a mutant: %s", p.path, strings.Join(failing, ", "))
	}
	slices.SortStableFunc(usable, func(a, b *unit) int { return cmp.Compare(a.cpu, b.cpu) })
	return usable, failing, err
}

// parallel calls do for the numbers below n, in order, from several workers. It
// stops at the first error.
func parallel(workers, n int, do func(worker, i int) error) error {
	var (
		lock sync.Mutex
		next int
		errs []error
		wait sync.WaitGroup
	)
	take := func() int {
		lock.Lock()
		defer lock.Unlock()
		if len(errs) > 0 {
			return n
		}
		next++
		return next - 1
	}
	for worker := range workers {
		wait.Go(func() {
			for i := take(); i < n; i = take() {
				if err := do(worker, i); err != nil {
					lock.Lock()
					errs = append(errs, err)
					lock.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}
