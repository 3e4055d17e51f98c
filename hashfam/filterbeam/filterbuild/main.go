// Filterbuild builds a filter or a counter from keys in files: one key a line,
// decompressed if the name ends in .gz.
//
//	filterbuild -layout blocked -n 1e9 -fpr 0.01 -o out.bin 'keys/*.txt'
//
// With -local it is a loop in one process, which is the fastest way for what
// one machine can read, but writes no -parts. Without, it is a job of Apache
// Beam: -runner=prism, the default, runs in this process; flink, spark and
// dataflow need the flags of the runner, such as -endpoint. docs/distributed.md
// has examples.
//
// A secret key for the hash family is read from the environment variable
// FILTERBUILD_KEY, 32 hexadecimal digits. All workers need it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/filterfam/filterfam/hashfam/filterbeam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/pattern"
)

func main() {
	o := newOptions(flag.CommandLine)
	flag.Usage = usage
	flag.Parse()
	beam.Init() // a worker stays here
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "filterbuild:", strings.TrimPrefix(err.Error(), "filterbeam: "))
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprint(flag.CommandLine.Output(), "usage: filterbuild -structure NAME [flags] -o FILE PATTERN...\n\n")
	flag.PrintDefaults()
}

// run builds the structure and prints its summary to out.
func run(ctx context.Context, o *options, patterns []string, out, log io.Writer) error {
	if len(patterns) == 0 || o.output == "" {
		return errors.New("want -o FILE and at least one pattern; -help lists all flags")
	}
	p, err := o.plan()
	if err != nil {
		return err
	}
	if err := o.checkOutput(ctx); err != nil {
		return err
	}
	sum, err := o.build(ctx, p, patterns, log)
	if err == nil {
		fmt.Fprintln(out, sum)
	}
	return err
}

// checkOutput returns an error if the output exists, unless -force is given.
func (o *options) checkOutput(ctx context.Context) error {
	fs, err := filesystem.New(ctx, o.output)
	if err != nil || o.force {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern.Loose(o.output))
	for _, name := range names {
		if filepath.Clean(name) == filepath.Clean(o.output) {
			return fmt.Errorf("%s exists; -force replaces it", o.output)
		}
	}
	return err
}

// build runs the loop or the job.
func (o *options) build(ctx context.Context, p filterbeam.Plan, patterns []string, log io.Writer) (string, error) {
	if o.local {
		report, done := newProgress(log)
		defer done()
		sum, err := filterbeam.Local(ctx, p, o.output, report, patterns...)
		return sum.String(), err
	}
	return o.job(ctx, p, patterns, log)
}

// job runs the job.
func (o *options) job(ctx context.Context, p filterbeam.Plan, patterns []string, log io.Writer) (string, error) {
	if err := runSelf(); err != nil {
		return "", err
	}
	if *jobopts.Endpoint == "" && runsHere() {
		if err := startPrism(ctx); err != nil {
			return "", err
		}
	}
	watched, stop := context.WithCancel(ctx)
	defer stop()
	go watch(watched, *jobopts.Endpoint, log)
	pipeline, s := beam.NewPipelineWithRoot()
	filterbeam.Files(s, p, o.output, patterns...)
	result, err := beamx.RunWithMetrics(ctx, pipeline)
	if err != nil {
		return "", err
	}
	return filterbeam.Result(o.output, result).String(), nil
}

// runsHere reports whether -runner is the one in this process.
func runsHere() bool {
	runner := flag.Lookup("runner")
	return runner == nil || runner.Value.String() == "prism"
}

// runSelf makes this program the worker's, unless a flag names another one.
// Otherwise the SDK would look for its source.
func runSelf() error {
	if *jobopts.WorkerBinary != "" {
		return nil
	}
	self, err := os.Executable()
	*jobopts.WorkerBinary = self
	return err
}
