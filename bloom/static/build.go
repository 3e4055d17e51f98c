package static

import (
	"errors"
	"math"
	"runtime"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// options returns the options for building a filter of n digests. Sorting them
// counts as the given number of steps.
func (c Config) options(sort, n uint64) ribbon.Build {
	steps := sort + n
	if c.fills() {
		steps += n // because the filter is built twice
	}
	b := ribbon.Build{Workers: c.Workers}
	if b.Workers == 0 {
		b.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Progress == nil {
		return b
	}
	var lock sync.Mutex
	done := uint64(0)
	b.Did = func(n int) {
		lock.Lock()
		defer lock.Unlock()
		if n := min(uint64(n), steps-done); n > 0 {
			done += n
			c.Progress(done, steps)
		}
	}
	return b
}

// A maker builds the ribbons of a plan.
type maker func(plan) (*ribbon.Ribbon, error)

// build returns the planned filter. When the build is done, it reports all
// remaining steps to b.
func (c Config) build(b ribbon.Build, p plan, ribbonOf maker) (*Filter, error) {
	n := p.inside + p.others
	err := errs.Fits(hashfam.ErrParams, "keys", n, max(p.bytes(), n/5)) // digests for further layers need n/5 bytes
	if err != nil {
		return nil, err
	}
	var r *ribbon.Ribbon
	switch {
	case !c.fills():
		r, err = ribbonOf(p)
	case p.plain():
		r, err = ribbon.Within(c.MemoryBytes, p.columns, func(columns uint32) (*ribbon.Ribbon, error) {
			p.columns = columns
			return ribbonOf(p)
		})
	default:
		r, err = p.fill(c.MemoryBytes, ribbonOf)
	}
	if err != nil {
		return nil, buildError(err)
	}
	if size := r.PayloadBytes(); c.MemoryBytes > 0 && size > c.MemoryBytes {
		return nil, c.tooSmall(size, p.rateWithin(c.MemoryBytes, r))
	}
	b.Report(math.MaxInt)
	return &Filter{hash: c.Family.Hasher(r.SizeBytes()), ribbon: *r, others: p.others}, nil
}

// fill builds a filter with a second ribbon and about the lowest rate for which
// it fits in memory. The size is only estimated beforehand, so if the filter
// turns out to be too large, fill plans with less memory and builds again. If
// no filter fits, fill returns the smallest one.
func (p plan) fill(memory uint64, ribbonOf maker) (*ribbon.Ribbon, error) {
	for target := memory; ; {
		r, err := ribbonOf(p)
		if err != nil || r.PayloadBytes() <= memory {
			return r, err
		}
		target -= min(target, r.PayloadBytes()-memory)
		next, ok := p.within(target)
		if !ok && next.columns == p.columns {
			return r, nil
		}
		p = next
	}
}

// rateWithin returns the rate of a filter for the planned keys that fits in
// memory. r is a filter for these keys that needs more.
func (p plan) rateWithin(memory uint64, r *ribbon.Ribbon) float64 {
	if p.plain() {
		return sizing.RibbonRate(r.ColumnsWithin(memory), p.inside)
	}
	less, ok := p.within(memory)
	if !ok {
		return 1
	}
	return less.rate()
}

// buildError converts an error of package ribbon to an error of this package.
func buildError(err error) error {
	switch {
	case errors.Is(err, hashfam.ErrParams):
		return err
	case errors.Is(err, ribbon.ErrLayers):
		return paramError("digests", "not random enough for 32 layers", "digests that were not chosen to collide, or a keyed Config.Family")
	}
	return errs.Errorf("building: %w", err)
}
