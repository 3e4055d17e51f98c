package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// provisionEndpoint is the server that a worker needs to contact. It is set if
// a runner has started this process.
var provisionEndpoint = flag.String("provision_endpoint", "", "Provision endpoint of a runner that has started this program as a worker.")

// bootWorker makes this process a worker if a runner has started it. It must be
// called after flag.Parse and before beam.Init. Unlike the SDK's boot program,
// bootWorker does not load the program from the runner, and it accepts an id in
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
