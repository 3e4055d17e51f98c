package cuckoo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
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
// The payload is that of package pages.
const (
	scalableVersion = 1
	scalableBytes   = 40
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
	return frame.Append(dst, h, s.pages.Payload), nil
}

// MarshalBinary returns the encoded filter. It is [Scalable.AppendBinary] with
// a nil dst.
func (s *Scalable) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, a page at a time, and returns the
// number of bytes written. After an error of w they are not a valid encoding.
// O(m) time, less than a kilobyte of memory.
func (s *Scalable) WriteTo(w io.Writer) (int64, error) {
	h, err := s.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(w, h, s.pages.Payload)
}

// UnmarshalBinary decodes data into s, under the family of s, like
// [Filter.UnmarshalBinary], and returns the same errors. After an error s is
// unchanged. O(m) time; at the peak it needs twice the memory of the filter.
func (s *Scalable) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded filter from r into s, and no byte after it, like
// [Filter.ReadFrom]. O(m) time; it uses memory in proportion to the bytes that
// have arrived.
func (s *Scalable) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := s.decode(fr)
	return fr.N(), err
}

// MarshalText returns the text form of s, the base64 of its encoding. The
// errors are those of [Scalable.AppendBinary]. O(m) time and memory.
func (s Scalable) MarshalText() ([]byte, error) {
	encoded, err := s.AppendBinary(nil)
	return frame.AppendText(nil, encoded, err)
}

// UnmarshalText decodes the text form of a filter into s. The family and the
// errors are those of [Scalable.UnmarshalBinary]. O(m) time and memory.
func (s *Scalable) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return s.UnmarshalBinary(encoded)
}

// ReadScalableConfig reads the header of an encoded filter from r, and no byte
// after it, and returns the filter's configuration. The errors are those of
// [Scalable.ReadFrom]; if the header is that of another structure,
// ReadScalableConfig returns [ErrCorrupt] and names that structure. O(1) time
// and memory.
func ReadScalableConfig(r io.Reader, fam hashfam.Family) (ScalableConfig, error) {
	fr := frame.NewReader(r, errs)
	h := fr.Header(frame.ScalableCuckoo, scalableVersion, fam.CheckValue())
	if err := fr.Err(); err != nil {
		return ScalableConfig{}, err
	}
	c, _, err := parseScalable(h, fam)
	return c, err
}

func (s *Scalable) header() (frame.Header, error) {
	if err := s.config.check(ErrParams); err != nil {
		return frame.Header{}, err
	}
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, scalableBytes), s.config.Expected)
	params = binary.LittleEndian.AppendUint64(params, math.Float64bits(s.config.FPRate))
	params = binary.LittleEndian.AppendUint64(params, s.Len())
	form := uint64(bits.TrailingZeros64(s.pages.Buckets)) << 8
	if s.config.Compact {
		form |= 1
	}
	params = binary.LittleEndian.AppendUint64(params, form)
	h := frame.Header{
		Kind:    frame.ScalableCuckoo,
		Version: scalableVersion,
		Check:   s.config.Family.CheckValue(),
		Params:  binary.LittleEndian.AppendUint64(params, s.pages.Roots),
	}
	for piece := range s.pages.Payload {
		h.Payload += uint64(len(piece))
	}
	return h, nil
}

// decode reads a filter and replaces s by it at the end, if there was no error.
func (s *Scalable) decode(r *frame.Reader) error {
	fam := s.config.Family
	h := r.Header(frame.ScalableCuckoo, scalableVersion, fam.CheckValue())
	if err := r.Err(); err != nil {
		return err
	}
	c, count, err := parseScalable(h, fam)
	if err != nil {
		return err
	}
	payload := frame.Read[byte](r, h.Payload)
	if err := r.Err(); err != nil {
		return err
	}
	set, err := pages.Parse(c.geometry(), partnersKey(fam), payload)
	if err != nil {
		return err
	}
	if set.Len() != count {
		return errs.Field(ErrCorrupt, "number of keys", count, fmt.Sprintf("%d, as in the pages", set.Len()))
	}
	*s = Scalable{c, *set}
	return nil
}

// parseScalable reads the parameters of a verified header, and the number of
// keys.
func parseScalable(h frame.Header, fam hashfam.Family) (ScalableConfig, uint64, error) {
	b := h.Params
	if len(b) != scalableBytes || b[24] > 1 || !bytes.Equal(b[26:32], make([]byte, 6)) {
		return ScalableConfig{}, 0, errs.Field(ErrCorrupt, "parameters", fmt.Sprintf("% x", b),
			"40 bytes, number 24 is 0 or 1 and 26 to 31 are zero")
	}
	c := ScalableConfig{
		Expected: binary.LittleEndian.Uint64(b),
		FPRate:   math.Float64frombits(binary.LittleEndian.Uint64(b[8:])),
		Compact:  b[24] == 1,
		Family:   fam,
	}
	if err := c.check(ErrCorrupt); err != nil {
		return ScalableConfig{}, 0, err
	}
	g := c.geometry()
	if plots := binary.LittleEndian.Uint64(b[32:]); plots != g.Roots || b[25] != byte(bits.TrailingZeros64(g.Buckets)) {
		return ScalableConfig{}, 0, errs.Field(ErrCorrupt, "number of plots, and of buckets",
			fmt.Sprint(plots, ", 2^", b[25]), fmt.Sprint(g.Roots, ", ", g.Buckets))
	}
	if least := g.LeastPayload(); h.Payload < least {
		return ScalableConfig{}, 0, errs.Field(ErrCorrupt, "payload length", h.Payload,
			fmt.Sprintf("at least %d for %d plots", least, g.Roots))
	}
	return c, binary.LittleEndian.Uint64(b[16:]), nil
}
