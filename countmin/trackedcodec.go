package countmin

import (
	"io"
	"math"

	"github.com/filterfam/filterfam/internal/frame"
)

// AppendBinary appends the encoded structure to dst, including the bytes of the
// tracked keys. It sorts these keys, which takes O(r log r) time for r keys.
// See Encoding in package [hashfam].
func (t *tracked[S]) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, t.encode)
}

// MarshalBinary is like AppendBinary with a nil dst.
func (t *tracked[S]) MarshalBinary() ([]byte, error) { return t.AppendBinary(nil) }

// WriteTo writes the encoded structure to w. See Encoding in package [hashfam].
func (t *tracked[S]) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, t.encode) }

// MarshalText returns the encoded structure in base64.
func (t tracked[S]) MarshalText() ([]byte, error) { return frame.MarshalText(&t) }

// UnmarshalBinary decodes data into the structure. See Encoding in package
// [hashfam]. Check Config after decoding, because data can contain any
// configuration, for example with K instead of Phi. A decoded structure uses
// memory in proportion to data and to the keys that are added later, whatever
// its Config is.
func (t *tracked[S]) UnmarshalBinary(data []byte) error {
	return t.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next structure from r. See Encoding in package
// [hashfam].
func (t *tracked[S]) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := t.decode(fr)
	return fr.Bytes(), err
}

// UnmarshalText decodes the text form of a structure.
func (t *tracked[S]) UnmarshalText(text []byte) error { return frame.UnmarshalText(t, text, errs) }

// encode returns the frame of t, or ErrParams if t is zero.
func (t *tracked[S]) encode() (frame.Header, frame.Payload, error) {
	return t.scope.encode(t.family, &t.panes)
}

// decode reads a structure and finally, if there was no error, stores it in t.
func (t *tracked[S]) decode(r *frame.Reader) error {
	scope, panes, err := t.scope.decode(r, t.family)
	if err == nil {
		*t = tracked[S]{scope, t.family, panes}
	}
	return err
}

// intOf returns n, or the largest int if n does not fit. No field may have this
// value.
func intOf(n uint64) int { return int(min(n, math.MaxInt)) }
