package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress is a line on a terminal, on standard error, which appears after a
// second.
type progress struct {
	quiet   bool
	total   int64 // bytes of all files, or unknownSize
	bytes   int64
	lines   int64
	started time.Time
	bar     *progressbar.ProgressBar
	built   bool // the bar shows how much of a structure is built
}

// unknownSize is the total for a bar without an end.
const unknownSize = -1

// The line appears after a second, and changes twice a second. Tests change
// these times.
var (
	showAfter = time.Second
	showEvery = 500 * time.Millisecond
)

// start begins to measure. Nothing is shown unless it was called. times is the
// number of times that the files will be read.
func (p *progress) start(names []string, times int64) {
	info, err := os.Stderr.Stat()
	if p.quiet || err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	p.started = time.Now()
	p.total = unknownSize
	if regular(names) {
		p.total = 0
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				p.total += times * info.Size()
			}
		}
	}
}

// waits reports whether it is too early to show anything.
func (p *progress) waits() bool {
	return p.started.IsZero() || time.Since(p.started) < showAfter
}

// read counts bytes.
func (p *progress) read(bytes int) {
	p.bytes += int64(bytes)
	if p.waits() {
		return
	}
	if p.bar == nil {
		p.bar = newBar(p.total, progressbar.OptionShowBytes(true))
	}
	p.bar.Describe(fmt.Sprint(p.lines, " lines"))
	p.bar.Set64(p.bytes)
}

// build shows how much of a structure is built.
func (p *progress) build(done, total uint64) {
	if p.waits() {
		return
	}
	if !p.built {
		p.clear()
		p.bar = newBar(int64(total), progressbar.OptionSetDescription(fmt.Sprint(p.lines, " lines, building")))
		p.built = true
	}
	p.bar.Set64(int64(done))
}

// newBar returns a bar with an end, or one without it if total is unknownSize.
func newBar(total int64, option progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, option, progressbar.OptionShowCount(), progressbar.OptionSetWriter(os.Stderr), progressbar.OptionThrottle(showEvery),
		progressbar.OptionUseANSICodes(true), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish())
}

// clear removes the line.
func (p *progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
