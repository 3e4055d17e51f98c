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
const heavyVersion = 1

// AppendBinary appends the encoded heavy hitters to dst and returns the
// extended slice. The encoding depends only on the Params and on what has been
// counted. It holds the family's check value but not its key; it does hold the
// bytes of the tracked keys. O(memory + r log r) time for r tracked keys.
// AppendBinary returns [ErrParams] if h is a zero HeavyHitters, which cannot be
// encoded.
func (h *HeavyHitters) AppendBinary(dst []byte) ([]byte, error) {
	head, err := h.header()
	if err != nil {
		return dst, err
	}
	return frame.AppendSeq(dst, head, h.tracker.Payload()), nil
}

// MarshalBinary returns the encoded heavy hitters: [HeavyHitters.AppendBinary]
// to nil.
func (h *HeavyHitters) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// WriteTo writes the encoded heavy hitters to w, 64 KiB at a time, and returns
// how many bytes it has written. It takes the time of
// [HeavyHitters.AppendBinary] and returns the writer's error; what has been
// written by then is incomplete.
func (h *HeavyHitters) WriteTo(w io.Writer) (int64, error) {
	head, err := h.header()
	if err != nil {
		return 0, err
	}
	return frame.WriteSeq(w, head, h.tracker.Payload())
}

// UnmarshalBinary decodes data into h, under the family that h already has: that
// of one in use, the one given to [NewHeavyReceiver], or for a zero HeavyHitters
// the public one. O(len(data)) time and memory; data is not kept. It returns
// [ErrCorrupt] if data is damaged, too short or too long, [ErrVersion] if it was
// encoded by a later version, and [ErrFamily] if under another family; h is then
// unchanged.
func (h *HeavyHitters) UnmarshalBinary(data []byte) error {
	return h.decode(frame.NewBytesReader(data))
}

// ReadFrom reads one encoded HeavyHitters from r into h, and not a byte more. It
// takes memory in proportion to what has arrived; the rest of MemoryBytes is
// allocated when it is first needed. Family, cost and errors are those of
// [HeavyHitters.UnmarshalBinary]; at the end of the stream the error is io.EOF
// too (by errors.Is), and an error of the reader is passed on.
func (h *HeavyHitters) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r)
	err := h.decode(fr)
	return fr.N(), err
}

// NewHeavyReceiver returns an empty HeavyHitters to decode into. It accepts
// encodings made under fam. O(1) time.
func NewHeavyReceiver(fam hashfam.Family) *HeavyHitters {
	return &HeavyHitters{family: fam}
}

func (h *HeavyHitters) header() (frame.Header, error) {
	c := h.Params()
	if err := c.check(); err != nil {
		return frame.Header{}, err
	}
	return trackerHeader(frame.HeavyHitters, math.Float64bits(c.Phi), c.Family, &h.tracker), nil
}

func (h *HeavyHitters) decode(r *frame.Reader) error {
	fam := h.family
	head := r.Header(frame.HeavyHitters, heavyVersion, fam.CheckValue())
	what, memory, err := parsePair(r, head)
	if err != nil {
		return err
	}
	c := HeavyConfig{Phi: math.Float64frombits(what), MemoryBytes: memory, Family: fam}
	if err := c.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	t, err := tracker.Decode(r, head, c.goal(), fam)
	if err != nil {
		return err
	}
	*h = HeavyHitters{fam, t}
	return nil
}

// AppendBinary appends the encoded top k to dst and returns the extended slice,
// as [HeavyHitters.AppendBinary] does and in its time. It returns [ErrParams] if
// k is a zero TopK, which cannot be encoded.
func (k *TopK) AppendBinary(dst []byte) ([]byte, error) {
	head, err := k.header()
	if err != nil {
		return dst, err
	}
	return frame.AppendSeq(dst, head, k.tracker.Payload()), nil
}

// MarshalBinary returns the encoded top k: [TopK.AppendBinary] to nil.
func (k *TopK) MarshalBinary() ([]byte, error) { return k.AppendBinary(nil) }

// WriteTo writes the encoded top k to w, as [HeavyHitters.WriteTo] does.
func (k *TopK) WriteTo(w io.Writer) (int64, error) {
	head, err := k.header()
	if err != nil {
		return 0, err
	}
	return frame.WriteSeq(w, head, k.tracker.Payload())
}

// UnmarshalBinary decodes data into k, with the family, cost and errors of
// [HeavyHitters.UnmarshalBinary]; [NewTopKReceiver] makes a k with a family.
func (k *TopK) UnmarshalBinary(data []byte) error { return k.decode(frame.NewBytesReader(data)) }

// ReadFrom reads one encoded TopK from r into k, as [HeavyHitters.ReadFrom]
// does.
func (k *TopK) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r)
	err := k.decode(fr)
	return fr.N(), err
}

// NewTopKReceiver returns an empty TopK to decode into. It accepts encodings made
// under fam. O(1) time.
func NewTopKReceiver(fam hashfam.Family) *TopK { return &TopK{family: fam} }

func (k *TopK) header() (frame.Header, error) {
	c := k.Params()
	if err := c.check(); err != nil {
		return frame.Header{}, err
	}
	return trackerHeader(frame.TopK, uint64(c.K), c.Family, &k.tracker), nil
}

func (k *TopK) decode(r *frame.Reader) error {
	fam := k.family
	head := r.Header(frame.TopK, heavyVersion, fam.CheckValue())
	what, memory, err := parsePair(r, head)
	if err != nil {
		return err
	}
	if what > tracker.MaxK {
		return r.Corrupt("K", what, fmt.Sprintf("1 to %d", tracker.MaxK))
	}
	c := TopKConfig{K: int(what), MemoryBytes: memory, Family: fam}
	if err := c.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	t, err := tracker.Decode(r, head, c.goal(), fam)
	if err != nil {
		return err
	}
	*k = TopK{fam, t}
	return nil
}

// trackerHeader returns the header of the frame of a structure around t.
func trackerHeader(kind frame.Kind, what uint64, fam hashfam.Family, t *tracker.Tracker) frame.Header {
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, paramBytes), what)
	params = binary.LittleEndian.AppendUint64(params, uint64(t.Memory))
	return frame.Header{
		Kind:    kind,
		Version: heavyVersion,
		Check:   fam.CheckValue(),
		Params:  params,
		Payload: 8 * t.PayloadWords(),
	}
}

// parsePair reads the parameters of a verified header.
func parsePair(r *frame.Reader, h frame.Header) (what uint64, memory int, err error) {
	if err := r.Err(); err != nil {
		return 0, 0, err
	}
	if len(h.Params) != paramBytes {
		return 0, 0, r.Corrupt("parameters", h.Params, "16 bytes")
	}
	bytes := binary.LittleEndian.Uint64(h.Params[8:])
	if bytes > tracker.MaxMemory {
		return 0, 0, r.Corrupt("MemoryBytes", bytes, fmt.Sprintf("at most %d", uint64(tracker.MaxMemory)))
	}
	return binary.LittleEndian.Uint64(h.Params), int(bytes), nil
}
