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

// job runs the job.
func (o *options) job(ctx context.Context, p filterbeam.Plan, patterns []string, log io.Writer) (filterbeam.Summary, error) {
	none := filterbeam.Summary{}
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
		err = ctx.Err() // the SDK takes a job that was canceled for one that is done
	}
	if err != nil {
		ask(endpoint, watcher.cancel)
		return none, err
	}
	return filterbeam.Result(o.output, result), nil
}

// reachServer returns an error if nothing answers at the endpoint. The SDK
// would try for two minutes, without a word. Without an endpoint it starts the
// runner in this process, if that is the one to use.
func reachServer(ctx context.Context) error {
	if *jobopts.Endpoint == "" {
		runner := flag.Lookup("runner")
		if runner == nil || runner.Value.String() == "" || runner.Value.String() == "prism" {
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

// A line shows numbers on one line of a terminal, which each number overwrites.
type line struct {
	w     io.Writer // nil if there is no terminal
	shown time.Time
}

func newLine(w io.Writer) *line {
	if file, ok := w.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		w = nil
	}
	return &line{w: w}
}

// show shows that keys have been read, at most five times a second.
func (l *line) show(keys uint64) {
	if l.w != nil && time.Since(l.shown) > 200*time.Millisecond {
		l.shown = time.Now()
		fmt.Fprintf(l.w, "\r%12d keys ", keys)
	}
}

// clear removes the line.
func (l *line) clear() {
	if l.w != nil {
		fmt.Fprint(l.w, "\r                  \r")
	}
}

// startPrism starts the runner in this process, so that its endpoint is known
// before the job runs.
func startPrism(ctx context.Context) error {
	listener, err := net.Listen("tcp", "localhost:0") // finds a free port
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

// A watcher asks a job server about the job.
type watcher struct {
	endpoint string
	client   jobpb.JobServiceClient
}

// ask calls use with a watcher.
func ask(endpoint string, use func(watcher)) {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return // the runner reports an endpoint that does not answer
	}
	defer conn.Close()
	use(watcher{endpoint, jobpb.NewJobServiceClient(conn)})
}

// The times after which a job that has read no key, or no more, says so.
const (
	firstWait = 10 * time.Second
	nextWait  = 30 * time.Second
)

// watch shows how many keys the job has read, until ctx ends. If it reads none
// for some time, watch says again and again what the job waits for.
func (w watcher) watch(ctx context.Context, log io.Writer, first time.Duration) {
	l := newLine(log)
	defer l.clear()
	read, since, wait := uint64(0), time.Now(), first
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
			read, since, wait = keys, time.Now(), first
		}
		if waited := time.Since(since); waited >= wait {
			wait += nextWait
			fmt.Fprintf(log, "filterbuild: %v: %s\n", waited.Round(time.Second), w.waitsFor(info, read))
		}
	}
}

// waitsFor says what a job waits for that has read some keys, and no more.
func (w watcher) waitsFor(info *jobpb.JobInfo, read uint64) string {
	if info == nil {
		return fmt.Sprintf("the job server at %s has not taken the job yet", w.endpoint)
	}
	state := fmt.Sprintf("job %s at %s is %v", info.GetJobId(), w.endpoint, info.GetState())
	if read > 0 {
		return fmt.Sprintf("%s and has read %d keys; it sorts, solves or writes, or its worker is lost", state, read)
	}
	return fmt.Sprintf("%s, but no worker has read a key yet; workers are started by -environment_type=%s -environment_config=%s",
		state, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig)
}

// info returns what the server knows of the job, or nil.
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

// cancel asks the server to end the job, so that its workers write no more.
func (w watcher) cancel() {
	ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	if info := w.info(ctx); info != nil {
		_, _ = w.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: info.GetJobId()}) // it may have ended
	}
}

// provisionEndpoint is the server from which a process that a runner has started
// gets its job.
var provisionEndpoint = flag.String("provision_endpoint", "", "Provision endpoint of a runner that has started this program as a worker.")

// bootWorker makes this process a worker if a runner has started it. It must be called after
// flag.Parse and before beam.Init. It is like the SDK's boot program, but does
// not need a copy of the program, and accepts an id in quotes, since Prism
// passes one.
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
