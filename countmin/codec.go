package countmin

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A header holds the parameters in a frame of kind CountMin. The payload
// consists of the rows and zeros up to a multiple of 8 bytes.
type header struct {
	Width        uint64   // offset 0
	Depth        uint8    // 8
	CounterBits  uint8    // 9
	Conservative bool     // 10
	_            [5]uint8 // 11: zeros
	Total        uint64   // 16
}

// format parses a header to a Sketch without counters, which decode reads.
var format = frame.Format[Sketch, uint8]{Kind: frame.CountMin, Version: 1, Errs: errs, Parse: parseParams}

// AppendBinary appends the encoded sketch to dst: 72 bytes plus the counters,
// padded to a multiple of 8 bytes. See Encoding in package [hashfam].
func (s *Sketch) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, s.encode) }

// MarshalBinary is like [Sketch.AppendBinary] with a nil dst.
func (s *Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded sketch to w. See Encoding in package [hashfam].
func (s *Sketch) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, s.encode) }

// MarshalText returns the encoded sketch in base64.
func (s Sketch) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalBinary decodes data into s. See Encoding in package [hashfam].
func (s *Sketch) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next sketch from r into s. See Encoding in package
// [hashfam].
func (s *Sketch) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := s.decode(fr)
	return fr.Bytes(), err
}

// UnmarshalText decodes a sketch's text form into s.
func (s *Sketch) UnmarshalText(text []byte) error { return frame.UnmarshalText(s, text, errs) }

// ReadParams returns the parameters of the next encoded sketch in r. It reads
// only the header, so you can check [Params.SizeBytes] before decoding. If the
// header belongs to another structure, [hashfam.ErrCorrupt] names it.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	s, err := format.ReadHeader(r, fam)
	return s.params, err
}

// encode returns the frame of s, or ErrParams if s is the zero Sketch.
func (s *Sketch) encode() (frame.Header, frame.Payload, error) {
	p := s.params
	if err := p.check("Params", hashfam.ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	h := format.New(p.Family, header{
		Width: p.Width, Depth: uint8(p.Depth), CounterBits: uint8(p.CounterBits), Conservative: p.Conservative, Total: s.total,
	}, p.payloadBytes())
	return h, s.rows().payload(), nil
}

// payloadBytes returns the length of the payload, rounded up to whole words.
func (p Params) payloadBytes() uint64 { return (p.SizeBytes() + 7) / 8 * 8 }

func (c cells[C]) payload() frame.Payload { return frame.Numbers(c) }

func (c *cells[C]) read(r *frame.Reader, n uint64) { *c = frame.Read[C](r, n) }

// decode reads a sketch and finally, if there was no error, stores it in s.
func (s *Sketch) decode(r *frame.Reader) error {
	t, _, err := format.Header(r, s.params.Family)
	if err = cmp.Or(err, errs.Fits(hashfam.ErrCorrupt, "Params.Width", t.params.Width, t.SizeBytes())); err != nil {
		return err
	}
	t.rows().read(r, t.params.Width*uint64(t.params.Depth))
	if err = r.Err(); err == nil {
		err = t.rows().check(&t)
	}
	if err == nil {
		*s = t
	}
	return err
}

// check returns ErrCorrupt if the sum of a row's counters exceeds the total of
// s or, unless s is conservative, is lower. It skips a row if the total or one
// of the row's counters is at its maximum. It also skips any other row with a
// sum of 2^64-1 or more, but sets s.uneven.
func (c cells[C]) check(s *Sketch) error {
	for row := 0; len(c) > 0; row, c = row+1, c[s.params.Width:] {
		sum := uint64(0)
		full := s.total == math.MaxUint64
		for _, n := range c[:s.params.Width] {
			full = full || n == ^C(0)
			sum = sizing.SaturatingAdd(sum, uint64(n))
		}
		if full {
			continue
		}
		if sum == math.MaxUint64 {
			s.uneven = true
			continue
		}
		if sum > s.total || sum < s.total && !s.params.Conservative {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprint("sum of row ", row), sum, fmt.Sprint("the total, ", s.total))
		}
	}
	return nil
}

// parseParams reads the parameters and the total from a verified header. It
// checks that the payload has the length that follows from them.
func parseParams(h frame.Header, fam hashfam.Family) (Sketch, error) {
	var w header
	if err := h.DecodeParams(&w, errs); err != nil {
		return Sketch{}, err
	}
	p := Params{
		Width:        w.Width,
		Depth:        int(w.Depth),
		CounterBits:  int(w.CounterBits),
		Conservative: w.Conservative,
		Family:       fam,
	}
	if err := p.check("Params", hashfam.ErrCorrupt); err != nil {
		return Sketch{}, err
	}
	return newSketch(p, w.Total), h.CheckPayload(p.payloadBytes(), errs)
}
