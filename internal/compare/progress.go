package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newProgress returns a function to call after each of total steps and one to
// call at the end. They draw a bar if w is a terminal and nothing otherwise.
func newProgress(w io.Writer, total int) (step, finish func()) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func() {}, func() {}
	}
	bar := progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionSetWidth(40),
		progressbar.OptionThrottle(100_000_000), // nanoseconds
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true),
	)
	// A bar that cannot be drawn is no reason to stop measuring.
	return func() { _ = bar.Add(1) }, func() { _ = bar.Clear() }
}
