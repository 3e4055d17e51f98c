package countmin

import (
	"fmt"
	"iter"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// What HeavyHitters and TopK share.

// An Estimate is what is known of how often a key was counted.
type Estimate struct {
	Count uint64 // the estimate: never below the truth
	Low   uint64 // the truth is this at least
	High  uint64 // and this at most
}

// checkMemory returns an error that names the field unless bytes is 0 or a
// possible budget.
func checkMemory(field string, bytes int, reason error) error {
	if bytes != 0 && (bytes < tracker.MinMemory || bytes > tracker.MaxMemory) {
		return errs.Field(reason, field, bytes, fmt.Sprintf("%d to %d, or 0", tracker.MinMemory, tracker.MaxMemory))
	}
	return nil
}

// observeAll counts every key once.
func observeAll[K tracker.Key](t *tracker.Tracker, fam hashfam.Family, keys []K) {
	for _, key := range batch.Few(&keys) {
		tracker.Observe(t, batch.Sum(fam, key), key, 1)
	}
	for len(keys) > 0 {
		var b batch.Buffer
		block := keys
		for i, d := range batch.Take(&b, fam, &keys) {
			tracker.Observe(t, d, block[i], 1)
		}
	}
}

// observeDigests is observeAll for keys that are hashed already.
func observeDigests(t *tracker.Tracker, digests []hashfam.Digest, keys [][]byte) error {
	if len(digests) != len(keys) {
		return paramError("len(digests)", len(digests), fmt.Sprintf("%d, the number of keys", len(keys)))
	}
	for i, d := range digests {
		tracker.Observe(t, d, keys[i], 1)
	}
	return nil
}

// estimateAll appends what is known of each key.
func estimateAll[K tracker.Key](t *tracker.Tracker, fam hashfam.Family, dst []Estimate, keys []K) []Estimate {
	for _, key := range batch.Few(&keys) {
		dst = append(dst, Estimate(t.Estimate(batch.Sum(fam, key))))
	}
	for len(keys) > 0 {
		var b batch.Buffer
		dst = estimateBlock(t, dst, batch.Take(&b, fam, &keys))
	}
	return dst
}

// estimateBlock appends what is known of the key of each digest.
func estimateBlock(t *tracker.Tracker, dst []Estimate, digests []hashfam.Digest) []Estimate {
	for _, d := range digests {
		dst = append(dst, Estimate(t.Estimate(d)))
	}
	return dst
}

// ranked yields the tracked keys that count at least least, most first, and of
// those the first few. wanted returns the two numbers when they are iterated,
// and they are sorted then.
func ranked(t *tracker.Tracker, wanted func() (least uint64, few int)) iter.Seq2[string, Estimate] {
	return func(yield func(string, Estimate) bool) {
		for key, e := range t.Ranked(wanted()) {
			if !yield(key, Estimate(e)) {
				return
			}
		}
	}
}
