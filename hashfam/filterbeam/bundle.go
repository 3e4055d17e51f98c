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
	perKey    uint64 // items that a key makes
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
	b.perKey = d.perKey()
	b.collector, err = d.collector()
	return err
}

// sender returns an emitter that counts what it sends to emit.
func (b *bundle) sender(emit func(int, []byte)) emitter {
	return func(owner int, items uint64, value []byte) {
		value = sealed(value, items)
		b.tally.send(owner, value)
		emit(owner, value)
	}
}

// count counts keys that are read.
func (b *bundle) count(ctx context.Context, keys int) {
	b.tally.Keys += uint64(keys)
	b.tally.Items += uint64(keys) * b.perKey
	progress.Inc(ctx, int64(keys))
}

// add collects keys.
func (b *bundle) add(ctx context.Context, keys [][]byte, emit func(int, []byte)) error {
	b.count(ctx, len(keys))
	return b.collector.addKeys(keys, b.sender(emit))
}

// addDigests collects keys that are hashed already.
func (b *bundle) addDigests(ctx context.Context, digests []hashfam.Digest, emit func(int, []byte)) error {
	b.count(ctx, len(digests))
	return b.collector.addDigests(digests, b.sender(emit))
}

// FinishBundle sends what is left, and the tally of all that was sent.
func (b *bundle) FinishBundle(_ context.Context, emit func(int, []byte)) error {
	if b.collector == nil {
		return nil
	}
	if err := b.collector.flush(b.sender(emit)); err != nil {
		return err
	}
	b.collector = nil
	emit(tallyOwner, b.tally.append(nil))
	return nil
}
