package countmin

import (
	"io"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind HeavyHitters or TopK, version 1. The
// payload is a tracker's payload; see internal/tracker/codec.go.
type singleParams struct {
	Threshold   uint64 // offset 0: Phi, as an IEEE 754 double, or K
	MemoryBytes uint64 // 8
}

// AppendBinary appends the encoded structure to dst, including the bytes of the
// tracked keys. It sorts these keys, which takes O(r log r) time for r keys.
// See Encoding in package [hashfam].
func (s *single) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, s.encode) }

// MarshalBinary is like AppendBinary with a nil dst.
func (s *single) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded structure to w. See Encoding in package [hashfam].
func (s *single) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, s.encode) }

// MarshalText returns the encoded structure in base64.
func (s single) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalBinary decodes data into h. The memory of a decoded structure is
// proportional to data and to the keys that are added later, whatever its Config
// is. See Encoding in package [hashfam].
func (h *HeavyHitters) UnmarshalBinary(data []byte) error {
	return h.decodeHeavy(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next HeavyHitters from r into h. See Encoding in package
// [hashfam].
func (h *HeavyHitters) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, h.decodeHeavy)
}

// UnmarshalText decodes a HeavyHitters' text form into h.
func (h *HeavyHitters) UnmarshalText(text []byte) error { return frame.UnmarshalText(h, text, errs) }

// UnmarshalBinary is like [HeavyHitters.UnmarshalBinary] for a TopK.
func (k *TopK) UnmarshalBinary(data []byte) error {
	return k.decodeTopK(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next TopK from r into k. See Encoding in package
// [hashfam].
func (k *TopK) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, k.decodeTopK) }

// UnmarshalText decodes a TopK's text form into k.
func (k *TopK) UnmarshalText(text []byte) error { return frame.UnmarshalText(k, text, errs) }

// encode returns the frame of s, or ErrParams if s is zero.
func (s *single) encode() (frame.Header, frame.Payload, error) {
	t := s.panes.Last
	if t == nil {
		return frame.Header{}, nil, errs.Field(ErrParams, "receiver", "zero", "a structure from a constructor or from decoding")
	}
	kind, what := frame.HeavyHitters, math.Float64bits(t.Phi)
	if t.K > 0 {
		kind, what = frame.TopK, uint64(t.K)
	}
	h := header(kind, s.family, singleParams{what, t.Memory}, t.PayloadWords())
	return h, frame.Words(t.Payload()), nil
}

func (s *single) decodeHeavy(r *frame.Reader) error { return s.decode(r, frame.HeavyHitters) }
func (s *single) decodeTopK(r *frame.Reader) error  { return s.decode(r, frame.TopK) }

// decode reads a structure of the given kind and finally, if there was no
// error, stores it in s.
func (s *single) decode(r *frame.Reader, kind frame.Kind) error {
	var g tracker.Goal
	words, err := read(r, kind, s.family, func(h frame.Header) (err error) {
		g, err = parseGoal(h)
		return err
	})
	if err != nil {
		return err
	}
	t, err := tracker.Decode(r, words, g, s.family)
	if err == nil {
		*s = newSingle(s.family, t)
	}
	return err
}

// parseGoal reads the parameters in a verified header.
func parseGoal(h frame.Header) (tracker.Goal, error) {
	var p singleParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return tracker.Goal{}, err
	}
	memory := intOf(p.MemoryBytes)
	if h.Kind == frame.HeavyHitters {
		return HeavyConfig{Phi: math.Float64frombits(p.Threshold), MemoryBytes: memory}.goal(ErrCorrupt)
	}
	return TopKConfig{K: intOf(p.Threshold), MemoryBytes: memory}.goal(ErrCorrupt)
}
