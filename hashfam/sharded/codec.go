package sharded

import (
	"errors"
	"fmt"
	"io"
)

// WriteTo writes the frames of all shards in order, so an Of can be stored with
// [hashfam.WriteFile]; [Read] reads them. Since WriteTo locks one shard at a
// time, prevent concurrent changes if the frames should be consistent.
//
// It returns an error that matches errors.ErrUnsupported if T has no WriteTo
// method, [hashfam.ErrParams] for a zero Of or a nil w, and the first error of
// a shard or of w.
func (o *Of[T]) WriteTo(w io.Writer) (n int64, err error) {
	if len(o.shards) == 0 {
		return 0, paramError("receiver", "zero", "an Of made with New or Read")
	}
	if w == nil {
		return 0, paramError("w", nil, "a writer")
	}
	err = o.Each(func(i int, value T) error {
		from, ok := any(value).(io.WriterTo)
		if !ok {
			return inShard(i, unsupported(value, "WriteTo(io.Writer) (int64, error)"))
		}
		written, err := from.WriteTo(w)
		n += written
		return inShard(i, err)
	})
	return n, err
}

// Read returns an Of with n shards that [Of.WriteTo] has written. It calls
// create for each shard from 0 to n-1 and decodes a frame into the result,
// which must be a receiver of the right family, for example from NewReceiver.
// Read reads r until its end, so nothing else can follow.
//
// Read returns [hashfam.ErrParams] if r is nil or n is not the number of shards
// in r, and an error that matches errors.ErrUnsupported if T has no ReadFrom
// method. It also returns the errors of [New] and the first error of a shard or
// of r.
func Read[T any](r io.Reader, n int, create func(shard int) (T, error)) (*Of[T], error) {
	if r == nil {
		return nil, paramError("r", nil, "a reader")
	}
	o, err := New(n, create)
	if err != nil {
		return nil, err
	}
	for i := range o.shards {
		err := readShard(r, o.shards[i].value)
		if errors.Is(err, io.EOF) {
			return nil, wrongNumber(n, fmt.Sprint(i))
		}
		if err != nil {
			return nil, inShard(i, err)
		}
	}
	next := make([]byte, 1)
	_, err = io.ReadFull(r, next)
	if err == io.EOF {
		return o, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, wrongNumber(n, "more")
}

// readShard decodes a frame into a shard. If there is none, its error matches
// io.EOF.
func readShard(r io.Reader, value any) error {
	to, ok := value.(io.ReaderFrom)
	if !ok {
		return unsupported(value, "ReadFrom(io.Reader) (int64, error)")
	}
	n, err := to.ReadFrom(r)
	if n == 0 && err == nil {
		return io.EOF
	}
	return err
}

func wrongNumber(n int, found string) error {
	return paramError("n", n, found+", the number of shards that were written")
}

func unsupported(value any, method string) error {
	return fmt.Errorf("%T has no method %s: %w", value, method, errors.ErrUnsupported)
}

// inShard returns err with the number of a shard, or nil.
func inShard(i int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sharded: shard %d: %w", i, err)
}
