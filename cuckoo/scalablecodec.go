package cuckoo

import (
	"fmt"
	"io"
	"math/bits"

	"github.com/filterfam/filterfam/cuckoo/internal/pages"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind ScalableCuckoo, version 2. If MemoryBytes
// is zero, the frame has version 1, which ends before it. LogBuckets and Plots
// follow from the others, and are there for other readers. The payload is that
// of package pages.
type scalableParams struct {
	Expected   uint64   // offset 0
	FPRate     float64  // 8
	Count      uint64   // 16: number of keys
	Compact    bool     // 24
	LogBuckets uint8    // 25: logarithm to base 2 of the number of buckets of a page
	_          [6]uint8 // 26: zeros
	Plots      uint64   // 32

	MemoryBytes uint64 // 40
}

// A scalableHeader is what a header tells.
type scalableHeader struct {
	ScalableConfig
	count, payload uint64
}

var scalableFormat = frame.Format[scalableHeader, byte]{
	Kind: frame.ScalableCuckoo, Version: 2, Errs: errs, Parse: parseScalable,
	Len: func(h scalableHeader) uint64 { return h.payload }, Fits: scalableHeader.fits,
}

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is the pages, 8 bytes for each of them and for each plot,
// and 136 bytes. It depends only on the ScalableConfig and the pages, and
// contains the family's check value but not its key. AppendBinary returns
// [ErrParams] if s is the zero Scalable. O(m) time; it allocates the frame once
// if dst is too small.
func (s *Scalable) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, s.encode)
}

// MarshalBinary is [Scalable.AppendBinary] with a nil dst.
func (s *Scalable) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo is [Filter.WriteTo] for a Scalable.
func (s *Scalable) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, s.encode) }

// UnmarshalBinary decodes data into s, under the family of s, like
// [Filter.UnmarshalBinary], and returns the same errors. After an error s is
// unchanged. O(m) time; at the peak it needs twice the memory of the filter.
func (s *Scalable) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom is [Filter.ReadFrom] for a Scalable.
func (s *Scalable) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, s.decode)
}

// MarshalText is [Filter.MarshalText] for a Scalable.
func (s Scalable) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalText is [Filter.UnmarshalText] for a Scalable.
func (s *Scalable) UnmarshalText(text []byte) error {
	return frame.UnmarshalText(s, text, errs)
}

// ReadScalableConfig is [ReadParams] for an encoded [Scalable].
func ReadScalableConfig(r io.Reader, fam hashfam.Family) (ScalableConfig, error) {
	h, err := scalableFormat.ReadHeader(r, fam)
	return h.ScalableConfig, err
}

// encode returns the frame of s, or ErrParams if s is a zero Scalable.
func (s *Scalable) encode() (frame.Header, frame.Payload, error) {
	c := s.config
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	size := uint64(0)
	for piece := range s.pages.Payload {
		size += uint64(len(piece))
	}
	h := scalableFormat.New(c.Family, scalableParams{
		Expected: c.Expected, FPRate: c.FPRate, Count: s.Len(), Compact: c.Compact,
		LogBuckets: logOf(s.pages.Buckets), Plots: s.pages.Roots, MemoryBytes: c.MemoryBytes,
	}, size)
	return h.Shortest(), s.pages.Payload, nil
}

// logOf returns the logarithm to base 2 of a power of two.
func logOf(n uint64) uint8 { return uint8(bits.TrailingZeros64(n)) }

// decode reads a filter and replaces s by it at the end, if there was no error.
func (s *Scalable) decode(r *frame.Reader) error {
	h, payload, err := scalableFormat.Read(r, s.config.Family)
	if err != nil {
		return err
	}
	set, err := pages.Parse(h.geometry(), partnersKey(h.Family), payload)
	if err != nil {
		return err
	}
	if set.Len() != h.count {
		return errs.Field(ErrCorrupt, "number of keys", h.count, fmt.Sprintf("%d, as in the pages", set.Len()))
	}
	*s = Scalable{h.ScalableConfig, *set}
	return nil
}

// parseScalable reads the parameters of a verified header.
func parseScalable(h frame.Header, fam hashfam.Family) (scalableHeader, error) {
	var p scalableParams
	if err := h.DecodeLongest(&p, errs); err != nil {
		return scalableHeader{}, err
	}
	c := ScalableConfig{Expected: p.Expected, FPRate: p.FPRate, MemoryBytes: p.MemoryBytes, Compact: p.Compact, Family: fam}
	if err := c.check(ErrCorrupt); err != nil {
		return scalableHeader{}, err
	}
	g := c.geometry()
	if p.Plots != g.Roots || p.LogBuckets != logOf(g.Buckets) {
		return scalableHeader{}, errs.Field(ErrCorrupt, "number of plots, and of buckets",
			fmt.Sprint(p.Plots, ", 2^", p.LogBuckets), fmt.Sprint(g.Roots, ", ", g.Buckets))
	}
	if least := g.LeastPayload(); h.Payload < least {
		return scalableHeader{}, errs.Field(ErrCorrupt, "payload length", h.Payload,
			fmt.Sprintf("at least %d for %d plots", least, g.Roots))
	}
	return scalableHeader{c, p.Count, h.Payload}, nil
}
