package main

import (
	"fmt"
	"os"
	"time"
)

// A progress is a line on a terminal, on standard error, which appears after a
// second.
type progress struct {
	quiet   bool
	total   int64 // bytes of all files, or 0 if they are not known
	bytes   int64
	lines   int64
	built   float64 // the fraction of a structure that was built after all lines were read
	started time.Time
	shown   time.Time
}

// The line appears after a second, and changes twice a second. Tests change
// these times.
var (
	showAfter = time.Second
	showEvery = 500 * time.Millisecond
)

// start begins to measure. Without it, nothing is shown.
func (p *progress) start(names []string) {
	info, err := os.Stderr.Stat()
	if p.quiet || err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	p.started = time.Now()
	p.shown = p.started
	if regular(names) {
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				p.total += info.Size()
			}
		}
	}
}

// read counts bytes.
func (p *progress) read(bytes int) {
	p.bytes += int64(bytes)
	p.show()
}

// build notes how much of a structure is built.
func (p *progress) build(done, total uint64) {
	p.built = float64(done) / float64(total)
	p.show()
}

// show shows the line, unless it has just been shown.
func (p *progress) show() {
	if p.started.IsZero() || time.Since(p.shown) < showEvery || time.Since(p.started) < showAfter {
		return
	}
	p.shown = time.Now()
	fmt.Fprint(os.Stderr, "\r\x1b[K", p.text(time.Since(p.started)))
}

// text returns the line.
func (p *progress) text(passed time.Duration) string {
	text := fmt.Sprintf("%.1f MB", float64(p.bytes)/1e6)
	if p.total > 0 {
		text += fmt.Sprintf(" of %.1f MB", float64(p.total)/1e6)
	}
	switch {
	case p.built > 0:
		text = fmt.Sprintf("%d lines, %.0f%% built", p.lines, 100*p.built)
	case p.lines > 0:
		text = fmt.Sprintf("%d lines, %s, %.1f million lines per second", p.lines, text, float64(p.lines)/1e6/passed.Seconds())
	}
	return text
}

// clear removes the line.
func (p *progress) clear() {
	if !p.started.IsZero() && p.shown != p.started {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
