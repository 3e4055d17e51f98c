package main

import (
	"context"
	"fmt"
	"time"

	"github.com/filterfam/filterfam/internal/lint/mutation/point"
)

// hunt runs the units that reach a mutant, the quickest first, until one of
// them fails.
func (p *pkg) hunt(ctx context.Context, m *mutant, usable []*unit, patience time.Duration) error {
	var reach []*unit
	for _, u := range usable {
		if u.reached[m.id] != 0 {
			reach = append(reach, u)
		}
	}
	if len(reach) == 0 {
		return nil
	}
	for budget := 50 * time.Millisecond; len(reach) > 0; budget *= 4 {
		n := batch(reach, budget)
		verdict, err := p.try(ctx, m, reach[:n], patience)
		if err != nil {
			return err
		}
		if verdict != lived {
			m.verdict = verdict
			return nil
		}
		reach = reach[n:]
	}
	m.verdict = lived
	return nil
}

// startup is about the time to start a process, which units of a batch share.
const startup = 10 * time.Millisecond

// batch returns how many of the units run in one process: those that take no
// longer than the budget together, and at least one.
func batch(of []*unit, budget time.Duration) int {
	n := 0
	for _, u := range of {
		budget -= max(u.cpu-startup, time.Millisecond)
		if n > 0 && budget < 0 {
			break
		}
		n++
	}
	return n
}

// try runs units with a mutant on. They may take five times the
// processor time that they take without it, plus half a second. The limit on
// the time of day is for mutants that wait forever; patience leaves room for
// other programs.
func (p *pkg) try(ctx context.Context, m *mutant, of []*unit, patience time.Duration) (verdict, error) {
	cpu, wall := 500*time.Millisecond, patience
	for _, u := range of {
		cpu += 5 * u.cpu
		wall += 10 * u.wall
	}
	within, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	cmd := p.process(within, of, fmt.Sprint(point.On, "=", m.id), fmt.Sprint(point.CPU, "=", cpu.Milliseconds()))
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return lived, ctx.Err()
	case cmd.ProcessState == nil:
		return lived, err
	case within.Err() != nil, cmd.ProcessState.ExitCode() == point.ExitCPU:
		return timedOut, nil
	case err != nil:
		return killed, nil
	}
	return lived, nil
}
