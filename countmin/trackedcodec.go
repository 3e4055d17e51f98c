package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind HeavyHitters or TopK, version 1:
//
//	offset  size  field
//	     0     8  Phi, an IEEE 754 double, or K
//	     8     8  MemoryBytes
//
// The payload is that of a tracker; see internal/tracker/codec.go.
const (
	singleVersion    = 1
	singleParamBytes = 16
)

// AppendBinary appends the encoded structure to dst and returns the extended
// slice. The encoding depends only on the Config and on what has been counted.
// It contains the family's check value but not its key; it does contain the
// bytes of the tracked keys. O(memory + r log r) time for r tracked keys.
// AppendBinary returns [ErrParams] if the structure is zero.
func (s *single) AppendBinary(dst []byte) ([]byte, error) {
	h, err := s.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, h, frame.Words(s.only().Payload())), nil
}

// MarshalBinary returns the encoded structure. It is AppendBinary with a nil
// dst.
func (s *single) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded structure to w, 64 KiB at a time, and returns the
// number of bytes written. It is like AppendBinary in time, and returns the
// error of w; what has been written then is incomplete.
func (s *single) WriteTo(w io.Writer) (int64, error) {
	h, err := s.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, h, frame.Words(s.only().Payload()))
}

// MarshalText returns the text form of the structure, the base64 of its
// encoding. It is like AppendBinary in time, memory and errors.
func (s single) MarshalText() ([]byte, error) { return textOf(s.MarshalBinary()) }

// header returns the header of the frame of s, or ErrParams if s is zero.
func (s *single) header() (frame.Header, error) {
	if s.only() == nil {
		return frame.Header{}, paramError("receiver", "zero", "a structure made by its constructor or by decoding")
	}
	g := s.goal()
	kind, what := frame.HeavyHitters, math.Float64bits(g.Phi)
	if g.K > 0 {
		kind, what = frame.TopK, uint64(g.K)
	}
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, singleParamBytes), what)
	return frame.Header{
		Kind:    kind,
		Version: singleVersion,
		Check:   s.family.CheckValue(),
		Params:  binary.LittleEndian.AppendUint64(params, uint64(g.Memory)),
		Payload: 8 * s.only().PayloadWords(),
	}, nil
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
	return readFrom(r, func(r *frame.Reader) error { return h.decode(r, frame.HeavyHitters) })
}

// ReadFrom reads one encoded TopK from r into k, as [HeavyHitters.ReadFrom]
// does.
func (k *TopK) ReadFrom(r io.Reader) (int64, error) {
	return readFrom(r, func(r *frame.Reader) error { return k.decode(r, frame.TopK) })
}

// UnmarshalText decodes a text form into h. It is like
// [HeavyHitters.UnmarshalBinary] in family, cost and errors.
func (h *HeavyHitters) UnmarshalText(text []byte) error { return fromText(text, h.UnmarshalBinary) }

// UnmarshalText decodes a text form into k. It is like [TopK.UnmarshalBinary]
// in family, cost and errors.
func (k *TopK) UnmarshalText(text []byte) error { return fromText(text, k.UnmarshalBinary) }

// decode reads a structure of that kind and replaces s by it at the end, if
// there was no error.
func (s *single) decode(r *frame.Reader, kind frame.Kind) error {
	h, g, err := readGoal(r, kind, s.family)
	if err != nil {
		return err
	}
	words := frame.Read[uint64](r, h.Payload/8)
	if err := r.Err(); err != nil {
		return err
	}
	t, err := tracker.Decode(r, words, g, s.family)
	if err != nil {
		return err
	}
	*s = newSingle(s.family, t)
	return nil
}

// readGoal reads the header of a structure of that kind and family, and returns
// what it is to find.
func readGoal(r *frame.Reader, kind frame.Kind, fam hashfam.Family) (frame.Header, tracker.Goal, error) {
	h := r.Header(kind, singleVersion, fam.CheckValue())
	if err := r.Err(); err != nil {
		return h, tracker.Goal{}, err
	}
	if len(h.Params) != singleParamBytes {
		return h, tracker.Goal{}, r.Corrupt("parameters", fmt.Sprintf("% x", h.Params), "16 bytes")
	}
	what, memory := binary.LittleEndian.Uint64(h.Params), binary.LittleEndian.Uint64(h.Params[8:])
	if memory > tracker.MaxMemory {
		return h, tracker.Goal{}, r.Corrupt("MemoryBytes", memory, fmt.Sprintf("at most %d", uint64(tracker.MaxMemory)))
	}
	if kind == frame.HeavyHitters {
		c := HeavyConfig{Phi: math.Float64frombits(what), MemoryBytes: int(memory)}
		return h, c.goal(), c.check(ErrCorrupt)
	}
	if what > tracker.MaxK {
		return h, tracker.Goal{}, r.Corrupt("K", what, fmt.Sprintf("1 to %d", tracker.MaxK))
	}
	c := TopKConfig{K: int(what), MemoryBytes: int(memory)}
	return h, c.goal(), c.check(ErrCorrupt)
}
