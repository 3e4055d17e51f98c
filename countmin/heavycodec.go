package countmin

import (
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of version 1, whose kind is HeavyHitters if Phi is
// given, or TopK if K is. The payload is a tracker's; see
// internal/tracker/codec.go.
type heavyParams struct {
	Threshold   uint64 // offset 0: Phi, as an IEEE 754 double, or K
	MemoryBytes uint64 // 8
}

// AppendBinary appends the encoded structure to dst, including the bytes of the
// tracked keys. It sorts these keys, which takes O(r log r) time for r keys.
// See Encoding in package [hashfam].
func (h *HeavyHitters) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, h.encode)
}

// MarshalBinary is like AppendBinary with a nil dst.
func (h *HeavyHitters) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// WriteTo writes the encoded structure to w. See Encoding in package [hashfam].
func (h *HeavyHitters) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, h.encode) }

// MarshalText returns the encoded structure in base64.
func (h HeavyHitters) MarshalText() ([]byte, error) { return frame.MarshalText(&h) }

// UnmarshalBinary decodes data into h. See Encoding in package [hashfam]. If
// you need Phi or K, check Config, because data can have been encoded with
// either. A decoded structure uses memory in proportion to data and to the keys
// that are added later, whatever its Config is.
func (h *HeavyHitters) UnmarshalBinary(data []byte) error {
	return h.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next HeavyHitters from r into h. See Encoding in package
// [hashfam].
func (h *HeavyHitters) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, h.decode)
}

// UnmarshalText decodes a HeavyHitters' text form into h.
func (h *HeavyHitters) UnmarshalText(text []byte) error { return frame.UnmarshalText(h, text, errs) }

// encode returns the frame of h, or ErrParams if h is zero.
func (h *HeavyHitters) encode() (frame.Header, frame.Payload, error) {
	t := h.panes.Last
	if t == nil {
		return frame.Header{}, nil, errs.Field(hashfam.ErrParams, "receiver", "zero", "a structure from a constructor or from decoding")
	}
	kind, what := frame.HeavyHitters, math.Float64bits(t.Phi)
	if t.K > 0 {
		kind, what = frame.TopK, uint64(t.K)
	}
	return header(kind, h.family, heavyParams{what, t.Memory}, t.PayloadBytes()), t.Payload(), nil
}

// decode reads a structure and finally, if there was no error, stores it in h.
func (h *HeavyHitters) decode(r *frame.Reader) error {
	var g tracker.Goal
	data, err := read(r, h.family, func(fixed frame.Header) (err error) {
		g, err = parseGoal(fixed)
		return err
	}, frame.HeavyHitters, frame.TopK)
	if err != nil {
		return err
	}
	t, err := tracker.Decode(r, data, g, h.family)
	if err == nil {
		*h = *onePane(h.family, t)
	}
	return err
}

// parseGoal reads the parameters in a verified header.
func parseGoal(h frame.Header) (tracker.Goal, error) {
	var p heavyParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return tracker.Goal{}, err
	}
	c := HeavyConfig{MemoryBytes: intOf(p.MemoryBytes)}
	if h.Kind == frame.TopK {
		c.K = intOf(p.Threshold)
		if c.K == 0 {
			return tracker.Goal{}, errs.Field(hashfam.ErrCorrupt, "HeavyConfig.K", c.K, fmt.Sprintf("1 to %d", tracker.MaxK))
		}
	} else {
		c.Phi = math.Float64frombits(p.Threshold)
	}
	return c.goal(hashfam.ErrCorrupt)
}
