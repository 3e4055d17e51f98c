package perfect

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A header holds the first parameters in a frame of kind PerfectFunction or
// PerfectFilter. The other parameters follow the header: the number of keys in
// each level after the first, 8 bytes each. The payload consists of the mapping
// and, in a Filter, the slots.
type header struct {
	Keys      uint64   // offset 0
	Compact   uint8    // 8: 0 or 1
	Levels    uint8    // 9: number of levels with buckets
	_         [2]uint8 // 10: zeros
	Seed      uint32   // 12: the last level's seed
	SlotBits  uint32   // 16: bits per slot in units of 1/65536; 0 in a Function
	ValueBits uint8    // 20: 0 in a Function
	_         [3]uint8 // 21: zeros
}

var headerBytes = binary.Size(header{})

func formatOf(kind frame.Kind) frame.Format[shape, byte] {
	return frame.Format[shape, byte]{Kind: kind, Version: 1, Errs: errs, Parse: parseHeader}
}

// AppendBinary appends the encoded function to dst. The result depends only on
// the set of keys and the [Config]. See Encoding in package [hashfam].
func (f *Function) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, f.encode) }

// MarshalBinary is like [Function.AppendBinary] with a nil dst.
func (f *Function) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded function to w. See Encoding in package [hashfam].
func (f *Function) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, f.encode) }

// UnmarshalBinary decodes data into f. See Encoding in package [hashfam].
//
// A checksum detects damage, but not forgery. In a forged function, all indexes
// are below Len, but several keys can have the same index.
func (f *Function) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next function from r into f. See Encoding in package
// [hashfam].
func (f *Function) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := f.decode(fr)
	return fr.Bytes(), err
}

// MarshalText returns the encoded function in base64.
func (f Function) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes a function's text form into f.
func (f *Function) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams returns the parameters of the next encoded function in r. It reads
// only the header, so you can check [Params.SizeBytes] before decoding. If the
// header belongs to another structure, [hashfam.ErrCorrupt] names it.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	sh, err := formatOf(frame.PerfectFunction).ReadHeader(r, fam)
	return sh.params(fam), err
}

func (f *Function) decode(r *frame.Reader) error { return f.decodeAs(frame.PerfectFunction, r) }

// encode returns the frame. It returns ErrParams if s is zero, and ErrCorrupt
// if s is a view of damaged data.
func (s *stored) encode() (frame.Header, frame.Payload, error) {
	if !s.built {
		return frame.Header{}, nil, paramError("receiver", "zero", "a Function or Filter that was built or decoded")
	}
	if err := s.Verify(); err != nil {
		return frame.Header{}, nil, err
	}
	sh := &s.shape
	kind := frame.PerfectFunction
	if sh.slot.width > 0 {
		kind = frame.PerfectFilter
	}
	p := header{
		Keys:      sh.keys,
		Levels:    uint8(len(sh.bumped)),
		Seed:      sh.seed,
		SlotBits:  uint32(sh.slot.width),
		ValueBits: uint8(sh.slot.value),
	}
	if sh.compact {
		p.Compact = 1
	}
	h := formatOf(kind).New(s.Family(), p, sh.bytes())
	for _, n := range sh.bumped {
		h.Params = binary.LittleEndian.AppendUint64(h.Params, n)
	}
	return h, s.payload, nil
}

// payload yields the mapping and the slots.
func (s *stored) payload(yield func([]byte) bool) {
	for _, bytes := range [...][]byte{s.mapped, s.slots.bits} {
		for piece := range frame.Numbers(bytes) {
			if !yield(piece) {
				return
			}
		}
	}
}

// parseHeader reads the parameters from a verified header. It checks that the
// payload has the length that they require.
func parseHeader(h frame.Header, _ hashfam.Family) (shape, error) {
	var p header
	levels, err := h.DecodeFirst(&p, errs)
	if err != nil {
		return shape{}, err
	}
	if p.Compact > 1 {
		return shape{}, errs.Field(hashfam.ErrCorrupt, "Params.Compact", p.Compact, "0 or 1")
	}
	sh := shape{
		keys:    p.Keys,
		compact: p.Compact == 1,
		seed:    p.Seed,
		slot:    slotSize{uint64(p.SlotBits), uint(p.ValueBits)},
	}
	sh.bumped, err = parseLevels(levels, int(p.Levels))
	if err != nil {
		return shape{}, err
	}
	if err := sh.check(h.Kind); err != nil {
		return shape{}, err
	}
	return sh, h.CheckPayload(sh.bytes(), errs)
}

// parseLevels reads the numbers of keys in the levels after the first.
func parseLevels(b []byte, levels int) ([]uint64, error) {
	if levels > maxLevels {
		return nil, errs.Field(hashfam.ErrCorrupt, "number of levels", levels, fmt.Sprintf("at most %d", maxLevels))
	}
	if want := wordBytes * levels; len(b) != want {
		return nil, errs.Field(hashfam.ErrCorrupt, "parameter length", headerBytes+len(b), fmt.Sprintf("%d for %d levels", headerBytes+want, levels))
	}
	bumped := make([]uint64, 0, levels)
	for word := range slices.Chunk(b, wordBytes) {
		bumped = append(bumped, binary.LittleEndian.Uint64(word))
	}
	return bumped, nil
}

// decodeAs reads a structure of the given kind. It changes s only if there is
// no error.
func (s *stored) decodeAs(kind frame.Kind, r *frame.Reader) error {
	sh, payload, err := formatOf(kind).Read(r, s.Family())
	if err != nil {
		return err
	}
	decoded, err := openPayload(sh, payload, s.Family())
	if err == nil {
		*s = decoded
	}
	return err
}
