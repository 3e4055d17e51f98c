package static

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A Builder collects the keys of a filter. Make one with [NewBuilder]. It keeps
// the 8-byte digest of each key, and none of the keys. A Builder must not be
// used by several goroutines at the same time. It must not be copied.
type Builder struct {
	config  Config
	digests []hashfam.Digest
}

// NewBuilder returns an empty builder of filters for c. It returns [ErrParams],
// naming the field, if c is invalid. O(1) time.
func NewBuilder(c Config) (*Builder, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &Builder{config: c}, nil
}

// Grow makes room for another n keys, so that adding them does not allocate.
// Otherwise memory grows in steps: up to 18 bytes for each key at a time. O(n)
// time.
func (b *Builder) Grow(n int) { b.digests = slices.Grow(b.digests, max(0, n)) }

// Len returns the number of keys added. Copies of a key count until
// [Builder.Build] has removed them. O(1) time.
func (b *Builder) Len() int { return len(b.digests) }

// Add adds key. It does not keep key. O(1) time on average: it allocates as the
// number of keys grows.
func (b *Builder) Add(key []byte) { b.AddDigest(b.config.Family.Sum(key)) }

// AddString is [Builder.Add] for a string.
func (b *Builder) AddString(key string) { b.AddDigest(b.config.Family.SumString(key)) }

// AddUint64 is [Builder.Add] for an integer: the key is its eight little-endian
// bytes.
func (b *Builder) AddUint64(key uint64) { b.AddDigest(b.config.Family.SumUint64(key)) }

// AddDigest is [Builder.Add] for a key already hashed by the Family of the
// builder's Config.
func (b *Builder) AddDigest(d hashfam.Digest) { b.digests = append(b.digests, d) }

// AddAll adds every key, like [Builder.Add] on each, in less time.
func (b *Builder) AddAll(keys [][]byte) { b.digests = b.config.Family.SumAll(b.digests, keys) }

// AddAllStrings is [Builder.AddAll] for strings.
func (b *Builder) AddAllStrings(keys []string) {
	b.digests = b.config.Family.SumAllStrings(b.digests, keys)
}

// AddAllUint64 is [Builder.AddAll] for integers.
func (b *Builder) AddAllUint64(keys []uint64) {
	b.digests = b.config.Family.SumAllUint64(b.digests, keys)
}

// AddAllDigests is [Builder.AddAll] for keys already hashed by the Family of
// the builder's Config.
func (b *Builder) AddAllDigests(digests []hashfam.Digest) {
	b.digests = append(b.digests, digests...)
}

// AddSeq adds every key of a sequence, like [Builder.Add] on each.
func (b *Builder) AddSeq(keys iter.Seq[[]byte]) {
	for key := range keys {
		b.Add(key)
	}
}

// MarshalJSON returns errors.ErrUnsupported: what a Builder holds cannot be
// encoded. Encode the filter that [Builder.Build] returns. O(1) time. Its
// receiver is a value so that a Builder that is a value in a struct is refused,
// too.
func (b Builder) MarshalJSON() ([]byte, error) {
	return nil, errs.Errorf("a Builder cannot be encoded, only the filter that it builds: %w", errors.ErrUnsupported)
}

// Build returns a filter of the keys added so far. The builder keeps its keys,
// without copies: after Build, and after an error too, you can add more and
// build again. O(n) time. The errors are those of [New].
func (b *Builder) Build() (*Filter, error) { return b.BuildContext(context.Background()) }

// BuildContext is like [Builder.Build]. It returns the error of ctx if that
// ends first.
func (b *Builder) BuildContext(ctx context.Context) (*Filter, error) {
	if b == nil {
		return nil, errs.Nil()
	}
	build := b.config.build(2 * uint64(len(b.digests)))
	f, list, err := b.config.fromDigests(ctx, build, b.digests)
	b.digests = list
	return f, err
}
