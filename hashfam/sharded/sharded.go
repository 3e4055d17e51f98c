package sharded

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
)

// ErrParams is the reason for an error of [New], to test with errors.Is.
var ErrParams = hashfam.ErrParams

// A FieldError is an error about one argument. Its fields are documented in
// package hashfam. Get it from an error with errors.As.
type FieldError = hashfam.FieldError

// An Of is n structures of type T, the shards, each behind a lock of its own. T
// is usually a pointer. Make one with [New]. Copies of an Of have the same
// shards.
type Of[T any] struct {
	shards []shard[T]
}

// A shard is a structure and its lock. The gap is as long as a cache line: no
// line holds parts of two shards, so they do not slow down one another.
type shard[T any] struct {
	lock  sync.Mutex
	value T
	_     [64]byte
}

// maxShards is far more than any machine needs.
const maxShards = 1 << 16

// New returns n shards, 1 to 65,536: shard i is the structure that create(i)
// returns. It returns [ErrParams] if n is out of that range, and the first
// error of create. O(n) time and one allocation, besides those of create.
func New[T any](n int, create func(shard int) (T, error)) (*Of[T], error) {
	if n < 1 || n > maxShards {
		return nil, &FieldError{
			Package: "sharded", Err: ErrParams, Field: "n", Value: n, Allowed: fmt.Sprintf("1 to %d", maxShards),
		}
	}
	o := &Of[T]{make([]shard[T], n)}
	for i := range o.shards {
		value, err := create(i)
		if err != nil {
			return nil, err
		}
		o.shards[i].value = value
	}
	return o, nil
}

// Shards returns the number of shards. O(1) time.
func (o *Of[T]) Shards() int { return len(o.shards) }

// Do calls f with the shard of d, alone: no other call has that shard
// meanwhile. O(1) time besides that of f, no allocation.
func (o *Of[T]) Do(d hashfam.Digest, f func(shard T)) {
	shards := o.made()
	shards[d.Shard(len(shards))].do(f)
}

// made returns the shards, or panics if there are none.
func (o *Of[T]) made() []shard[T] {
	if len(o.shards) == 0 {
		panic("sharded: use of a zero Of: make it with New")
	}
	return o.shards
}

// do calls f under the lock, and releases it even if f panics.
func (s *shard[T]) do(f func(T)) {
	s.lock.Lock()
	defer s.lock.Unlock()
	f(s.value)
}

// DoAll calls f once for each shard to which some of the digests belong, with
// these digests in their order, which are valid until f returns. It locks one
// shard after another, so other calls may come between two of them. O(n) time
// and O(1) for each digest besides that of f; it allocates 8 bytes for each
// digest and each shard.
func (o *Of[T]) DoAll(digests []hashfam.Digest, f func(shard T, digests []hashfam.Digest)) {
	grouped, ends := o.group(digests)
	first := 0
	for i, end := range ends {
		if of := grouped[first:end:end]; len(of) > 0 {
			o.shards[i].do(func(value T) { f(value, of) })
		}
		first = end
	}
}

// group returns the digests in the order of their shards, and where the digests
// of each shard end. It is a counting sort.
func (o *Of[T]) group(digests []hashfam.Digest) (grouped []hashfam.Digest, ends []int) {
	n := len(o.made())
	next := make([]int, n+1) // at first next[i+1] is the number of digests of shard i
	for _, d := range digests {
		next[d.Shard(n)+1]++
	}
	for i := range n { // then next[i] is where those of shard i begin
		next[i+1] += next[i]
	}
	grouped = make([]hashfam.Digest, len(digests))
	for _, d := range digests {
		i := d.Shard(n)
		grouped[next[i]] = d
		next[i]++ // and at last where they end
	}
	return grouped, next[:n]
}

// Each calls f with the number of each shard and the shard, alone, in order. It
// stops at the first error of f and returns it. Other calls may come between
// two shards, so what f sees of all shards need not be the state of any one
// moment; for that, let no one write meanwhile. O(n) time besides that of f.
func (o *Of[T]) Each(f func(i int, shard T) error) error {
	for i := range o.shards {
		var err error
		o.shards[i].do(func(value T) { err = f(i, value) })
		if err != nil {
			return err
		}
	}
	return nil
}

// String returns the number of shards. It shows nothing of the structures. O(1)
// time.
func (o Of[T]) String() string { return fmt.Sprintf("sharded.Of(%d shards)", len(o.shards)) }

// Format prints [Of.String] for every verb and flag, like
// [hashfam.Family.Format].
func (o Of[T]) Format(s fmt.State, _ rune) { fmt.Fprint(s, o.String()) }

// LogValue returns [Of.String].
func (o Of[T]) LogValue() slog.Value { return slog.StringValue(o.String()) }

// MarshalText returns an error: the structures are stored one by one, with
// [Of.Each]. Without this method, encoding/json would store {}.
func (o Of[T]) MarshalText() ([]byte, error) {
	return nil, fmt.Errorf("sharded: shards are encoded one by one, in a call of Each: %w", errors.ErrUnsupported)
}
