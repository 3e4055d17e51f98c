package cutrunner

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
)

// A Point is one at which an attempt to process a bundle may fail.
type Point int

// The points. A failure after the last output or file operation of an attempt
// is one at Commit.
const (
	None    Point = iota // the attempt succeeds, unless the function returns an error
	Start                // before StartBundle
	Element              // instead of processing an element
	Output               // while an element is sent
	File                 // in an operation on a file that calls [FileOperation]
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

// An Attempt is one to process a bundle.
type Attempt struct {
	Stage  string // name of the function
	Number int    // of the stage in the pipeline, from 0 on
	Bundle int    // of the stage
	Try    int    // of the bundle, from 0 on
	Size   int    // elements of the bundle
}

// Random returns faults that are drawn with a seed: of three attempts at a
// bundle up to two fail, at any point.
func Random(seed uint64) func(Attempt) Fault {
	return func(a Attempt) Fault {
		h := fnv.New64a()
		h.Write([]byte(a.Stage))
		r := rand.New(rand.NewPCG(seed, h.Sum64()+uint64(a.Number)<<32+uint64(a.Bundle)))
		if a.Try >= r.IntN(3) {
			return Fault{}
		}
		for range a.Try {
			r.Uint64()
		}
		f := Fault{Point: Start + Point(r.IntN(int(points-Start)))}
		f.After = r.IntN(4)
		if f.Point == Element {
			f.After = r.IntN(a.Size)
		}
		return f
	}
}

// errLost is the error of an attempt that a fault has ended.
var errLost = errors.New("cutrunner: the worker is lost")

// attemptKey is the key of the attempt in a context.
type attemptKey struct{}

// FileOperation is to be called by the file system of a test for each
// operation, with the context that it got. It returns an error if the attempt
// fails here. It may also split the restriction that is being processed.
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
