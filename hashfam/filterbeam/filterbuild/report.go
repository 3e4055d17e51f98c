package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
)

// The exit codes, besides 0.
const (
	failed      = 1
	wrongUsage  = 2
	interrupted = 130
)

// A usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errInterrupted is the error of a build that was interrupted.
var errInterrupted = errors.New("interrupted")

// report prints an error as one line, with the name of the file that has the
// rest, and returns the exit code.
func report(err error, log string) int {
	if err == nil {
		return 0
	}
	line := cause(err.Error())
	if log != "" {
		line += " (the runner's messages are in " + log + ")"
	}
	fmt.Fprintln(os.Stderr, "filterbuild:", line)
	switch {
	case errors.As(err, new(usageError)):
		return wrongUsage
	case errors.Is(err, errInterrupted):
		return interrupted
	}
	return failed
}

// cause returns the line of an engine's error that says what happened: the last
// one that is filterbeam's, or the last one.
func cause(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	last := ""
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if _, after, found := strings.Cut(line, "filterbeam: "); found {
			last = after
			break
		}
		if last == "" {
			last = line
		}
	}
	return strings.Replace(last, "raise its Capacity", "raise -n", 1)
}

// A logFile takes the messages of the engine.
type logFile struct{ file *os.File }

// openLog sends the messages of the engine to a file, if there is an engine.
func openLog(local bool) (logFile, error) {
	if local {
		return logFile{}, nil
	}
	file, err := os.CreateTemp("", "filterbuild-*.log")
	if err != nil {
		return logFile{}, err
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(file, nil)))
	return logFile{file}, nil
}

// close returns the name of the file, or removes it if it is not needed.
func (l logFile) close(remove bool) string {
	if l.file == nil {
		return ""
	}
	name := l.file.Name()
	info, err := l.file.Stat()
	if closing := l.file.Close(); err != nil || closing != nil {
		return name
	}
	if info.Size() > 0 && !remove {
		return name
	}
	_ = os.Remove(name) // an empty or superfluous file does no harm
	return ""
}
