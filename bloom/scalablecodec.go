package bloom

import (
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind ScalableBloom, version 2. If MemoryBytes is
// zero, the frame has version 1, which ends before it.
//
// The payload is a table with 16 bytes for each stage, the parameters of a
// frame of kind Bloom, and then the array of each stage. The table and every
// array are followed by zeros up to a multiple of 64 bytes.
type scalableParams struct {
	Expected uint64  // offset 0
	FPRate   float64 // 8
	Stored   uint64  // 16: number of keys in the newest stage
	Layout   Layout  // 24
	Grown    uint8   // 25: number of stages that are not attached, at least 1
	_        uint16  // 26: zero
	Frozen   uint32  // 28: number of attached stages; they come first

	MemoryBytes uint64 // 32
}

const (
	stageBytes = 16 // of the table
	stageWords = stageBytes / 8
)

// An openScalable is what a header tells: a filter without its stages, their
// number, and the number of words of the payload.
type openScalable struct {
	Scalable
	count, words uint64
}

var scalableFormat = frame.Format[openScalable, uint64]{
	Kind: frame.ScalableBloom, Version: 2, Errs: errs, Parse: parseScalable,
	Len: func(s openScalable) uint64 { return s.words },
}

// AppendBinary is [Filter.AppendBinary] for a Scalable. The encoding is the bit
// arrays and about 80 bytes for each stage. It depends only on the
// ScalableConfig and the stages.
func (s *Scalable) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, s.encode)
}

// MarshalBinary is [Scalable.AppendBinary] with a nil dst.
func (s *Scalable) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo is [Filter.WriteTo] for a Scalable.
func (s *Scalable) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, s.encode) }

// MarshalText is [Filter.MarshalText] for a Scalable.
func (s Scalable) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalBinary is [Filter.UnmarshalBinary] for a Scalable, which may be from
// [NewScalableReceiver]. It makes one allocation for all bit arrays.
func (s *Scalable) UnmarshalBinary(data []byte) error {
	return s.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom is [Filter.ReadFrom] for a Scalable.
func (s *Scalable) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, s.decode) }

// UnmarshalText is [Filter.UnmarshalText] for a Scalable.
func (s *Scalable) UnmarshalText(text []byte) error { return frame.UnmarshalText(s, text, errs) }

// tableWords returns the number of words of a table of n stages.
func tableWords(n uint64) uint64 { return (n*stageWords + lineWords - 1) / lineWords * lineWords }

// encode returns the frame of s, or ErrParams if s is a zero Scalable.
func (s *Scalable) encode() (frame.Header, frame.Payload, error) {
	c := s.config
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	size := 8 * tableWords(uint64(len(s.list)))
	for i := range s.list {
		size += 8 * s.list[i].params.paddedWords()
	}
	h := scalableFormat.New(s.Family(), scalableParams{
		Expected: c.Expected, FPRate: c.FPRate, Stored: s.stored,
		Layout: c.Layout, Grown: uint8(s.grown()), Frozen: uint32(s.frozen), MemoryBytes: c.MemoryBytes,
	}, size)
	return h.Shortest(), s.payload, nil
}

// payload yields the table and the arrays.
func (s *Scalable) payload(yield func([]byte) bool) {
	table := make([]byte, 8*tableWords(uint64(len(s.list))))
	for i := range s.list {
		copy(table[i*stageBytes:], s.list[i].params.encoded().Header(0).Params)
	}
	if yield(table) {
		s.stages.yield(yield)
	}
}

// decode reads a filter and, if there was no error, replaces s with it.
func (s *Scalable) decode(r *frame.Reader) error {
	t, words, err := scalableFormat.Read(r, s.Family())
	if err != nil {
		return err
	}
	if t.stages, err = t.cut(words, t.count); err != nil {
		return err
	}
	if err := t.checkStages(); err != nil {
		return err
	}
	*s = t.Scalable
	return nil
}

// parseScalable reads the parameters of a verified header.
func parseScalable(h frame.Header, fam hashfam.Family) (openScalable, error) {
	var p scalableParams
	if err := h.DecodeLongest(&p, errs); err != nil {
		return openScalable{}, err
	}
	if p.Grown == 0 || p.Grown > 64 || p.Frozen > math.MaxInt32 {
		return openScalable{}, errs.Field(ErrCorrupt, "number of stages", fmt.Sprintf("%d and %d attached", p.Grown, p.Frozen), "1 to 64 and at most 2^31-1")
	}
	s := openScalable{*NewScalableReceiver(fam), uint64(p.Grown) + uint64(p.Frozen), h.Payload / 8}
	s.config.Expected, s.config.FPRate, s.config.Layout = p.Expected, p.FPRate, p.Layout
	s.config.MemoryBytes = p.MemoryBytes
	s.stored, s.frozen = p.Stored, int(p.Frozen)
	if err := s.config.check(ErrCorrupt); err != nil {
		return openScalable{}, err
	}
	return s, nil
}

// cut returns the n stages of a payload, whose memory they share.
func (s *Scalable) cut(words []uint64, n uint64) (stages, error) {
	room := tableWords(n)
	if uint64(len(words)) < room {
		return stages{}, errs.Field(ErrCorrupt, "payload length", 8*len(words), fmt.Sprintf("at least %d", 8*room))
	}
	list := make([]Params, n)
	for i := range list {
		bits, rest := words[stageWords*i], words[stageWords*i+1]
		list[i] = Params{Bits: bits, Hashes: int(rest & 255), Layout: Layout(rest >> 8 & 255), Family: s.Family()}
		if err := list[i].check(ErrCorrupt); err != nil {
			return stages{}, err
		}
		if rest>>16 != 0 || i >= s.frozen && list[i].Layout != s.config.Layout {
			return stages{}, errs.Field(ErrCorrupt, fmt.Sprint("stage ", i), list[i], "the Layout of the filter, then zeros")
		}
	}
	if ones(words[stageWords*n:room]) != 0 {
		return stages{}, errs.Field(ErrCorrupt, "padding of the table", "not zero", "zeros")
	}
	return cut(words[room:], list)
}

// checkStages checks that the stages have room for their keys, so that the size
// of the next stage is in proportion to the bytes that have arrived. n keys at
// rate p need n log2(1/p) bits in any structure; a Bloom filter needs 1.44
// times as many. If MemoryBytes has no room for a further one, the newest stage
// may be smaller, but not smaller than the one before.
func (s *Scalable) checkStages() error {
	if s.stored > s.capacity() {
		return errs.Field(ErrCorrupt, "keys in the newest stage", s.stored, fmt.Sprintf("at most %d", s.capacity()))
	}
	full := s.config.MemoryBytes > 0 && s.SizeBytes()+s.newest().SizeBytes() > s.config.MemoryBytes
	for i, f := range s.list[s.frozen:] {
		n := s.config.capacityOf(i)
		least := -float64(n) * math.Log2(s.config.rateOf(i))
		if full && i > 0 && i == s.grown()-1 {
			least = min(least, float64(s.list[s.frozen+i-1].params.Bits))
		}
		if float64(f.params.Bits) < least {
			return errs.Field(ErrCorrupt, fmt.Sprint("bits of stage ", s.frozen+i), f.params.Bits, fmt.Sprintf("at least %.0f for %d keys", least, n))
		}
	}
	return nil
}
