package perfect

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The following table describes the parameters in frames of the kinds
// PerfectFunction and PerfectFilter. In a Function, the bytes from offset 16 to
// 23 are zero. The payload consists of the mapping and, in a Filter, the slots.
//
//	offset  size  field
//	     0     8  Keys
//	     8     1  Compact: 0 or 1
//	     9     1  k, the number of levels with buckets
//	    10     2  zero
//	    12     4  the last level's seed
//	    16     4  bits per slot in units of 1/65536
//	    20     1  ValueBits
//	    21     3  zero
//	    24    8k  number of keys in each level after the first

// A fixed holds the parameters that do not depend on the number of levels.
type fixed struct {
	Keys      uint64
	Compact   uint8
	Levels    uint8
	_         [2]uint8
	Seed      uint32
	SlotBits  uint32
	ValueBits uint8
	_         [3]uint8
}

var fixedBytes = binary.Size(fixed{})

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
func (f *Function) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, f.decode) }

// MarshalText returns the encoded function in base64.
func (f Function) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes a function's text form into f.
func (f *Function) UnmarshalText(text []byte) error { return frame.UnmarshalText(f, text, errs) }

// ReadParams returns the parameters of the next encoded function in r. It reads
// only the header, so you can check [Params.SizeBytes] before decoding. If the
// header belongs to another structure, [hashfam.ErrCorrupt] names it.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	l, err := formatOf(frame.PerfectFunction).ReadHeader(r, fam)
	return l.params(fam), err
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
	l := &s.shape
	kind := frame.PerfectFunction
	if l.slots.width > 0 {
		kind = frame.PerfectFilter
	}
	p := fixed{
		Keys:      l.keys,
		Levels:    uint8(len(l.bumped)),
		Seed:      l.seed,
		SlotBits:  uint32(l.slots.width),
		ValueBits: uint8(l.slots.value),
	}
	if l.compact {
		p.Compact = 1
	}
	h := formatOf(kind).New(s.Family(), p, l.bytes())
	for _, n := range l.bumped {
		h.Params = binary.LittleEndian.AppendUint64(h.Params, n)
	}
	return h, s.payload, nil
}

// payload yields the mapping and the slots.
func (s *stored) payload(yield func([]byte) bool) {
	for _, part := range [...][]byte{s.mapped, s.slots.bits} {
		for piece := range frame.Numbers(part) {
			if !yield(piece) {
				return
			}
		}
	}
}

// parseFixed reads the first parameters. Opening a view of a few keys takes
// less time than reading them by reflection would.
func parseFixed(b []byte) (fixed, error) {
	if len(b) < fixedBytes {
		return fixed{}, errs.Field(hashfam.ErrCorrupt, "parameter length", len(b), fmt.Sprintf("at least %d", fixedBytes))
	}
	for _, i := range [...]int{10, 11, 21, 22, 23} {
		if b[i] != 0 {
			return fixed{}, errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("byte %d of the parameters", i), b[i], "0")
		}
	}
	return fixed{
		Keys:      binary.LittleEndian.Uint64(b),
		Compact:   b[8],
		Levels:    b[9],
		Seed:      binary.LittleEndian.Uint32(b[12:]),
		SlotBits:  binary.LittleEndian.Uint32(b[16:]),
		ValueBits: b[20],
	}, nil
}

// parseHeader reads the parameters from a verified header. It checks that the
// payload has the length that they require.
func parseHeader(h frame.Header, _ hashfam.Family) (shape, error) {
	p, err := parseFixed(h.Params)
	if err != nil {
		return shape{}, err
	}
	sizes := h.Params[fixedBytes:]
	l := shape{
		keys:    p.Keys,
		compact: p.Compact == 1,
		seed:    p.Seed,
		slots:   slotSize{uint64(p.SlotBits), uint(p.ValueBits)},
	}
	if p.Compact > 1 {
		return shape{}, errs.Field(hashfam.ErrCorrupt, "Params.Compact", p.Compact, "0 or 1")
	}
	l.bumped, err = parseLevels(sizes, int(p.Levels))
	if err != nil {
		return shape{}, err
	}
	if err := l.check(h.Kind); err != nil {
		return shape{}, err
	}
	return l, h.CheckPayload(l.bytes(), errs)
}

// parseLevels reads the numbers of keys in the levels after the first.
func parseLevels(b []byte, levels int) ([]uint64, error) {
	if levels > maxLevels {
		return nil, errs.Field(hashfam.ErrCorrupt, "number of levels", levels, fmt.Sprintf("at most %d", maxLevels))
	}
	if want := wordBytes * levels; len(b) != want {
		return nil, errs.Field(hashfam.ErrCorrupt, "parameter length", fixedBytes+len(b), fmt.Sprintf("%d for %d levels", fixedBytes+want, levels))
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
	l, payload, err := formatOf(kind).Read(r, s.Family())
	if err != nil {
		return err
	}
	decoded, err := openPayload(l, payload, s.Family())
	if err == nil {
		*s = decoded
	}
	return err
}
