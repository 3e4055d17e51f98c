package journal

import (
	"io"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/block"
)

// Shards returns a Structure for [Open] that consists of all shards of o, which
// goroutines can use meanwhile. The file can be read only with the same number
// of shards.
//
// A new file is written shard by shard in the background, so it can contain
// changes that were made after the last [Journal.Sync]. Therefore a position
// says only that all changes before it are in the file. If none after it may
// be, as in a consumer that processes each message exactly once, use a
// structure without shards.
func Shards[T Structure](o *sharded.Of[T]) Structure { return shards[T]{o} }

// parts are structures that are written one by one, while the others change.
type parts interface {
	count() int
	first() Structure
	// writeShards calls begin while a shard is locked, before it is written. It
	// returns the number of bytes.
	writeShards(w io.Writer, begin func(shard int)) (int64, error)
}

type shards[T Structure] struct{ *sharded.Of[T] }

var _ parts = shards[Structure]{}

func (s shards[T]) count() int { return s.Shards() }

func (s shards[T]) first() (first Structure) {
	s.Each(func(i int, shard T) error {
		if i == 0 {
			first = shard
		}
		return nil
	})
	return first
}

func (s shards[T]) Family() hashfam.Family { return s.first().Family() }

func (s shards[T]) writeShards(w io.Writer, begin func(shard int)) (total int64, err error) {
	err = s.Each(func(i int, shard T) error {
		begin(i)
		n, err := shard.WriteTo(w)
		total += n
		return err
	})
	return total, err
}

// ReadFrom reads a frame for each shard.
func (s shards[T]) ReadFrom(r io.Reader) (total int64, err error) {
	err = s.Each(func(_ int, shard T) error {
		n, err := shard.ReadFrom(r)
		total += n
		return err
	})
	return total, err
}

// AddAll has this form because some structures can refuse a digest.
func (s shards[T]) AddAll(digests []hashfam.Digest) (int, error) {
	return len(digests), s.changeAll(block.Add, digests)
}

func (s shards[T]) DeleteAll(digests []hashfam.Digest) error {
	return s.changeAll(block.Delete, digests)
}

func (s shards[T]) changeAll(op block.Op, digests []hashfam.Digest) (err error) {
	s.DoAll(digests, func(shard T, digests []hashfam.Digest) {
		if err == nil {
			err = change(shard, op, digests)
		}
	})
	return err
}

func (s shards[T]) Advance(t time.Time) {
	s.Each(func(_ int, shard T) error {
		any(shard).(advancer).Advance(t)
		return nil
	})
}
