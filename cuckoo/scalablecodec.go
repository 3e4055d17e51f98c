package cuckoo

import (
	"fmt"
	"io"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// scalableParams are the parameters in a frame of kind ScalableCuckoo. The
// other fields determine LogBuckets and Plots, which are included for other
// programs. Package pages describes the payload.
type scalableParams struct {
	Expected   uint64   // offset 0
	FPRate     float64  // 8
	Count      uint64   // 16: number of keys
	Compact    bool     // 24
	LogBuckets uint8    // 25: base-2 logarithm of the number of buckets in a page
	_          [6]uint8 // 26: zeros
	Plots      uint64   // 32

	MemoryBytes uint64 // 40
}

// A scalableHeader holds the parameters in a header.
type scalableHeader struct {
	ScalableConfig
	count uint64
}

var scalableFormat = frame.Format[scalableHeader, byte]{
	Kind: frame.ScalableCuckoo, Version: 1, Errs: errs, Parse: parseScalable,
}

// AppendBinary appends the encoded filter to dst: the pages, 8 bytes for each
// page and each plot, and 136 bytes. See Encoding in package [hashfam].
func (s *Scalable) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, s.encode)
}

// MarshalBinary is like [Scalable.AppendBinary] with a nil dst.
func (s *Scalable) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (s *Scalable) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, s.encode) }

// UnmarshalBinary decodes data into s. Decoding temporarily uses twice the
// memory of the filter. See Encoding in package [hashfam].
func (s *Scalable) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next filter from r into s. See Encoding in package
// [hashfam].
func (s *Scalable) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := s.decode(fr)
	return fr.Bytes(), err
}

// MarshalText returns the encoded filter in base64.
func (s Scalable) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalText decodes a filter's text form into s.
func (s *Scalable) UnmarshalText(text []byte) error { return frame.UnmarshalText(s, text, errs) }

// encode returns the filter's frame, or ErrParams for the zero Scalable.
func (s *Scalable) encode() (frame.Header, frame.Payload, error) {
	c := s.config
	if err := c.check(hashfam.ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	size := uint64(0)
	for piece := range s.pages.Payload {
		size += uint64(len(piece))
	}
	h := scalableFormat.New(c.Family, scalableParams{
		Expected: c.Expected, FPRate: c.FPRate, Count: s.Len(), Compact: c.Compact,
		LogBuckets: s.pages.LogBuckets(), Plots: s.pages.Plots, MemoryBytes: c.MemoryBytes,
	}, size)
	return h, s.pages.Payload, nil
}

// decode reads a filter and, if there is no error, replaces s with it.
func (s *Scalable) decode(r *frame.Reader) error {
	h, payload, err := scalableFormat.Read(r, s.config.Family)
	if err != nil {
		return err
	}
	set, err := pages.Parse(h.shape(), partnersKey(h.Family), payload)
	if err != nil {
		return err
	}
	if set.Len() != h.count {
		return errs.Field(hashfam.ErrCorrupt, "number of keys", h.count, fmt.Sprintf("%d, as in the pages", set.Len()))
	}
	*s = Scalable{h.ScalableConfig, *set}
	return nil
}

// parseScalable reads the parameters from a verified header.
func parseScalable(h frame.Header, fam hashfam.Family) (scalableHeader, error) {
	var p scalableParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return scalableHeader{}, err
	}
	c := ScalableConfig{Expected: p.Expected, FPRate: p.FPRate, MemoryBytes: p.MemoryBytes, Compact: p.Compact, Family: fam}
	if err := c.check(hashfam.ErrCorrupt); err != nil {
		return scalableHeader{}, err
	}
	shape := c.shape()
	if p.Plots != shape.Plots {
		return scalableHeader{}, errs.Field(hashfam.ErrCorrupt, "number of plots", p.Plots, fmt.Sprint(shape.Plots))
	}
	if logBuckets := shape.LogBuckets(); p.LogBuckets != logBuckets {
		return scalableHeader{}, errs.Field(hashfam.ErrCorrupt, "logarithm of the buckets per page", p.LogBuckets, fmt.Sprint(logBuckets))
	}
	return scalableHeader{c, p.Count}, nil
}
