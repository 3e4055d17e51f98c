package perfect

import (
	"context"
	"fmt"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// testEvery is the number of digests after which a build tests whether it was
// canceled.
const testEvery = 1 << 16

// An arrival checks the keys of a build as they arrive.
type arrival struct {
	keys      uint64 // number of distinct digests that must arrive
	most      uint64 // the largest value that is allowed
	copies    bool   // whether copies with the same value are allowed
	n         uint64 // number of digests that have arrived, including copies
	distinct  uint64 // number of distinct ones
	last      hashfam.Digest
	lastValue uint64
	bits      ribbon.Bits
}

// check reports whether a key is new, and not a copy of the previous one. It
// returns ErrParams if the key or its value is invalid at this position, and
// the error of ctx if ctx is canceled.
func (a *arrival) check(ctx context.Context, d hashfam.Digest, value uint64) (bool, error) {
	if a.n > 0 && d.Probe() <= a.last.Probe() {
		return false, a.checkCopy(ctx, d, value)
	}
	if a.distinct%testEvery == 0 {
		if err := canceled(ctx); err != nil {
			return false, err
		}
	}
	if a.distinct == a.keys {
		return false, paramError("n", a.keys, "the number of distinct digests, which is larger")
	}
	if value > a.most {
		return false, valueError(a.n, value, a.most)
	}
	a.last = d
	a.lastValue = value
	a.n++
	a.distinct++
	a.bits.Add(d)
	return true, nil
}

// checkCopy is called for a digest that cannot follow the previous digest in
// ascending order of Digest.Probe. It returns nil if d is a copy of the
// previous digest, with the same value, and copies are allowed. Otherwise, it
// returns ErrParams. Since there can be any number of copies, checkCopy also
// returns the error of ctx if ctx is canceled.
func (a *arrival) checkCopy(ctx context.Context, d hashfam.Digest, value uint64) error {
	if d != a.last {
		return paramError(fmt.Sprintf("digest %d", a.n), "out of order", "ascending by Digest.Probe")
	}
	if !a.copies {
		return paramError(fmt.Sprintf("digest %d", a.n), fmt.Sprintf("equal to digest %d", a.n-1), "distinct digests")
	}
	if value != a.lastValue {
		return copyError(a.n, a.n-1, value, a.lastValue)
	}
	a.n++
	if a.n%testEvery == 0 {
		return canceled(ctx)
	}
	return nil
}

// end returns ErrParams if keys are missing, or if the digests are not hashes.
func (a *arrival) end() error {
	if a.distinct != a.keys {
		return paramError("n", a.keys, fmt.Sprintf("the number of distinct digests, which is %d", a.distinct))
	}
	return a.bits.Check(errs)
}

// copyError returns the error for a digest that is equal to an earlier one, but
// has another value.
func copyError(i, earlier, value, other uint64) error {
	return paramError(fmt.Sprintf("digest %d", i), fmt.Sprintf("equal to digest %d, values %d and %d", earlier, other, value),
		"one value for each digest; if the keys differ, use another family")
}

// canceled returns the error of a build if ctx is canceled.
func canceled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return errs.Errorf("building: %w", err)
	}
	return nil
}

// checkLen returns ErrParams if there are more than maxKeys keys.
func checkLen(n uint64) error {
	if n > maxKeys {
		return paramError("number of keys", n, fmt.Sprintf("at most %d", uint64(maxKeys)))
	}
	return nil
}

// sortDigests sorts digests and returns the distinct ones, as [ribbon.Sort]
// does. It returns ErrParams if there are too many, and ctx's error if ctx is
// canceled.
func sortDigests(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	if err := checkLen(uint64(len(digests))); err != nil {
		return nil, err
	}
	sorted, err := ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
	if err != nil {
		return nil, errs.Errorf("building: %w", err)
	}
	return sorted, nil
}

// withZeros yields each digest with the value 0.
func withZeros(digests iter.Seq[hashfam.Digest]) iter.Seq2[hashfam.Digest, uint64] {
	return func(yield func(hashfam.Digest, uint64) bool) {
		digests(func(d hashfam.Digest) bool { return yield(d, 0) })
	}
}
