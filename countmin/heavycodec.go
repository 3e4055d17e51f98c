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
	heavyVersion    = 1
	heavyParamBytes = 16
)

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
	return frame.Append(dst, head, frame.Words(h.tracker.Payload())), nil
}

// MarshalBinary returns the encoded h. It is [HeavyHitters.AppendBinary] with a
// nil dst.
func (h *HeavyHitters) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// WriteTo writes the encoded heavy hitters to w, 64 KiB at a time, and returns
// the number of bytes written. It is like [HeavyHitters.AppendBinary] in time,
// and returns the error of w; what has been written then is incomplete.
func (h *HeavyHitters) WriteTo(w io.Writer) (int64, error) {
	head, err := h.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, head, frame.Words(h.tracker.Payload()))
}

// UnmarshalBinary decodes data into h, under the family that h already has:
// that of one in use, the one given to [NewHeavyReceiver], or for a zero
// HeavyHitters the public one. O(len(data)) time and memory; data is not kept.
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if it was encoded by a later version, and [ErrFamily] if under
// another family; h is then unchanged.
func (h *HeavyHitters) UnmarshalBinary(data []byte) error {
	return h.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded HeavyHitters from r into h, and not one byte more.
// It takes memory in proportion to what has arrived; the rest of MemoryBytes is
// allocated when it is first needed. It is like [HeavyHitters.UnmarshalBinary]
// in family, cost and errors. At the end of the stream the error is also
// io.EOF, by errors.Is; an error of r is passed on.
func (h *HeavyHitters) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := h.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of h to dst: the base64 of its encoding. It
// is like [HeavyHitters.AppendBinary] in time, memory and errors.
func (h *HeavyHitters) AppendText(dst []byte) ([]byte, error) {
	encoded, err := h.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of h. It is [HeavyHitters.AppendText] with
// a nil dst.
func (h *HeavyHitters) MarshalText() ([]byte, error) { return h.AppendText(nil) }

// MarshalJSON returns the text form of h as a JSON string. It is like
// [HeavyHitters.AppendBinary] in time and errors. Its receiver is a value so
// that a HeavyHitters that is a value in a struct is encoded, too.
func (h HeavyHitters) MarshalJSON() ([]byte, error) { return frame.JSON(h.AppendBinary(nil)) }

// UnmarshalText decodes a text form into h. It is like
// [HeavyHitters.UnmarshalBinary] in family, cost and errors.
func (h *HeavyHitters) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return h.UnmarshalBinary(encoded)
}

// ReadHeavyParams reads the header of encoded heavy hitters from r, and no
// more, and returns their configuration. The errors are those of
// [HeavyHitters.ReadFrom]. O(1) time and memory.
func ReadHeavyParams(r io.Reader, fam hashfam.Family) (HeavyConfig, error) {
	_, c, err := readHeavy(frame.NewReader(r, errs), fam)
	return c, err
}

// NewHeavyReceiver returns an empty HeavyHitters to decode into. It accepts
// encodings made under fam. O(1) time.
func NewHeavyReceiver(fam hashfam.Family) *HeavyHitters {
	return &HeavyHitters{family: fam}
}

func (h *HeavyHitters) header() (frame.Header, error) {
	if h == nil {
		return frame.Header{}, errs.Nil()
	}
	c := h.Params()
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, err
	}
	return trackerHeader(frame.HeavyHitters, math.Float64bits(c.Phi), c.Family, &h.tracker), nil
}

func (h *HeavyHitters) decode(r *frame.Reader) error {
	if h == nil {
		return errs.Nil()
	}
	head, c, err := readHeavy(r, h.family)
	if err != nil {
		return err
	}
	t, err := tracker.Decode(r, head, c.goal(), c.Family)
	if err != nil {
		return err
	}
	*h = HeavyHitters{c.Family, t}
	return nil
}

// readHeavy reads the header of heavy hitters of the family.
func readHeavy(r *frame.Reader, fam hashfam.Family) (frame.Header, HeavyConfig, error) {
	head, what, memory, err := readTracked(r, frame.HeavyHitters, fam)
	if err != nil {
		return frame.Header{}, HeavyConfig{}, err
	}
	c := HeavyConfig{Phi: math.Float64frombits(what), MemoryBytes: memory, Family: fam}
	return head, c, c.check(ErrCorrupt)
}

// AppendBinary appends the encoded top k to dst and returns the extended slice,
// as [HeavyHitters.AppendBinary] does and in its time. It returns [ErrParams]
// if k is a zero TopK, which cannot be encoded.
func (k *TopK) AppendBinary(dst []byte) ([]byte, error) {
	head, err := k.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, head, frame.Words(k.tracker.Payload())), nil
}

// MarshalBinary returns the encoded k. It is [TopK.AppendBinary] with a nil
// dst.
func (k *TopK) MarshalBinary() ([]byte, error) { return k.AppendBinary(nil) }

// WriteTo writes the encoded top k to w. It is like [HeavyHitters.WriteTo].
func (k *TopK) WriteTo(w io.Writer) (int64, error) {
	head, err := k.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, head, frame.Words(k.tracker.Payload()))
}

// UnmarshalBinary decodes data into k. It is like
// [HeavyHitters.UnmarshalBinary]; [NewTopKReceiver] makes a k with a family.
func (k *TopK) UnmarshalBinary(data []byte) error { return k.decode(frame.NewBytesReader(data, errs)) }

// ReadFrom reads one encoded TopK from r into k. It is like
// [HeavyHitters.ReadFrom].
func (k *TopK) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := k.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of k to dst: the base64 of its encoding. It
// is like [TopK.AppendBinary] in time, memory and errors.
func (k *TopK) AppendText(dst []byte) ([]byte, error) {
	encoded, err := k.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of k. It is [TopK.AppendText] with a nil
// dst.
func (k *TopK) MarshalText() ([]byte, error) { return k.AppendText(nil) }

// MarshalJSON returns the text form of k as a JSON string. It is like
// [TopK.AppendBinary] in time and errors. Its receiver is a value so that a
// TopK that is a value in a struct is encoded, too.
func (k TopK) MarshalJSON() ([]byte, error) { return frame.JSON(k.AppendBinary(nil)) }

// UnmarshalText decodes a text form into k. It is like
// [TopK.UnmarshalBinary] in family, cost and errors.
func (k *TopK) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return k.UnmarshalBinary(encoded)
}

// ReadTopKParams is [ReadHeavyParams] for a top k.
func ReadTopKParams(r io.Reader, fam hashfam.Family) (TopKConfig, error) {
	_, c, err := readTopK(frame.NewReader(r, errs), fam)
	return c, err
}

// NewTopKReceiver returns an empty TopK to decode into. It accepts encodings
// made under fam. O(1) time.
func NewTopKReceiver(fam hashfam.Family) *TopK { return &TopK{family: fam} }

func (k *TopK) header() (frame.Header, error) {
	if k == nil {
		return frame.Header{}, errs.Nil()
	}
	c := k.Params()
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, err
	}
	return trackerHeader(frame.TopK, uint64(c.K), c.Family, &k.tracker), nil
}

func (k *TopK) decode(r *frame.Reader) error {
	if k == nil {
		return errs.Nil()
	}
	head, c, err := readTopK(r, k.family)
	if err != nil {
		return err
	}
	t, err := tracker.Decode(r, head, c.goal(), c.Family)
	if err != nil {
		return err
	}
	*k = TopK{c.Family, t}
	return nil
}

// readTopK reads the header of a top k of the family.
func readTopK(r *frame.Reader, fam hashfam.Family) (frame.Header, TopKConfig, error) {
	head, what, memory, err := readTracked(r, frame.TopK, fam)
	if err != nil {
		return frame.Header{}, TopKConfig{}, err
	}
	if what > tracker.MaxK {
		return frame.Header{}, TopKConfig{}, r.Corrupt("K", what, fmt.Sprintf("1 to %d", tracker.MaxK))
	}
	c := TopKConfig{K: int(what), MemoryBytes: memory, Family: fam}
	return head, c, c.check(ErrCorrupt)
}

// trackerHeader returns the header of the frame of a structure around t.
func trackerHeader(kind frame.Kind, what uint64, fam hashfam.Family, t *tracker.Tracker) frame.Header {
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, heavyParamBytes), what)
	params = binary.LittleEndian.AppendUint64(params, uint64(t.Memory))
	return frame.Header{
		Kind:    kind,
		Version: heavyVersion,
		Check:   fam.CheckValue(),
		Params:  params,
		Payload: 8 * t.PayloadWords(),
	}
}

// readTracked reads the header of a structure around a tracker: Phi or K, and
// MemoryBytes.
func readTracked(r *frame.Reader, kind frame.Kind, fam hashfam.Family) (h frame.Header, what uint64, memory int, err error) {
	h = r.Header(kind, heavyVersion, fam.CheckValue())
	if err := r.Err(); err != nil {
		return h, 0, 0, err
	}
	if len(h.Params) != heavyParamBytes {
		return h, 0, 0, r.Corrupt("parameters", fmt.Sprintf("% x", h.Params), "16 bytes")
	}
	bytes := binary.LittleEndian.Uint64(h.Params[8:])
	if bytes > tracker.MaxMemory {
		return h, 0, 0, r.Corrupt("MemoryBytes", bytes, fmt.Sprintf("at most %d", uint64(tracker.MaxMemory)))
	}
	return h, binary.LittleEndian.Uint64(h.Params), int(bytes), nil
}
