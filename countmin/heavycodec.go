package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind HeavyHitters or TopK, version 1:
//
//	offset  size  field
//	     0     8  Phi, an IEEE 754 double, or K
//	     8     8  MemoryBytes
//
// The payload is that of a tracker; see trackercodec.go.
const heavyVersion = 1

// AppendBinary appends the encoded heavy hitters to dst and returns the
// extended slice. The encoding depends on nothing but the Params and what has
// been counted, and it holds the family's check value but not its key. It does
// hold the bytes of the tracked keys. The zero HeavyHitters has no encoding: it
// is an [ErrParams].
func (h *HeavyHitters) AppendBinary(dst []byte) ([]byte, error) {
	head, err := h.header()
	if err != nil {
		return dst, err
	}
	return frame.AppendSeq(dst, head, h.payload()), nil
}

// MarshalBinary returns the encoded heavy hitters: [HeavyHitters.AppendBinary]
// to nil.
func (h *HeavyHitters) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// WriteTo writes the encoded heavy hitters to w, 64 KiB at a time, and returns
// how many bytes that were. Its error is the writer's; what has been written by
// then is nothing whole.
func (h *HeavyHitters) WriteTo(w io.Writer) (int64, error) {
	head, err := h.header()
	if err != nil {
		return 0, err
	}
	return frame.WriteSeq(w, head, h.payload())
}

// UnmarshalBinary makes h what data encodes. It decodes under the family that
// h already has: that of one in use, the one given to [NewHeavyReceiver], or
// for a zero HeavyHitters the public one. Damaged, short or overlong data is an
// [ErrCorrupt], the encoding of a later version an [ErrVersion], one under
// another family an [ErrFamily]; h is then unchanged. data is not kept.
func (h *HeavyHitters) UnmarshalBinary(data []byte) error {
	return h.decode(frame.NewBytesReader(data))
}

// ReadFrom makes h what r stands at. It reads exactly its bytes, and takes
// memory in proportion to what has arrived; the rest of MemoryBytes when it is
// first needed. Family and errors are those of [HeavyHitters.UnmarshalBinary];
// at the end of the stream the error is io.EOF too (by errors.Is), and an error
// of the reader is passed on.
func (h *HeavyHitters) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r)
	err := h.decode(fr)
	return fr.N(), err
}

// NewHeavyReceiver returns what is good for one thing: to decode into it what
// was encoded under fam.
func NewHeavyReceiver(fam hashfam.Family) *HeavyHitters {
	return &HeavyHitters{config: HeavyConfig{Family: fam}}
}

func (h *HeavyHitters) header() (frame.Header, error) {
	c := h.config
	if err := c.check(); err != nil {
		return frame.Header{}, err
	}
	return h.frameHeader(frame.HeavyHitters, math.Float64bits(c.Phi), c.MemoryBytes, c.Family), nil
}

func (h *HeavyHitters) decode(r *frame.Reader) error {
	fam := h.config.Family
	head := r.Header(frame.HeavyHitters, heavyVersion, fam.CheckValue())
	what, memory, err := parsePair(r, head)
	if err != nil {
		return err
	}
	c := HeavyConfig{Phi: math.Float64frombits(what), MemoryBytes: memory, Family: fam}
	if err := c.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	t, err := decodeTracker(r, head, c.plan(), fam)
	if err != nil {
		return err
	}
	*h = HeavyHitters{config: c, tracker: t}
	return nil
}

// AppendBinary appends the encoded top k to dst and returns the extended slice,
// as [HeavyHitters.AppendBinary] does. The zero TopK has no encoding: it is an
// [ErrParams].
func (k *TopK) AppendBinary(dst []byte) ([]byte, error) {
	head, err := k.header()
	if err != nil {
		return dst, err
	}
	return frame.AppendSeq(dst, head, k.payload()), nil
}

// MarshalBinary returns the encoded top k: [TopK.AppendBinary] to nil.
func (k *TopK) MarshalBinary() ([]byte, error) { return k.AppendBinary(nil) }

// WriteTo writes the encoded top k to w, 64 KiB at a time, and returns how many
// bytes that were. Its error is the writer's; what has been written by then is
// nothing whole.
func (k *TopK) WriteTo(w io.Writer) (int64, error) {
	head, err := k.header()
	if err != nil {
		return 0, err
	}
	return frame.WriteSeq(w, head, k.payload())
}

// UnmarshalBinary makes k what data encodes, with the family and the errors of
// [HeavyHitters.UnmarshalBinary]; [NewTopKReceiver] makes a k with a family.
func (k *TopK) UnmarshalBinary(data []byte) error { return k.decode(frame.NewBytesReader(data)) }

// ReadFrom makes k what r stands at, as [HeavyHitters.ReadFrom] does.
func (k *TopK) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r)
	err := k.decode(fr)
	return fr.N(), err
}

// NewTopKReceiver returns what is good for one thing: to decode into it what
// was encoded under fam.
func NewTopKReceiver(fam hashfam.Family) *TopK { return &TopK{config: TopKConfig{Family: fam}} }

func (k *TopK) header() (frame.Header, error) {
	c := k.config
	if err := c.check(); err != nil {
		return frame.Header{}, err
	}
	return k.frameHeader(frame.TopK, uint64(c.K), c.MemoryBytes, c.Family), nil
}

func (k *TopK) decode(r *frame.Reader) error {
	fam := k.config.Family
	head := r.Header(frame.TopK, heavyVersion, fam.CheckValue())
	what, memory, err := parsePair(r, head)
	if err != nil {
		return err
	}
	if what > maxK {
		return r.Corrupt("K", what, fmt.Sprintf("1 to %d", maxK))
	}
	c := TopKConfig{K: int(what), MemoryBytes: memory, Family: fam}
	if err := c.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	t, err := decodeTracker(r, head, c.plan(), fam)
	if err != nil {
		return err
	}
	*k = TopK{config: c, tracker: t}
	return nil
}

// frameHeader returns the header of a tracker's frame.
func (t *tracker) frameHeader(kind frame.Kind, what uint64, memory int, fam hashfam.Family) frame.Header {
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, paramBytes), what)
	params = binary.LittleEndian.AppendUint64(params, uint64(memory))
	return frame.Header{
		Kind:    kind,
		Version: heavyVersion,
		Check:   fam.CheckValue(),
		Params:  params,
		Payload: 8 * t.payloadWords(),
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
	if bytes > maxMemory {
		return 0, 0, r.Corrupt("MemoryBytes", bytes, fmt.Sprintf("at most %d", uint64(maxMemory)))
	}
	return binary.LittleEndian.Uint64(h.Params), int(bytes), nil
}
