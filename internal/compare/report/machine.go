package report

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode"
)

// A Machine holds the facts that measured times depend on, and when and how
// they were measured.
type Machine struct {
	Go      string `json:"go"`
	GOOS    string `json:"goos"`
	GOARCH  string `json:"goarch"`
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	Date    string `json:"date"`
	Command string `json:"command"`
}

// ThisMachine returns the facts of this run of the program with args.
func ThisMachine(args []string) Machine {
	return Machine{
		Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, CPU: cpuName(), Cores: runtime.NumCPU(),
		Date:    time.Now().UTC().Format(time.DateOnly),
		Command: command(args),
	}
}

// command returns a line for a shell that runs the program with args again.
func command(args []string) string {
	words := []string{"go run -C internal/compare ."}
	for _, arg := range args {
		if arg == "" || strings.ContainsFunc(arg, special) {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// special reports whether a shell may take r for something else than itself.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./,:=+%@", r)
}

// cpuName returns the name of the processor, or its architecture if the
// operating system does not tell.
func cpuName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// Version returns what -version prints.
func Version() string {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	return fmt.Sprintf("compare%s %s %s/%s", revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", m.CPU, m.Cores, m.GOOS, m.GOARCH, m.Go)
}
