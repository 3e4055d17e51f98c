package filterbeam

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

// A Summary is the result of a job.
type Summary struct {
	Output string // the file that was written
	Keys   uint64 // keys read, copies included
	Files  uint64 // files read
	Bytes  uint64 // bytes of these files, after decompression
	Size   uint64 // bytes of the encoded structure

	// Binary is the number of files that hardly hold lines: they begin with
	// zero bytes, or are compressed and not named .gz. Their lines are read.
	Binary uint64

	// Changed is the number of files that [Local] has read and whose time of
	// modification changed meanwhile. The structure may lack keys that such a
	// file had before, or has now.
	Changed uint64

	// Distinct is the number of different keys of a cuckoo or a static filter;
	// 0 for other structures, which do not know it.
	Distinct uint64

	// FPRate is the false-positive rate of the filter that was made; 0 for a
	// sketch, heavy hitters and a top k.
	FPRate float64

	// Complete reports whether heavy hitters or a top k are certain to miss no
	// key. It is true for every other structure.
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
		text += fmt.Sprintf(", false-positive rate %.3g %%", 100*s.FPRate)
	}
	if !s.Complete {
		text += ", may miss keys"
	}
	return text
}

// The names of the counters of a job. KeysRead rises while it runs; a bundle
// that is repeated may count twice.
const (
	Namespace = "filterbeam"
	KeysRead  = "keys read"
)

var progress = beam.NewCounter(Namespace, KeysRead)

// count sets counters to the summary. The last task does.
func (s Summary) count(ctx context.Context) {
	rate, complete := uint64(s.FPRate*rateUnit), uint64(0)
	if s.Complete {
		complete = 1
	}
	for name, n := range s.counters(&rate, &complete) {
		beam.NewCounter(Namespace, name).Inc(ctx, int64(*n))
	}
}

const rateUnit = 1e15

// counters returns the numbers of a summary by the names of their counters.
func (s *Summary) counters(rate, complete *uint64) map[string]*uint64 {
	return map[string]*uint64{
		"keys": &s.Keys, "distinct keys": &s.Distinct, "files": &s.Files, "bytes": &s.Bytes,
		"files that hardly hold lines": &s.Binary, "size": &s.Size, "false positives in 10^15": rate, "complete": complete,
	}
}

// Result returns the [Summary] of a job of [Files] or [Build] that wrote out,
// from the counters of the runner. The pipeline must contain no other such job.
// A runner that does not return counters leaves the numbers zero; one that
// counts attempts that failed, too, can make them too high. O(1) time.
func Result(out string, r beam.PipelineResult) Summary {
	s := Summary{Output: out}
	var rate, complete uint64
	numbers := s.counters(&rate, &complete)
	results := r.Metrics()
	ours := func(r metrics.SingleResult) bool { return r.Namespace() == Namespace }
	for _, c := range results.Query(ours).Counters() {
		if n := numbers[c.Name()]; n != nil {
			*n = uint64(c.Result())
		}
	}
	s.FPRate, s.Complete = float64(rate)/rateUnit, complete > 0
	return s
}
