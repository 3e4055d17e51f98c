package filterbeam

import (
	"context"

	"github.com/filterfam/filterfam/hashfam"
)

// tallyOwner is the number of the owner that adds up the tallies of all
// bundles.
const tallyOwner = -1

// A bundle is what a worker collects of one bundle of keys. Its exported fields
// travel to the workers as JSON.
type bundle struct {
	Spec spec

	collector collector
	tally     tally
}

// StartBundle drops what a bundle that failed may have left.
func (b *bundle) StartBundle(func(int, []byte)) {
	b.collector, b.tally = nil, tally{}
}

// open makes the collector with the first key of a bundle.
func (b *bundle) open() error {
	if b.collector != nil {
		return nil
	}
	d, err := b.Spec.design()
	if err != nil {
		return err
	}
	b.collector, err = d.collector()
	return err
}

// add collects keys.
func (b *bundle) add(ctx context.Context, keys [][]byte, emit func(int, []byte)) error {
	b.tally.keys += uint64(len(keys))
	progress.Inc(ctx, int64(len(keys)))
	return b.collector.addKeys(keys, emit)
}

// addDigests collects keys that are hashed already.
func (b *bundle) addDigests(ctx context.Context, digests []hashfam.Digest, emit func(int, []byte)) error {
	b.tally.keys += uint64(len(digests))
	progress.Inc(ctx, int64(len(digests)))
	return b.collector.addDigests(digests, emit)
}

// FinishBundle sends what is left.
func (b *bundle) FinishBundle(_ context.Context, emit func(int, []byte)) error {
	if b.collector == nil {
		return nil
	}
	emit(tallyOwner, b.tally.append(nil))
	err := b.collector.flush(emit)
	b.collector = nil
	return err
}
