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

// build returns the filter of n distinct digests. It calls members to build
// the ribbon, and reports all steps to b when the build is done.
func (c Config) build(b ribbon.Build, n uint64, members func(columns uint32) (*ribbon.Ribbon, error)) (*Filter, error) {
	columns, err := c.columns(n)
	if err == nil { // digests for further layers need n/5 bytes
		err = errs.Fits(hashfam.ErrParams, "keys", n, max(ribbon.EstimateBytes(columns, n), n/5))
	}
	if err != nil {
		return nil, err
	}
	var r *ribbon.Ribbon
	if c.fills() {
		r, err = ribbon.Within(c.MemoryBytes, columns, members)
	} else {
		r, err = members(columns)
	}
	if err != nil {
		return nil, buildError(err)
	}
	if size := r.PayloadBytes(); c.MemoryBytes > 0 && size > c.MemoryBytes {
		return nil, c.tooSmall(size, sizing.RibbonRate(r.ColumnsWithin(c.MemoryBytes), n))
	}
	b.Report(math.MaxInt)
	return &Filter{hash: c.Family.Hasher(r.SizeBytes()), ribbon: *r}, nil
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
