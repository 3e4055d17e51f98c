package cutrunner

import (
	"context"
	"errors"
	"math/rand/v2"
)

// A Point is a point at which an attempt to process a bundle may fail.
type Point int

// The points. A fault that an attempt does not reach, because it has fewer
// outputs or file operations, is a fault at Commit.
const (
	None    Point = iota // the attempt succeeds, unless the function returns an error
	Element              // instead of processing an element
	Output               // while an element is sent
	File                 // in a file operation that calls [FileOperation]
	Finish               // instead of FinishBundle
	Commit               // after FinishBundle
	Twin                 // as Commit, and the next attempt runs at the same time
	points
)

// A Fault makes an attempt fail at a point.
type Fault struct {
	Point Point
	After int // elements, outputs or file operations that still succeed
}

// An Attempt is an attempt to process a bundle.
type Attempt struct {
	Stage  int // number of the stage in the pipeline, from 0
	Bundle int // of the stage
	Try    int // of the bundle, from 0
	Size   int // elements in the bundle
}

// Random returns faults that are drawn using a seed. Up to two of three
// attempts at a bundle fail, at any point.
func Random(seed uint64) func(Attempt) Fault {
	return func(a Attempt) Fault {
		r := rand.New(rand.NewPCG(seed, uint64(a.Stage)<<32+uint64(a.Bundle)))
		if a.Try >= r.IntN(3) {
			return Fault{}
		}
		for range a.Try {
			r.Uint64()
		}
		f := Fault{Point: Element + Point(r.IntN(int(points-Element))), After: r.IntN(4)}
		if f.Point == Element {
			f.After = r.IntN(a.Size)
		}
		return f
	}
}

// errLost is the error of an attempt ended by a fault.
var errLost = errors.New("cutrunner: the worker is lost")

// attemptKey is the context key of the attempt.
type attemptKey struct{}

// FileOperation must be called by a test's file system for each operation, with
// the operation's context. It returns an error if the attempt must fail here.
// Otherwise, it splits the restriction that is being processed, if that is
// large enough.
func FileOperation(ctx context.Context) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return nil
	}
	if err := a.reach(File); err != nil {
		return err
	}
	return a.split(ctx)
}
