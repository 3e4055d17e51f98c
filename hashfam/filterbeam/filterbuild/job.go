package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"golang.org/x/term"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

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

// reachServer returns an error if there is no server at the endpoint. The SDK
// would try for two minutes, without a message. If there is no endpoint and the
// runner is Prism, reachServer starts Prism in this process.
func reachServer(ctx context.Context) error {
	if *jobopts.Endpoint == "" {
		if runner := runnerName(); runner == "" || runner == "prism" {
			return startPrism(ctx)
		}
		return nil
	}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", *jobopts.Endpoint)
	if err != nil {
		return fmt.Errorf("no job server at -endpoint %s: %w", *jobopts.Endpoint, err)
	}
	return conn.Close()
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

// runSelf makes this program the worker's program, and the command that starts
// workers as processes, unless flags name others, because otherwise the SDK
// would look for the source code. It also gives the job a name.
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

// A line prints numbers to a terminal. Each number overwrites the previous one.
type line struct {
	w     io.Writer // nil if it is not a terminal
	shown time.Time
}

func newLine(w io.Writer) *line {
	if file, ok := w.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		w = nil
	}
	return &line{w: w}
}

// show prints the number of keys, up to five times per second.
func (l *line) show(keys uint64) {
	if l.w != nil && time.Since(l.shown) > 200*time.Millisecond {
		l.shown = time.Now()
		fmt.Fprintf(l.w, "\r%12d keys ", keys)
	}
}

// clear clears the line.
func (l *line) clear() {
	if l.w != nil {
		fmt.Fprint(l.w, "\r                  \r")
	}
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

// A watcher requests the job's state from a job server.
type watcher struct {
	endpoint string
	client   jobpb.JobServiceClient
}

// ask calls use with a watcher.
func ask(endpoint string, use func(watcher)) {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return // the runner reports an endpoint without a server
	}
	defer conn.Close()
	use(watcher{endpoint, jobpb.NewJobServiceClient(conn)})
}

// The times after which the watcher reports that a job reads no keys.
const (
	firstWait = 10 * time.Second
	nextWait  = 30 * time.Second
)

// watch prints the number of keys that the job has read, until ctx is canceled.
// If the job reads no keys for some time, watch repeatedly prints what the job
// is waiting for.
func (w watcher) watch(ctx context.Context, log io.Writer, first time.Duration) {
	l := newLine(log)
	defer l.clear()
	read := uint64(0)
	since := time.Now()
	wait := first
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		info := w.info(ctx)
		keys := w.keysRead(ctx, info)
		l.show(keys)
		if keys > read {
			read = keys
			since = time.Now()
			wait = first
		}
		if waited := time.Since(since); waited >= wait {
			wait += nextWait
			fmt.Fprintf(log, "filterbuild: %v: %s\n", waited.Round(time.Second), w.waitsFor(info, read))
		}
	}
}

// waitsFor describes what a job is waiting for after it has read some keys.
func (w watcher) waitsFor(info *jobpb.JobInfo, read uint64) string {
	if info == nil {
		return fmt.Sprintf("the job server at %s has not accepted the job yet", w.endpoint)
	}
	state := fmt.Sprintf("job %s at %s is %v", info.GetJobId(), w.endpoint, info.GetState())
	if read > 0 {
		return fmt.Sprintf("%s and has read %d keys; it is sorting, building or writing, or its worker is lost", state, read)
	}
	return fmt.Sprintf("%s, but no worker has read a key yet; workers are started by -environment_type=%s -environment_config=%s",
		state, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig)
}

// info returns the server's description of the job, or nil.
func (w watcher) info(ctx context.Context) *jobpb.JobInfo {
	jobs, err := w.client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return nil
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetJobName() == *jobopts.JobName {
			return job
		}
	}
	return nil
}

// keysRead returns the number of keys that the job has read.
func (w watcher) keysRead(ctx context.Context, info *jobpb.JobInfo) (keys uint64) {
	if info == nil {
		return 0
	}
	result, err := w.client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: info.GetJobId()})
	if err != nil {
		return 0
	}
	for _, info := range result.GetMetrics().GetAttempted() {
		labels := info.GetLabels()
		if labels["NAMESPACE"] == filterbeam.Namespace && labels["NAME"] == filterbeam.KeysRead {
			n, _ := binary.Uvarint(info.GetPayload())
			keys += n
		}
	}
	return keys
}

// cancel cancels the job, so that its workers stop writing.
func (w watcher) cancel() {
	ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	if info := w.info(ctx); info != nil {
		_, _ = w.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: info.GetJobId()}) // the job may be complete
	}
}

// provisionEndpoint is the server that a worker needs to contact. It is set if
// a runner has started this process.
var provisionEndpoint = flag.String("provision_endpoint", "", "Provision endpoint of a runner that has started this program as a worker.")

// bootWorker makes this process a worker if a runner has started it. It must be
// called after flag.Parse and before beam.Init. Unlike the SDK's boot program,
// bootWorker does not need a copy of the program, and it accepts an id in
// quotes, which Prism uses.
func bootWorker(ctx context.Context) error {
	if *provisionEndpoint == "" {
		return nil
	}
	id := strings.Trim(flag.Lookup("id").Value.String(), "'")
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, id), *provisionEndpoint)
	if err != nil {
		return fmt.Errorf("worker %s: %w", id, err)
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return fmt.Errorf("worker %s: %w", id, err)
	}
	for name, value := range map[string]string{
		"worker": "true", "id": id, "options": options,
		"logging_endpoint": info.GetLoggingEndpoint().GetUrl(), "control_endpoint": info.GetControlEndpoint().GetUrl(),
	} {
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	if err := os.Setenv("STATUS_ENDPOINT", info.GetStatusEndpoint().GetUrl()); err != nil {
		return err
	}
	return os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
}
