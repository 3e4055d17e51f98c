package journal

import (
	"io"
	"math"
	"time"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
)

// A Structure can be kept in a journal if, besides these methods, it has AddAll
// for digests, like a bloom.Filter. Deletions can be recorded if it has
// DeleteAll, like a counting.Filter, or RemoveDigest, like a countmin.Sketch.
// Times can be recorded if it has Advance, like a bloom.Rotating.
type Structure interface {
	io.WriterTo
	io.ReaderFrom
	Family() hashfam.Family
}

// The methods that repeat what was recorded.
type (
	adder    interface{ AddAll([]hashfam.Digest) }
	tryAdder interface {
		AddAll([]hashfam.Digest) (int, error)
	}
	deleter    interface{ DeleteAll([]hashfam.Digest) int }
	tryDeleter interface{ DeleteAll([]hashfam.Digest) error }
	remover    interface {
		RemoveDigest(hashfam.Digest, uint64) error
	}
	advancer interface{ Advance(time.Time) }
)

// ability returns an error if a structure has no method for op.
func ability(s any, op block.Op) error {
	if p, ok := s.(parts); ok {
		s = p.first()
	}
	switch s.(type) {
	case adder, tryAdder:
		if op == block.Add {
			return nil
		}
	}
	switch s.(type) {
	case deleter, remover:
		if op == block.Delete {
			return nil
		}
	}
	if _, ok := s.(advancer); ok && op == block.Advance {
		return nil
	}
	return unsupported(s, [...]string{block.Add: "AddAll", block.Delete: "DeleteAll", block.Advance: "Advance"}[op])
}

// batch is the largest number of digests that are passed to AddAll or
// DeleteAll.
const batch = 1 << 10

// apply repeats the recorded changes in words.
func (j *Journal) apply(words []uint64) error {
	digests := make([]hashfam.Digest, min(len(words), batch))
	return block.EachRun(words, errs, func(op block.Op, _ int, run []uint64) error {
		if err := j.able[op]; err != nil {
			return err
		}
		if op == block.Advance {
			for _, t := range run {
				j.of.(advancer).Advance(time.Unix(0, int64(t)))
			}
			return nil
		}
		for len(run) > 0 {
			n := min(len(run), batch)
			for i, w := range run[:n] {
				digests[i] = hashfam.Digest(w)
			}
			run = run[n:]
			if err := change(j.of, op, digests[:n]); err != nil {
				return err
			}
		}
		return nil
	})
}

// change adds or deletes digests. The structure must have a method for this.
func change(s any, op block.Op, digests []hashfam.Digest) error {
	if op == block.Delete {
		return deleteAll(s, digests)
	}
	if s, ok := s.(adder); ok {
		s.AddAll(digests)
		return nil
	}
	_, err := s.(tryAdder).AddAll(digests)
	return err
}

func deleteAll(s any, digests []hashfam.Digest) error {
	switch s := s.(type) {
	case deleter:
		s.DeleteAll(digests)
	case tryDeleter: // of Shards
		return s.DeleteAll(digests)
	case remover:
		for _, d := range digests {
			if err := s.RemoveDigest(d, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// nanoseconds returns a time in the form in which it is recorded, in
// nanoseconds since 1970. For a time that an int64 cannot hold, it returns the
// nearest int64, as bloom.Rotating does.
func nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}
