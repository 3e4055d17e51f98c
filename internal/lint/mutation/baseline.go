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
	binary
	name      string
	cpu, wall time.Duration
	reached   [point.Size]byte
	failed    bool
}

// units lists what a test binary can run.
func units(ctx context.Context, b binary) ([]*unit, error) {
	cmd := exec.CommandContext(ctx, b.path, "-test.list", ".")
	cmd.Dir = b.dir
	out, err := run(cmd)
	var all []*unit
	for name := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(name, "Benchmark") {
			all = append(all, &unit{binary: b, name: name})
		}
	}
	return all, err
}

// process returns the command that runs units of one binary, and stops at the
// first that fails.
func process(ctx context.Context, of []*unit, env ...string) *exec.Cmd {
	var names []string
	for _, u := range of {
		names = append(names, regexp.QuoteMeta(u.name))
	}
	cmd := exec.CommandContext(ctx, of[0].path, "-test.short", "-test.failfast", "-test.timeout=0",
		"-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Dir = of[0].dir
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
func (u *unit) measure(ctx context.Context, file string) error {
	if err := os.WriteFile(file, make([]byte, point.Size), 0o600); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, tooLong)
	defer cancel()
	cmd := process(within, []*unit{u}, point.Reach+"="+file)
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

// baseline measures the units of all binaries and returns those that pass, the
// quickest of a binary first, and the names of the others.
func baseline(ctx context.Context, p *pkg, binaries []binary, workers int) (usable []*unit, failing []string, err error) {
	var all []*unit
	for _, b := range binaries {
		more, err := units(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, more...)
	}
	err = parallel(workers, len(all), func(worker, i int) error {
		return all[i].measure(ctx, filepath.Join(p.temp, fmt.Sprint("reached", worker)))
	})
	for _, u := range all {
		if u.failed {
			failing = append(failing, u.name)
		} else {
			usable = append(usable, u)
		}
	}
	slices.SortStableFunc(usable, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.cpu, b.cpu))
	})
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
