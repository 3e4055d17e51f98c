package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"golang.org/x/term"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/filterfam/filterfam/hashfam/filterbeam"
)

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

// newProgress returns a function that shows the progress of the loop, and one
// to call at the end.
func newProgress(w io.Writer) (report func(filterbeam.Summary), done func()) {
	l := newLine(w)
	return func(s filterbeam.Summary) { l.show(s.Keys) }, l.clear
}

// startPrism starts the runner in this process if it is the one to use, so that
// its endpoint is known before the job runs.
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

// newWatcher returns a watcher and a function that ends it.
func newWatcher(endpoint string) (watcher, func(), error) {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return watcher{}, nil, err
	}
	return watcher{endpoint, jobpb.NewJobServiceClient(conn)}, func() { _ = conn.Close() }, nil
}

// The times after which a job that has read no key, or no more, says so.
const (
	firstWait = 10 * time.Second
	nextWait  = 30 * time.Second
)

// watch shows how many keys the job has read, until ctx ends. If it reads none
// for some time, watch says again and again what the job waits for.
func watch(ctx context.Context, endpoint string, w io.Writer, first time.Duration) {
	if endpoint == "" {
		return
	}
	job, done, err := newWatcher(endpoint)
	if err != nil {
		return // the runner reports an endpoint that does not answer
	}
	defer done()
	l := newLine(w)
	defer l.clear()
	read, since, wait := uint64(0), time.Now(), first
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		info := job.info(ctx)
		keys := job.keysRead(ctx, info)
		l.show(keys)
		if keys > read {
			read, since, wait = keys, time.Now(), first
		}
		if waited := time.Since(since); waited >= wait {
			wait += nextWait
			fmt.Fprintf(w, "filterbuild: %v: %s\n", waited.Round(time.Second), job.waitsFor(info, read))
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

// cancelJob asks the server to end the job, so that its workers write no more.
func cancelJob(endpoint string) {
	ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	job, done, err := newWatcher(endpoint)
	if err != nil {
		return
	}
	defer done()
	if info := job.info(ctx); info != nil {
		_, _ = job.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: info.GetJobId()}) // it may have ended
	}
}
