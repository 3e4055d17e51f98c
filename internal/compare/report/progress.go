package report

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// What a bar counts.
var (
	InBytes  = []progressbar.Option{progressbar.OptionShowBytes(true)}
	InBuilds = []progressbar.Option{progressbar.OptionShowIts(), progressbar.OptionSetItsString("builds")}
	InDuels  = []progressbar.Option{progressbar.OptionShowIts(), progressbar.OptionSetItsString("attacks")}
)

const (
	mostColumns  = 100 // of text: longer lines read badly
	leastColumns = 40  // of text: narrower terminals break lines
	roomForRates = 70  // columns from which a bar shows its rate
)

// terminalWidth returns the columns of w, or 0 if w is not a terminal.
func terminalWidth(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// Columns returns how wide text on w should be.
func Columns(w io.Writer) int {
	if width := terminalWidth(w); width > 0 {
		return min(max(width, leastColumns), mostColumns)
	}
	return mostColumns
}

// Progress returns a function to call as steps of a total are done and one to
// call at the end. They draw a bar with the rate and the time left if w is a
// terminal, and nothing otherwise. A total of -1 is not known.
func Progress(w io.Writer, doing string, total int64, unit []progressbar.Option) (step func(int), finish func()) {
	width := terminalWidth(w)
	if width == 0 {
		return func(int) {}, func() {}
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(clip(doing, width/3)),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true),
	}
	if width >= roomForRates {
		options = append(options, unit...)
	}
	bar := progressbar.NewOptions64(total, options...)
	// A bar that cannot be drawn is no reason to stop working.
	return func(n int) { _ = bar.Add(n) }, func() { _ = bar.Clear() }
}

// clip shortens text to a number of characters.
func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:max(0, most-1)]) + "…"
	}
	return text
}
