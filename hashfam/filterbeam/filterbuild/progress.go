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

// watch shows how many keys the jobs of an endpoint have read, until ctx ends.
func watch(ctx context.Context, endpoint string, w io.Writer) {
	l := newLine(w)
	if l.w == nil || endpoint == "" {
		return
	}
	defer l.clear()
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return // the job reports an endpoint that does not answer
	}
	defer conn.Close()
	for client := jobpb.NewJobServiceClient(conn); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			l.show(keysRead(ctx, client))
		}
	}
}

// keysRead returns the sum of the counters of keys of all jobs.
func keysRead(ctx context.Context, client jobpb.JobServiceClient) (keys uint64) {
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return 0
	}
	for _, job := range jobs.GetJobInfo() {
		result, err := client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: job.GetJobId()})
		if err != nil {
			continue
		}
		for _, info := range result.GetMetrics().GetAttempted() {
			labels := info.GetLabels()
			if labels["NAMESPACE"] == filterbeam.Namespace && labels["NAME"] == filterbeam.KeysRead {
				n, _ := binary.Uvarint(info.GetPayload())
				keys += n
			}
		}
	}
	return keys
}
