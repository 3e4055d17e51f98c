package filterbeam

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

// The names of the counters of a job. KeysRead rises while it runs; a bundle
// that is repeated may count twice.
const (
	Namespace = "filterbeam"
	KeysRead  = "keys read"
)

var progress = beam.NewCounter(Namespace, KeysRead)

// The counters that the last task sets hold the Summary.
var (
	keysCounter     = beam.NewCounter(Namespace, "keys")
	distinctCounter = beam.NewCounter(Namespace, "distinct keys")
	filesCounter    = beam.NewCounter(Namespace, "files")
	bytesCounter    = beam.NewCounter(Namespace, "bytes")
	binaryCounter   = beam.NewCounter(Namespace, "files that hardly hold lines")
	sizeCounter     = beam.NewCounter(Namespace, "size")
	rateCounter     = beam.NewCounter(Namespace, "false positives in 10^15")
	completeCounter = beam.NewCounter(Namespace, "complete")
)

const rateUnit = 1e15

// count sets the counters to the summary.
func (s Summary) count(ctx context.Context) {
	keysCounter.Inc(ctx, int64(s.Keys))
	distinctCounter.Inc(ctx, int64(s.Distinct))
	filesCounter.Inc(ctx, int64(s.Files))
	bytesCounter.Inc(ctx, int64(s.Bytes))
	binaryCounter.Inc(ctx, int64(s.Binary))
	sizeCounter.Inc(ctx, int64(s.Size))
	rateCounter.Inc(ctx, int64(s.FPRate*rateUnit))
	if s.Complete {
		completeCounter.Inc(ctx, 1)
	}
}

// Result returns the [Summary] of a job of [Files] or [Build] that wrote out,
// from the counters of the runner. The pipeline must contain no other such job.
// A runner that does not return counters leaves the numbers zero; one that
// counts attempts that failed, too, can make them too high. O(1) time.
func Result(out string, r beam.PipelineResult) Summary {
	all := map[string]int64{}
	results := r.Metrics()
	for _, c := range results.Query(ours).Counters() {
		all[c.Name()] = c.Result()
	}
	return Summary{
		Output: out, Keys: uint64(all["keys"]), Distinct: uint64(all["distinct keys"]),
		Files: uint64(all["files"]), Bytes: uint64(all["bytes"]), Binary: uint64(all["files that hardly hold lines"]),
		Size: uint64(all["size"]), FPRate: float64(all["false positives in 10^15"]) / rateUnit, Complete: all["complete"] > 0,
	}
}

// ours reports whether a counter is one of filterbeam's.
func ours(r metrics.SingleResult) bool { return r.Namespace() == Namespace }
