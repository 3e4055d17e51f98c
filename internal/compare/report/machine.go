package report

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A Machine describes when, where and how a measurement was made.
type Machine struct {
	Go      string `json:"go"`
	GOOS    string `json:"goos"`
	GOARCH  string `json:"goarch"`
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	Date    string `json:"date"`
	Command string `json:"command"`
}

// ThisMachine describes the current run of the program with args.
func ThisMachine(args []string) Machine {
	return Machine{
		Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, CPU: cpuName(), Cores: runtime.NumCPU(),
		Date: time.Now().UTC().Format(time.DateOnly), Command: command(args),
	}
}

// command returns a shell command that runs the program with args.
func command(args []string) string {
	line := "go run -C internal/compare ."
	for _, arg := range args {
		if !bare.MatchString(arg) {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		line += " " + arg
	}
	return line
}

// bare matches arguments that need no quotes in a shell.
var bare = regexp.MustCompile(`^[\pL\pN_./,:=+%@-]+$`)

// cpuName returns the name of the processor, or at least its architecture.
func cpuName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", m.CPU, m.Cores, m.GOOS, m.GOARCH, m.Go)
}

// Longer lines are hard to read, and narrower terminals wrap lines.
const (
	mostColumns  = 100
	leastColumns = 40
)

// terminalWidth returns the number of columns, or 0 if w is not a terminal.
func terminalWidth(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// columns returns the width that should be used for text on w.
func columns(w io.Writer) int {
	if width := terminalWidth(w); width > 0 {
		return min(max(width, leastColumns), mostColumns)
	}
	return mostColumns
}

// Progress draws a progress bar if w is a terminal. The function step must be
// called after each step, and finish at the end.
func Progress(w io.Writer, doing string, steps int) (step, finish func()) {
	width := terminalWidth(w)
	if width == 0 {
		return func() {}, func() {}
	}
	bar := progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(clip(doing, width/3)),
		progressbar.OptionFullWidth(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true))
	// Errors are ignored, because the work can go on without a bar.
	return func() { _ = bar.Add(1) }, func() { _ = bar.Clear() }
}

func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:max(0, most-1)]) + "…"
	}
	return text
}
