package cuckoo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind ScalableCuckoo, version 1:
//
//	offset  size  field
//	     0     8  Expected
//	     8     8  FPRate, the bits of a 64-bit IEEE 754 number
//	    16     8  number of keys
//	    24     1  Compact, 0 or 1
//	    25     1  logarithm to base 2 of the number of buckets of a page
//	    26     6  zero
//	    32     8  number of plots
//
// The last two follow from the others, and are there for other readers.
//
// The payload has for each plot a word with the number of its directories, and
// for each directory its pages in order. A page is a word with its depth in the
// lowest byte and the length of its tails in the next one, and its buckets,
// without padding. The depths tell where a directory ends: its pages cover all
// keys.
const (
	scalableVersion = 1
	scalableBytes   = 40
	wordBytes       = 8
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is the pages, 8 bytes for each of them and for each plot,
// and 136 bytes. It depends only on the ScalableConfig and the pages, and
// contains the family's check value but not its key. AppendBinary returns
// [ErrParams] if s is the zero Scalable. O(m) time; it allocates the frame once
// if dst is too small.
func (s *Scalable) AppendBinary(dst []byte) ([]byte, error) {
	h, err := s.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, h, s.payload), nil
}

// MarshalBinary returns the encoded filter. It is [Scalable.AppendBinary] with
// a nil dst.
func (s *Scalable) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, a page at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(m) time, less than a
// kilobyte of memory.
func (s *Scalable) WriteTo(w io.Writer) (int64, error) {
	h, err := s.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, h, s.payload)
}

// UnmarshalBinary decodes data into s and does not keep data. data must have
// been encoded under the family of s: that of a filter in use, the one given to
// [NewScalableReceiver], or the public family of a zero Scalable.
//
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error s is unchanged. O(m) time; at the peak
// it needs twice the memory of the filter.
func (s *Scalable) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into s, and no byte after it. The
// family and the errors are those of [Scalable.UnmarshalBinary]; ReadFrom also
// returns any error of r. At the end of the stream the error is io.EOF too, by
// errors.Is. O(m) time; it uses memory in proportion to the bytes that have
// arrived.
func (s *Scalable) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := s.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of s, the base64 of its encoding, to dst.
// Its errors are those of [Scalable.AppendBinary]. O(m) time and memory.
func (s *Scalable) AppendText(dst []byte) ([]byte, error) {
	encoded, err := s.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of s. It is [Scalable.AppendText] with a
// nil dst.
func (s *Scalable) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// MarshalJSON returns the text form of s as a JSON string. O(m) time and
// memory. Its receiver is a value so that a Scalable that is a value in a
// struct is encoded, too.
func (s Scalable) MarshalJSON() ([]byte, error) { return frame.JSON(s.AppendBinary(nil)) }

// UnmarshalText decodes the text form of a filter into s. The family and the
// errors are those of [Scalable.UnmarshalBinary]. O(m) time and memory.
func (s *Scalable) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return s.UnmarshalBinary(encoded)
}

func (s *Scalable) header() (frame.Header, error) {
	if s == nil {
		return frame.Header{}, errs.Nil()
	}
	if len(s.plots) == 0 {
		return frame.Header{}, s.config.check(ErrParams)
	}
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, scalableBytes), s.config.Expected)
	params = binary.LittleEndian.AppendUint64(params, math.Float64bits(s.config.FPRate))
	params = binary.LittleEndian.AppendUint64(params, s.count)
	form := uint64(bits.TrailingZeros64(s.buckets)) << 8
	if s.config.Compact {
		form |= 1
	}
	params = binary.LittleEndian.AppendUint64(params, form)
	h := frame.Header{
		Kind:    frame.ScalableCuckoo,
		Version: scalableVersion,
		Check:   s.config.Family.CheckValue(),
		Params:  binary.LittleEndian.AppendUint64(params, s.roots),
	}
	for piece := range s.payload {
		h.Payload += uint64(len(piece))
	}
	return h, nil
}

// payload yields the payload in pieces.
func (s *Scalable) payload(yield func([]byte) bool) {
	word := make([]byte, wordBytes)
	for i := range s.plots {
		pl := &s.plots[i]
		binary.LittleEndian.PutUint64(word, uint64(pl.levels()))
		if !yield(word) {
			return
		}
		for l := range pl.levels() {
			for p := range pl.level(l).all() {
				binary.LittleEndian.PutUint64(word, uint64(p.depth)|uint64(p.tail)<<8)
				if !yield(word) || !yield(p.buckets()) {
					return
				}
			}
		}
	}
}

// buckets returns the table without the bytes that no bucket needs.
func (p *page) buckets() []byte { return p.bytes[:len(p.bytes)-wordBytes] }

// decode reads a filter and replaces s by it at the end, if there was no error.
func (s *Scalable) decode(r *frame.Reader) error {
	if s == nil {
		return errs.Nil()
	}
	h := r.Header(frame.ScalableCuckoo, scalableVersion, s.config.Family.CheckValue())
	if err := r.Err(); err != nil {
		return err
	}
	c, count, err := parseScalable(h, s.config)
	if err != nil {
		return err
	}
	payload := frame.Read[byte](r, h.Payload)
	if err := r.Err(); err != nil {
		return err
	}
	g := newScalable(c)
	if err := g.parse(payload); err != nil {
		return err
	}
	if g.count != count {
		return errs.Field(ErrCorrupt, "number of keys", count, fmt.Sprintf("%d, as in the pages", g.count))
	}
	*s = *g
	return nil
}

// parseScalable reads the parameters of a verified header, and the number of
// keys. The family is that of c.
func parseScalable(h frame.Header, c ScalableConfig) (ScalableConfig, uint64, error) {
	b := h.Params
	if len(b) != scalableBytes || b[24] > 1 || !bytes.Equal(b[26:32], make([]byte, 6)) {
		return c, 0, errs.Field(ErrCorrupt, "parameters", fmt.Sprintf("% x", b), "40 bytes, number 24 is 0 or 1 and 26 to 31 are zero")
	}
	c = ScalableConfig{
		Expected: binary.LittleEndian.Uint64(b),
		FPRate:   math.Float64frombits(binary.LittleEndian.Uint64(b[8:])),
		Compact:  b[24] == 1,
		Family:   c.Family,
	}
	if err := c.check(ErrCorrupt); err != nil {
		return c, 0, err
	}
	g := c.geometry()
	if plots := binary.LittleEndian.Uint64(b[32:]); plots != g.roots || b[25] != byte(bits.TrailingZeros64(g.buckets)) {
		return c, 0, errs.Field(ErrCorrupt, "number of plots, and of buckets", fmt.Sprint(plots, ", 2^", b[25]),
			fmt.Sprint(g.roots, ", ", g.buckets))
	}
	if least := g.roots * (g.pageBytes(minTail) + wordBytes); h.Payload < least {
		return c, 0, errs.Field(ErrCorrupt, "payload length", h.Payload, fmt.Sprintf("at least %d for %d plots", least, g.roots))
	}
	return c, binary.LittleEndian.Uint64(b[16:]), nil
}
