package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// What a bar counts.
var (
	inBytes  = []progressbar.Option{progressbar.OptionShowBytes(true)}
	inBuilds = []progressbar.Option{progressbar.OptionShowIts(), progressbar.OptionSetItsString("builds")}
)

// newProgress returns a function to call as steps of a total are done and one
// to call at the end. They draw a bar with the rate and the time left if w is a
// terminal, and nothing otherwise. A total of -1 is not known.
func newProgress(w io.Writer, doing string, total int64, unit []progressbar.Option) (step func(int), finish func()) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func(int) {}, func() {}
	}
	bar := progressbar.NewOptions64(total, append(unit,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(doing),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true),
	)...)
	// A bar that cannot be drawn is no reason to stop working.
	return func(n int) { _ = bar.Add(n) }, func() { _ = bar.Clear() }
}
