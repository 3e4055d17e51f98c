package countmin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind CountMin, version 1; the payload is the
// total and then the rows, one after another. 32-bit counters go two to a word,
// the first in the low half; the last half word of an odd number is zero.
//
//	offset  size  field
//	     0     8  Width
//	     8     1  Depth
//	     9     1  CounterBits
//	    10     1  1 if Conservative, else 0
//	    11     5  zero
const (
	version    = 1
	paramBytes = 16
)

// AppendBinary appends the encoded sketch to dst and returns the extended
// slice. The encoding is 64 bytes and the counters, it depends on nothing but
// Params, total and counters, and it holds the family's check value but not its
// key. The zero Sketch has no encoding: it is an [ErrParams].
func (s *Sketch) AppendBinary(dst []byte) ([]byte, error) {
	h, err := s.header()
	if err != nil {
		return dst, err
	}
	return frame.AppendSeq(dst, h, s.payload()), nil
}

// MarshalBinary returns the encoded sketch: [Sketch.AppendBinary] to nil.
func (s *Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded sketch to w, 64 KiB at a time, and returns how
// many bytes that were. Its error is the writer's; what has been written by
// then is no sketch.
func (s *Sketch) WriteTo(w io.Writer) (int64, error) {
	h, err := s.header()
	if err != nil {
		return 0, err
	}
	return frame.WriteSeq(w, h, s.payload())
}

// UnmarshalBinary makes s the sketch that data encodes. It decodes under the
// family that s already has: that of a sketch in use, the one given to
// [NewReceiver], or for a zero Sketch the public one. Damaged, short or
// overlong data is an [ErrCorrupt], the encoding of a later version an
// [ErrVersion], another family's sketch an [ErrFamily]; s is then unchanged.
// data is not kept.
func (s *Sketch) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data))
}

// ReadFrom makes s the sketch that r stands at. It reads exactly its bytes, so
// that sketches can follow one another in a stream, and takes memory in
// proportion to what has arrived. Family and errors are those of
// [Sketch.UnmarshalBinary]; at the end of the stream the error is io.EOF too
// (by errors.Is), and an error of the reader is passed on.
func (s *Sketch) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r)
	err := s.decode(fr)
	return fr.N(), err
}

func (s *Sketch) header() (frame.Header, error) {
	p := s.params
	if err := p.check(); err != nil {
		return frame.Header{}, err
	}
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, paramBytes), p.Width)
	params = append(params, byte(p.Depth), byte(p.CounterBits), 0, 0, 0, 0, 0, 0)
	if p.Conservative {
		params[10] = 1
	}
	return frame.Header{
		Kind:    frame.CountMin,
		Version: version,
		Check:   p.Family.CheckValue(),
		Params:  params,
		Payload: 8 * p.payloadWords(),
	}, nil
}

// payloadWords returns how many words hold the total and the counters.
func (p Params) payloadWords() uint64 {
	if p.CounterBits == 32 {
		return 1 + (p.cells()+1)/2
	}
	return 1 + p.cells()
}

// payload yields the words of the payload.
func (s *Sketch) payload() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if !yield(s.total) {
			return
		}
		for _, c := range s.wide {
			if !yield(c) {
				return
			}
		}
		for cells := s.narrow; len(cells) > 0; cells = cells[min(2, len(cells)):] {
			w := uint64(cells[0])
			if len(cells) > 1 {
				w |= uint64(cells[1]) << 32
			}
			if !yield(w) {
				return
			}
		}
	}
}

// decode reads a sketch and replaces s by it at the end, if all is well.
func (s *Sketch) decode(r *frame.Reader) error {
	fam := s.params.Family
	h := r.Header(frame.CountMin, version, fam.CheckValue())
	if err := r.Err(); err != nil {
		return err
	}
	p, err := parseParams(h, fam)
	if err != nil {
		return err
	}
	words := r.Words(p.payloadWords())
	if err := r.Err(); err != nil {
		return err
	}
	t := Sketch{params: p, total: words[0]}
	if p.CounterBits == 64 {
		t.wide = words[1:]
	} else if t.narrow, err = unpack(words[1:], p.cells()); err != nil {
		return err
	}
	if err := t.checkRows(); err != nil {
		return err
	}
	*s = t
	return nil
}

// unpack returns the n counters of 32 bits in words.
func unpack(words []uint64, n uint64) ([]uint32, error) {
	cells := make([]uint32, n)
	for i := range cells {
		cells[i] = uint32(words[i/2] >> (i % 2 * 32))
	}
	if last := words[len(words)-1] >> 32; n%2 == 1 && last != 0 {
		return nil, fault.Field(ErrCorrupt, "counter beyond the last", last, "0")
	}
	return cells, nil
}

// checkRows holds the counters against the total, which bounds the sum of each
// row, and is that sum where the update is plain. Neither is to be had from a
// row with a counter at its maximum.
func (s *Sketch) checkRows() error {
	w := s.params.Width
	for row := range uint64(s.params.Depth) {
		var sum uint64
		var full bool
		if s.wide == nil {
			sum, full = rowSum(s.narrow[row*w : (row+1)*w])
		} else {
			sum, full = rowSum(s.wide[row*w : (row+1)*w])
		}
		switch {
		case full || s.total == math.MaxUint64:
		case sum > s.total, sum < s.total && !s.params.Conservative:
			return fault.Field(ErrCorrupt, fmt.Sprint("sum of row ", row), sum, fmt.Sprint("the total, ", s.total))
		}
	}
	return nil
}

// rowSum adds up a row; full reports that a counter or the sum has saturated.
func rowSum[C counter](row []C) (sum uint64, full bool) {
	for _, c := range row {
		full = full || c == ^C(0)
		sum = addSat(sum, uint64(c))
	}
	return sum, full || sum == math.MaxUint64
}

// parseParams reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	b := h.Params
	if len(b) != paramBytes || b[10] > 1 || !bytes.Equal(b[11:], make([]byte, 5)) {
		return Params{}, fault.Field(ErrCorrupt, "parameters", b, "16 bytes, the last 5 of them zero, before them 0 or 1")
	}
	p := Params{
		Width:        binary.LittleEndian.Uint64(b),
		Depth:        int(b[8]),
		CounterBits:  int(b[9]),
		Conservative: b[10] == 1,
		Family:       fam,
	}
	if err := p.check(); err != nil {
		return Params{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := h.CheckPayload(8 * p.payloadWords()); err != nil {
		return Params{}, err
	}
	return p, nil
}
