package journal

import (
	"io"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/block"
)

// Shards returns a Structure for [Open] that consists of all shards of o.
// Goroutines can use o while the journal writes it to a new file. The file can
// be read only with the same number of shards.
//
// A new file is written shard by shard, while goroutines can change the other
// shards, so the file can contain changes that were made after the last
// [Journal.Sync]. Therefore, a position guarantees only that the file contains
// all changes before it. Use a structure without shards if the file must not
// contain changes after the position, for example in a consumer that processes
// each message exactly once.
func Shards[T Structure](o *sharded.Of[T]) Structure { return shards[T]{o} }

// parts is implemented by structures from Shards. Each shard is written
// separately, while the others can change.
type parts interface {
	count() int
	first() Structure
	// writeShards writes all shards, and returns the number of bytes. It locks
	// one shard at a time, calls begin, and then writes the shard.
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

// AddAll returns an error, since the shards may have an AddAll that can fail.
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
