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
	started time.Time
	shown   time.Time
}

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

// add counts lines, and shows the totals twice a second.
func (p *progress) add(lines int) {
	p.lines += int64(lines)
	if p.started.IsZero() || time.Since(p.shown) < 500*time.Millisecond || time.Since(p.started) < time.Second {
		return
	}
	p.shown = time.Now()
	text := fmt.Sprintf("%d lines, %.1f MB", p.lines, float64(p.bytes)/1e6)
	if p.total > 0 {
		text += fmt.Sprintf(" of %.1f MB", float64(p.total)/1e6)
	}
	rate := float64(p.lines) / time.Since(p.started).Seconds()
	fmt.Fprintf(os.Stderr, "\r\x1b[K%s, %.1f million lines per second", text, rate/1e6)
}

// clear removes the line.
func (p *progress) clear() {
	if !p.started.IsZero() && p.shown != p.started {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
