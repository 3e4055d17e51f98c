package conformance

import (
	"encoding"
	"fmt"
	"io"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
)

// A Structure has the methods that all structures have in common. T is the type
// itself, a pointer.
type Structure[T any] interface {
	comparable
	Family() hashfam.Family
	Equal(T) bool

	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	io.WriterTo
	io.ReaderFrom
	encoding.TextMarshaler
	encoding.TextUnmarshaler

	fmt.Stringer
	slog.LogValuer
}

// Methods that not all structures have. Those that take keys are in the files
// forms.go and questions.go.
type (
	cloner[T any] interface{ Clone() T }
	resetter      interface{ Reset() }
	merger[T any] interface{ Merge(others ...T) error }
)

// An Encoded declares what the suite cannot find out by itself about a
// structure of any kind. Fields that do not apply are nil.
type Encoded[T Structure[T]] struct {
	// Receiver returns a receiver to decode structures of the family into.
	Receiver func(hashfam.Family) T
	// ClaimHuge overwrites the parameters in a frame with those of a structure
	// of 2^40 bits, and returns the length of its payload in bytes.
	ClaimHuge func(params []byte) (payload uint64)
	// Golden has the files that all later versions must decode.
	Golden []Golden[T]

	// ReadParams reads the parameters in an encoded structure, see [Reader].
	ReadParams func(io.Reader, hashfam.Family) (any, error)
	// View returns a view of an encoded structure, see [Viewer].
	View func([]byte, hashfam.Family) (View[T], error)
	// Ask returns what answers from structures that are encoded under the
	// family.
	Ask func(hashfam.Family) Asker
	// Questions finds questions besides those of the suite, see [Estimates].
	Questions func(structure any, fam hashfam.Family) [][]form
	// Shown returns other values that contain the family, such as a Config.
	// They must not show its key.
	Shown func(hashfam.Family) []any
	// Writes has the names of methods without arguments, or with another
	// structure as the only one, that change the structure. Reset and Intersect
	// need not be named. All others are taken for reads.
	Writes []string
}

// A Golden is a file in testdata that all later versions must decode.
type Golden[T any] struct {
	File  string
	Build func() T // the structure that the file encodes
}

// A View is a read-only view of an encoded structure.
type View[T any] interface {
	Family() hashfam.Family
	Verify() error
	Decode() (T, error)
}

// Viewer returns open for [Encoded].View.
func Viewer[T any, V View[T]](open func([]byte, hashfam.Family) (V, error)) func([]byte, hashfam.Family) (View[T], error) {
	return func(data []byte, fam hashfam.Family) (View[T], error) { return open(data, fam) }
}

// Reader returns read for [Encoded].ReadParams.
func Reader[P any](read func(io.Reader, hashfam.Family) (P, error)) func(io.Reader, hashfam.Family) (any, error) {
	return func(r io.Reader, fam hashfam.Family) (any, error) { return read(r, fam) }
}
