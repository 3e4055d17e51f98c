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
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/filterfam/filterfam/hashfam/filterbeam"
)

// job submits the job and waits for it.
func (o *options) job(ctx context.Context, p filterbeam.Plan, patterns []string, log io.Writer) (filterbeam.Summary, error) {
	var none filterbeam.Summary
	if err := runSelf(); err != nil {
		return none, err
	}
	if err := reachServer(ctx); err != nil {
		return none, err
	}
	endpoint := *jobopts.Endpoint
	watched, stop := context.WithCancel(ctx)
	defer stop()
	if endpoint != "" {
		go ask(endpoint, func(w watcher) { w.watch(watched, log, firstWait) })
	}
	pipeline, s := beam.NewPipelineWithRoot()
	filterbeam.Files(s, p, o.output, patterns...)
	result, err := beamx.RunWithMetrics(ctx, pipeline)
	if err == nil {
		err = ctx.Err() // for the SDK, a canceled job is a success
	}
	if err != nil {
		ask(endpoint, watcher.cancel)
		return none, err
	}
	return filterbeam.Result(o.output, result), nil
}

// reachServer returns an error if there is no server at the endpoint, because
// the SDK would try for two minutes, without a message. If there is no endpoint
// and the runner is Prism, reachServer starts Prism in this process.
func reachServer(ctx context.Context) error {
	runner := runnerName()
	switch {
	case *jobopts.Endpoint != "":
		return dial(ctx, *jobopts.Endpoint)
	case runner == "" || runner == "prism":
		return startPrism(ctx)
	}
	return nil
}

// dial returns an error if there is no server at an endpoint.
func dial(ctx context.Context, endpoint string) error {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return fmt.Errorf("no job server at -endpoint %s: %w", endpoint, err)
	}
	return conn.Close()
}

// startPrism starts Prism in this process, so that its endpoint is known before
// the job runs.
func startPrism(ctx context.Context) error {
	listener, err := net.Listen("tcp", "localhost:0") // to find a free port
	if err != nil {
		return err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		return err
	}
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: port}); err != nil {
		return err
	}
	*jobopts.Endpoint = fmt.Sprintf("localhost:%d", port)
	if *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "loopback"
	}
	return nil
}

// runnerName returns the flag -runner.
func runnerName() string {
	if runner := flag.Lookup("runner"); runner != nil {
		return runner.Value.String()
	}
	return ""
}

// inProcess reports whether the job runs in this process.
func inProcess() bool {
	return *jobopts.Endpoint == "" && slices.Contains([]string{"", "prism", "direct"}, runnerName())
}

// runSelf sets flags of the SDK that are not given, so that workers run this
// program. Otherwise the SDK would look for the source code and compile it. It
// also gives the job a unique name.
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
