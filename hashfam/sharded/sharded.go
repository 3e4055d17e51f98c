package sharded

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"

	"github.com/filterfam/filterfam/hashfam"
)

// An Of contains n structures of type T, which is usually a pointer type. The
// structures are called shards, and each has its own lock. Use [New] or [Read]
// to create an Of. Copies of an Of share the shards.
type Of[T any] struct {
	shards []shard[T]
}

// A shard is a structure and its lock. The padding is as long as a cache line on
// most processors, so two shards do not slow each other down by sharing a line.
type shard[T any] struct {
	lock  sync.Mutex
	value T
	_     [64]byte
}

// maxShards is far more than any machine needs.
const maxShards = 1 << 16

// New calls create for each shard from 0 to n-1 and returns an Of with the
// results. It returns [hashfam.ErrParams] if n is not from 1 to 65,536 or
// create is nil, and the first error of create. To load shards that were
// stored, use [Read].
func New[T any](n int, create func(shard int) (T, error)) (*Of[T], error) {
	if n < 1 || n > maxShards {
		return nil, paramError("n", n, fmt.Sprintf("1 to %d", maxShards))
	}
	if create == nil {
		return nil, paramError("create", nil, "a function")
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

func paramError(field string, value any, allowed string) error {
	return &hashfam.FieldError{Package: "sharded", Err: hashfam.ErrParams, Field: field, Value: value, Allowed: allowed}
}

// Shards returns the number of shards.
func (o *Of[T]) Shards() int { return len(o.shards) }

// Do calls f with the shard of d. No other call uses this shard until f
// returns.
func (o *Of[T]) Do(d hashfam.Digest, f func(shard T)) {
	shards := o.made().shards
	shards[d.Shard(len(shards))].do(f)
}

// made returns o. It panics if o is zero: it has no shards.
func (o *Of[T]) made() *Of[T] {
	if len(o.shards) == 0 {
		panic("sharded: use of a zero Of: make it with New")
	}
	return o
}

// do calls f while holding the lock, and releases it even if f panics.
func (s *shard[T]) do(f func(T)) {
	s.lock.Lock()
	defer s.lock.Unlock()
	f(s.value)
}

// DoAll groups the digests by shard and calls f once for each shard that has
// any. The digests of a shard keep their order, and f must not retain them.
// Since DoAll locks one shard at a time, other calls may use shards between two
// calls of f. DoAll allocates about 8 bytes for each digest and 8 for each
// shard.
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

// group returns the digests sorted by shard, and the end of each shard's
// digests. It uses a counting sort.
func (o *Of[T]) group(digests []hashfam.Digest) (grouped []hashfam.Digest, ends []int) {
	n := len(o.made().shards)
	next := make([]int, n+1) // first, next[i+1] is the number of digests in shard i
	for _, d := range digests {
		next[d.Shard(n)+1]++
	}
	for i := range n { // then next[i] is the start of shard i
		next[i+1] += next[i]
	}
	grouped = make([]hashfam.Digest, len(digests))
	for _, d := range digests {
		i := d.Shard(n)
		grouped[next[i]] = d
		next[i]++ // finally, it is the end of shard i
	}
	return grouped, next[:n]
}

// Each calls f for each shard in order, until f returns an error, which Each
// returns. It returns [hashfam.ErrParams] if f is nil. Since Each locks one
// shard at a time, prevent concurrent changes if f should see a consistent
// state.
func (o *Of[T]) Each(f func(i int, shard T) error) error {
	if f == nil {
		return paramError("f", nil, "a function")
	}
	for i := range o.shards {
		var err error
		o.shards[i].do(func(value T) { err = f(i, value) })
		if err != nil {
			return err
		}
	}
	return nil
}

// String returns the number of shards. It does not describe the structures.
func (o Of[T]) String() string { return fmt.Sprintf("sharded.Of(%d shards)", len(o.shards)) }

// Format prints the result of [Of.String] for every verb and flag.
func (o Of[T]) Format(s fmt.State, _ rune) { fmt.Fprint(s, o.String()) }

// LogValue returns the result of [Of.String] for package log/slog.
func (o Of[T]) LogValue() slog.Value { return slog.StringValue(o.String()) }

// MarshalText returns an error that matches errors.ErrUnsupported, because
// shards have no text form: use [Of.WriteTo] to store them. Without this
// method, encoding/json would store {}.
func (o Of[T]) MarshalText() ([]byte, error) {
	return nil, fmt.Errorf("sharded: shards have no text form, use WriteTo: %w", errors.ErrUnsupported)
}

// Capacity returns the capacity that each of n shards needs when total distinct
// keys are distributed among them. The probability that any shard receives more
// keys is below 1e-6. For example, a million keys in 64 shards need a capacity
// of 16,374, which is 5% above the mean of 15,625. Since all copies of a key
// are in the same shard, use c*Capacity(total, n) if each key can have up to c
// copies. Capacity returns total if n is 1 or less.
//
// The number of keys in a shard has a binomial distribution with mean total/n
// and variance v = total/n * (1-1/n). By Bernstein's inequality (Boucheron,
// Lugosi and Massart, Concentration Inequalities, 2013, section 2.8), this
// number exceeds the mean by t or more with probability at most
//
//	exp(-t^2 / (2(v + t/3)))
//
// which is 10^-6/n for
//
//	L = ln(n * 10^6)  and  t = L/3 + sqrt((L/3)^2 + 2*L*v)
//
// The union bound covers all n shards.
func Capacity(total uint64, n int) uint64 {
	if n <= 1 {
		return total
	}
	shards := float64(n)
	mean := float64(total) / shards
	l := math.Log(shards * 1e6)
	most := mean + l/3 + math.Sqrt(l*l/9+2*l*mean*(1-1/shards))
	if most >= float64(total) {
		return total
	}
	return min(total, uint64(most))
}
