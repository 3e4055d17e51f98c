package filterbeam

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

// A Summary describes a job's result.
type Summary struct {
	Output string // the file that was written
	Keys   uint64 // number of keys read, including duplicates
	Files  uint64 // number of files read
	Size   uint64 // size of the encoded structure

	// Bytes is the size of the files after decompression or, for [Build], the
	// size of all keys that are not digests.
	Bytes uint64

	// Binary is the number of files that do not seem to contain lines, because
	// their first lines contain zero bytes. Their lines are read.
	Binary uint64

	// Distinct is the number of distinct keys in a cuckoo or static filter. It
	// is 0 for other structures.
	Distinct uint64

	// FPRate is the filter's false-positive rate. It is 0 for a sketch, heavy
	// hitters and a top k.
	FPRate float64

	// Complete is false if heavy hitters or a top k may be missing keys. It is
	// true for all other structures.
	Complete bool
}

// String returns the summary as a line of text.
func (s Summary) String() string {
	text := fmt.Sprintf("%s: %d keys", s.Output, s.Keys)
	if s.Files > 0 {
		text = fmt.Sprintf("%s: %d lines of %d files", s.Output, s.Keys, s.Files)
	}
	if s.Distinct > 0 {
		text += fmt.Sprintf(", %d distinct keys", s.Distinct)
	}
	text += fmt.Sprintf(", %d bytes", s.Size)
	if s.FPRate > 0 {
		text += fmt.Sprintf(", false-positive rate %.3g%%", 100*s.FPRate)
	}
	if !s.Complete {
		text += ", may miss keys"
	}
	return text
}

// The namespace and name of the counter for the keys read so far, which rises
// while a job runs. It may count a repeated bundle twice.
const (
	Namespace = "filterbeam"
	KeysRead  = "keys read"
)

var progress = beam.NewCounter(Namespace, KeysRead)

// count sets counters to the summary. It is called in a job's last task.
func (s Summary) count(ctx context.Context) {
	for name, n := range s.numbers() {
		beam.NewCounter(Namespace, name).Inc(ctx, int64(n))
	}
}

// rateUnit is the number of units in a rate of 1, since a counter is an
// integer.
const rateUnit = 1e15

// numbers returns the summary without its output, by the names of the counters.
func (s Summary) numbers() map[string]uint64 {
	complete := uint64(0)
	if s.Complete {
		complete = 1
	}
	return map[string]uint64{
		"keys": s.Keys, "distinct keys": s.Distinct, "files": s.Files, "bytes": s.Bytes, "binary files": s.Binary,
		"size": s.Size, "false positives in 10^15": uint64(s.FPRate * rateUnit), "complete": complete,
	}
}

// summaryOf is the inverse of numbers.
func summaryOf(out string, n map[string]uint64) Summary {
	return Summary{
		Output: out, Keys: n["keys"], Distinct: n["distinct keys"], Files: n["files"], Bytes: n["bytes"], Binary: n["binary files"],
		Size: n["size"], FPRate: float64(n["false positives in 10^15"]) / rateUnit, Complete: n["complete"] > 0,
	}
}

// Result returns the [Summary] of the job of [Files] or [Build] that wrote out,
// using the runner's counters. The pipeline must not contain another such job.
// The numbers are zero if the runner does not return counters, and can be too
// high if it also counts failed attempts.
func Result(out string, r beam.PipelineResult) Summary {
	numbers := map[string]uint64{}
	ours := func(r metrics.SingleResult) bool { return r.Namespace() == Namespace }
	results := r.Metrics()
	for _, c := range results.Query(ours).Counters() {
		numbers[c.Name()] = uint64(c.Result())
	}
	return summaryOf(out, numbers)
}
