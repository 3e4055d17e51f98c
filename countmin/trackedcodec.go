package countmin

import (
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind HeavyHitters or TopK, version 1. The
// payload is that of a tracker; see internal/tracker/codec.go.
type singleParams struct {
	Threshold   uint64 // offset 0: Phi, the bits of an IEEE 754 double, or K
	MemoryBytes uint64 // 8
}

// A singleHeader is what a header tells: what to find, and the number of words
// of the payload.
type singleHeader struct {
	tracker.Goal
	words uint64
}

// singleFormat returns the format of a kind.
func singleFormat(kind frame.Kind) frame.Format[singleHeader, uint64] {
	return frame.Format[singleHeader, uint64]{
		Kind: kind, Version: 1, Errs: errs, Parse: parseGoal,
		Len: func(h singleHeader) uint64 { return h.words },
	}
}

// AppendBinary appends the encoded structure to dst and returns the extended
// slice. The encoding depends only on the Config and on what has been counted.
// It contains the family's check value but not its key; it does contain the
// bytes of the tracked keys. O(memory + r log r) time for r tracked keys.
// AppendBinary returns [ErrParams] if the structure is zero.
func (s *single) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, s.encode)
}

// MarshalBinary returns the encoded structure. It is AppendBinary with a nil
// dst.
func (s *single) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded structure to w, 64 KiB at a time, and returns the
// number of bytes written. It is like AppendBinary in time, and returns the
// error of w; what has been written then is incomplete.
func (s *single) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, s.encode) }

// MarshalText returns the text form of the structure, the base64 of its
// encoding. It is like AppendBinary in time, memory and errors.
func (s single) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// encode returns the frame of s, or ErrParams if s is zero.
func (s *single) encode() (frame.Header, frame.Payload, error) {
	if s.only() == nil {
		return frame.Header{}, nil, paramError("receiver", "zero", "a structure made by its constructor or by decoding")
	}
	g := s.goal()
	kind, what := frame.HeavyHitters, math.Float64bits(g.Phi)
	if g.K > 0 {
		kind, what = frame.TopK, uint64(g.K)
	}
	h := singleFormat(kind).New(s.family, singleParams{what, uint64(g.Memory)}, 8*s.only().PayloadWords())
	return h, frame.Words(s.only().Payload()), nil
}

// UnmarshalBinary decodes data into h, under the family that h already has:
// that of one in use, the one given to [NewHeavyReceiver], or for a zero
// HeavyHitters the public one. O(len(data)) time and memory; data is not kept.
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if it was encoded by a later version, and [ErrFamily] if under
// another family; h is then unchanged.
func (h *HeavyHitters) UnmarshalBinary(data []byte) error {
	return h.decode(frame.NewBytesReader(data, errs), frame.HeavyHitters)
}

// UnmarshalBinary decodes data into k, as [HeavyHitters.UnmarshalBinary] does;
// [NewTopKReceiver] makes a k with a family.
func (k *TopK) UnmarshalBinary(data []byte) error {
	return k.decode(frame.NewBytesReader(data, errs), frame.TopK)
}

// ReadFrom reads one encoded HeavyHitters from r into h, and not one byte more.
// It takes memory in proportion to what has arrived; the rest of MemoryBytes is
// allocated when it is first needed. It is like [HeavyHitters.UnmarshalBinary]
// in family, cost and errors. At the end of the stream the error is also
// io.EOF, by errors.Is; an error of r is passed on.
func (h *HeavyHitters) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, func(r *frame.Reader) error { return h.decode(r, frame.HeavyHitters) })
}

// ReadFrom reads one encoded TopK from r into k, as [HeavyHitters.ReadFrom]
// does.
func (k *TopK) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, func(r *frame.Reader) error { return k.decode(r, frame.TopK) })
}

// UnmarshalText decodes a text form into h. It is like
// [HeavyHitters.UnmarshalBinary] in family, cost and errors.
func (h *HeavyHitters) UnmarshalText(text []byte) error { return frame.UnmarshalText(h, text, errs) }

// UnmarshalText decodes a text form into k. It is like [TopK.UnmarshalBinary]
// in family, cost and errors.
func (k *TopK) UnmarshalText(text []byte) error { return frame.UnmarshalText(k, text, errs) }

// decode reads a structure of that kind and replaces s by it at the end, if
// there was no error.
func (s *single) decode(r *frame.Reader, kind frame.Kind) error {
	h, words, err := singleFormat(kind).Read(r, s.family)
	if err != nil {
		return err
	}
	t, err := tracker.Decode(r, words, h.Goal, s.family)
	if err != nil {
		return err
	}
	*s = newSingle(s.family, t)
	return nil
}

// parseGoal reads the parameters of a verified header.
func parseGoal(h frame.Header, _ hashfam.Family) (singleHeader, error) {
	var p singleParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return singleHeader{}, err
	}
	if p.MemoryBytes > tracker.MaxMemory {
		return singleHeader{}, errs.Field(ErrCorrupt, "MemoryBytes", p.MemoryBytes, fmt.Sprintf("at most %d", uint64(tracker.MaxMemory)))
	}
	if h.Kind == frame.HeavyHitters {
		c := HeavyConfig{Phi: math.Float64frombits(p.Threshold), MemoryBytes: int(p.MemoryBytes)}
		return singleHeader{c.goal(), h.Payload / 8}, c.check(ErrCorrupt)
	}
	if p.Threshold > tracker.MaxK {
		return singleHeader{}, errs.Field(ErrCorrupt, "K", p.Threshold, fmt.Sprintf("1 to %d", tracker.MaxK))
	}
	c := TopKConfig{K: int(p.Threshold), MemoryBytes: int(p.MemoryBytes)}
	return singleHeader{c.goal(), h.Payload / 8}, c.check(ErrCorrupt)
}
