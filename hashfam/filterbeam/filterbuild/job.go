package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/filterfam/filterfam/hashfam/filterbeam"
)

// job runs the job.
func (o *options) job(ctx context.Context, p filterbeam.Plan, patterns []string, log io.Writer) (filterbeam.Summary, error) {
	none := filterbeam.Summary{}
	if err := runSelf(); err != nil {
		return none, err
	}
	if *jobopts.Endpoint != "" {
		if err := checkServer(ctx, *jobopts.Endpoint); err != nil {
			return none, err
		}
	} else if runsHere() {
		if err := startPrism(ctx); err != nil {
			return none, err
		}
	}
	watched, stop := context.WithCancel(ctx)
	defer stop()
	go watch(watched, *jobopts.Endpoint, log, firstWait)
	pipeline, s := beam.NewPipelineWithRoot()
	filterbeam.Files(s, p, o.output, patterns...)
	result, err := beamx.RunWithMetrics(ctx, pipeline)
	if err == nil {
		err = ctx.Err() // the SDK takes a job that was canceled for one that is done
	}
	if err != nil {
		cancelJob(*jobopts.Endpoint)
		return none, err
	}
	return filterbeam.Result(o.output, result), nil
}

// checkServer returns an error if nothing answers at an endpoint. The SDK would
// try for two minutes, without a word.
func checkServer(ctx context.Context, endpoint string) error {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("no job server at -endpoint %s: %w", endpoint, err)
	}
	return conn.Close()
}

// runsHere reports whether -runner is the one in this process.
func runsHere() bool {
	runner := flag.Lookup("runner")
	return runner == nil || runner.Value.String() == "" || runner.Value.String() == "prism"
}

// runSelf makes this program the worker's, unless a flag names another one, and
// the one that starts workers as processes. Otherwise the SDK would look for
// its source. It also names the job.
func runSelf() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = self
	}
	if *jobopts.JobName == "" {
		*jobopts.JobName = "filterbuild-" + strings.ToLower(rand.Text())
	}
	if strings.EqualFold(*jobopts.EnvironmentType, "process") && *jobopts.EnvironmentConfig == "" {
		config, err := json.Marshal(map[string]string{"command": self})
		*jobopts.EnvironmentConfig = string(config)
		return err
	}
	return nil
}
