// Filterbuild builds a filter or a counter from the keys in files. Each line is
// a key, as for the command filterfam, and compressed files (gzip) are
// decompressed.
//
//	filterbuild -type bloom -layout blocked -n 1e9 -o out.bin 'keys/*.txt'
//
// It submits an Apache Beam job. The default, -runner=prism, runs the job in
// this process, while the runners flink, spark and dataflow need additional
// flags, such as -endpoint. See docs/distributed.md for examples. If one
// machine can read all keys, use filterfam build, which is faster and needs no
// engine.
//
// If the environment variable FILTERFAM_KEY is set, it must contain the hash
// family's secret key, as 32 hexadecimal digits. All workers need this
// variable.
//
// The exit code is 0 if the output was written, 1 if it was not, 2 if the
// command line is wrong, and 130 after an interrupt that prevented it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"

	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/internal/cli"
)

func main() {
	own := flag.NewFlagSet("filterbuild", flag.ContinueOnError)
	o := newOptions(own)
	own.VisitAll(func(f *flag.Flag) { flag.CommandLine.Var(f.Value, f.Name, f.Usage) })
	flag.CommandLine.Init("filterbuild", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	o.flags = flag.CommandLine
	err := flag.CommandLine.Parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(os.Stdout, own)
		return
	case err != nil:
		os.Exit(o.report(usageError{err}, ""))
	case o.helpRunner:
		printRunnerHelp(os.Stdout, own, flag.CommandLine)
		return
	}
	if err := bootWorker(context.Background()); err != nil {
		os.Exit(o.report(err, ""))
	}
	beam.Init() // does not return in a worker
	os.Exit(start(o, flag.Args()))
}

// start runs the build until it is complete or interrupted, and returns the
// exit code.
func start(o *options, patterns []string) int {
	signaled, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithCancelCause(signaled)
	defer cancel(nil)
	if o.timeout > 0 { // not a deadline, because Prism panics at one
		late := fmt.Errorf("not done after -timeout %v", o.timeout)
		defer time.AfterFunc(o.timeout, func() { cancel(late) }).Stop()
	}
	logged, err := openLog()
	if err != nil {
		return o.report(err, "")
	}
	err = run(ctx, o, patterns, os.Stdout, os.Stderr)
	switch {
	case err != nil && signaled.Err() != nil:
		err = errInterrupted
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return o.report(err, closeLog(logged, err == nil))
}

// run builds the structure and prints its summary to out. Before, and after an
// error, it removes the files that incomplete jobs left.
func run(ctx context.Context, o *options, patterns []string, out, log io.Writer) error {
	if o.local {
		return usageError{errors.New("-local: want filterfam build instead, which needs no engine")}
	}
	if len(patterns) == 0 || o.output == "" {
		return usageError{errors.New("want -o FILE and at least one pattern; -help lists all flags")}
	}
	p, err := o.plan()
	if err != nil {
		return usageError{err}
	}
	if err := o.checkMemory(p); err != nil {
		return err
	}
	if err := o.checkOutput(ctx); err != nil {
		return err
	}
	if err := o.clean(ctx, log); err != nil {
		return err
	}
	sum, err := o.job(ctx, p, patterns, log)
	if err != nil {
		return errors.Join(err, o.clean(context.WithoutCancel(ctx), io.Discard))
	}
	fmt.Fprintln(out, sum)
	if sum.Binary > 0 {
		fmt.Fprintf(log, "filterbuild: %d of the files do not seem to contain lines: they contain zero bytes\n", sum.Binary)
	}
	return nil
}

// clean removes the files that incomplete jobs left, and prints their names.
func (o *options) clean(ctx context.Context, log io.Writer) error {
	removed, err := filterbeam.Clean(ctx, o.output)
	for _, name := range removed {
		fmt.Fprintf(log, "filterbuild: removed %s, which was left by a job that did not finish\n", name)
	}
	return err
}

// The exit codes other than 0.
const (
	failed      = 1
	invalid     = 2 // the command line
	interrupted = 130
)

// A usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errInterrupted is returned when a build was interrupted.
var errInterrupted = errors.New("interrupted")

// report prints an error as one line and returns the exit code. If log is not
// empty, it is the name of the file with the runner's messages, and the line
// contains it.
func (o *options) report(err error, log string) int {
	if err == nil {
		return 0
	}
	wrongUsage := errors.As(err, new(usageError))
	line := o.words(cause(err.Error()))
	if wrongUsage {
		line = cli.Message(err, "-")
	}
	if log != "" {
		line += " (the runner's messages are in " + log + ")"
	}
	fmt.Fprintln(os.Stderr, "filterbuild:", line)
	switch {
	case wrongUsage:
		return invalid
	case errors.Is(err, errInterrupted):
		return interrupted
	}
	return failed
}

// cause returns the message in an engine's error that describes what went
// wrong: the last message of filterbeam or, if there is none, the last line.
func cause(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	for _, line := range lines {
		if _, after, found := strings.Cut(line, "filterbeam: "); found {
			last = strings.TrimSpace(strings.ReplaceAll(after, "filterbeam: ", ""))
		}
	}
	return last
}

// openLog redirects the engine's messages to a file.
func openLog() (*os.File, error) {
	file, err := os.CreateTemp("", "filterbuild-*.log")
	if err == nil {
		slog.SetDefault(slog.New(slog.NewTextHandler(file, nil)))
	}
	return file, err
}

// closeLog returns the name of the file, or removes it if it is not needed.
func closeLog(file *os.File, done bool) string {
	info, err := file.Stat()
	if closing := file.Close(); err == nil && closing == nil && (done || info.Size() == 0) {
		_ = os.Remove(file.Name()) // a file that is left does no harm
		return ""
	}
	return file.Name()
}
