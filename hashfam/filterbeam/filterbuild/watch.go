package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"golang.org/x/term"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/filterfam/filterfam/hashfam/filterbeam"
)

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

// watch runs until ctx is canceled. If log is a terminal, watch prints the
// number of keys that the job has read. If no more keys have been read for the
// time first, watch prints what the job is waiting for, and repeats this every
// 30 seconds.
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
