package filterbeam

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// writeSorted writes the structure of n different digests, which each passes
// to its argument in ascending order, some at a time.
func (s spec) writeSorted(ctx context.Context, out string, n uint64, sum *Summary, each func(add func([]hashfam.Digest) error) error) error {
	var p cuckoo.Params
	f, err := build(s, &p, &p.Family, cuckoo.NewFromParams)
	if err != nil {
		return err
	}
	err = each(func(digests []hashfam.Digest) error {
		_, err := f.AddAllDigests(digests)
		return err
	})
	if errors.Is(err, ErrFull) {
		return fmt.Errorf("filterbeam: after %d of %d different keys: %w", f.Len(), n, err)
	}
	if err != nil {
		return err
	}
	sum.FPRate = f.FalsePositiveRate()
	return replace(ctx, out, func(w io.Writer) error {
		n, err := f.WriteTo(w)
		sum.Size = uint64(n)
		return err
	})
}
