package bloom

import (
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// scalableParams are the parameters in a frame of kind ScalableBloom.
//
// The payload is a table and the bit arrays of all stages. The table contains
// 16 bytes for each stage: the parameters in a frame of kind Bloom. Zeros fill
// the table and each array up to a multiple of 64 bytes.
type scalableParams struct {
	Expected uint64  // offset 0
	FPRate   float64 // 8
	Stored   uint64  // 16: number of keys in the newest stage
	Layout   Layout  // 24
	Grown    uint8   // 25: number of stages that are not attached, not 0
	_        uint16  // 26: zero
	Frozen   uint32  // 28: number of attached stages, which come first

	MemoryBytes uint64 // 32
}

const stageWords = 2 // for each stage in the table

// An openScalable is a decoded header: a filter without its stages, and their
// number.
type openScalable struct {
	Scalable
	count uint64
}

var scalableFormat = frame.Format[openScalable, uint64]{
	Kind: frame.ScalableBloom, Version: 1, Errs: errs, Parse: parseScalable,
}

// AppendBinary appends the encoded filter to dst: the bit arrays, up to 72
// bytes for each stage, and up to 184 bytes for the rest. See Encoding in
// package [hashfam].
func (s *Scalable) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, s.encode)
}

// MarshalBinary is like [Scalable.AppendBinary] with a nil dst.
func (s *Scalable) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// WriteTo writes the encoded filter to w. See Encoding in package [hashfam].
func (s *Scalable) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, errs, s.encode) }

// MarshalText returns the encoded filter in base64.
func (s Scalable) MarshalText() ([]byte, error) { return frame.MarshalText(&s) }

// UnmarshalBinary decodes data into s. See Encoding in package [hashfam].
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

// UnmarshalText decodes a filter's text form into s.
func (s *Scalable) UnmarshalText(text []byte) error { return frame.UnmarshalText(s, text, errs) }

// tableWords returns the number of words in the table of n stages.
func tableWords(n uint64) uint64 { return (n*stageWords + lineWords - 1) / lineWords * lineWords }

func (s *Scalable) encode() (frame.Header, frame.Payload, error) {
	c := s.config
	if err := c.check(hashfam.ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	h := scalableFormat.New(s.Family(), scalableParams{
		Expected: c.Expected, FPRate: c.FPRate, Stored: s.stored,
		Layout: c.Layout, Grown: uint8(s.grown()), Frozen: uint32(s.frozen), MemoryBytes: c.MemoryBytes,
	}, 8*(tableWords(uint64(len(s.list)))+s.words()))
	return h, s.payload, nil
}

// payload yields the table and the bit arrays.
func (s *Scalable) payload(yield func([]byte) bool) {
	table := make([]byte, 8*tableWords(uint64(len(s.list))))
	for i := range s.list {
		copy(table[8*stageWords*i:], s.list[i].params.encoded().Header(0).Params)
	}
	for piece := range frame.Numbers(table) {
		if !yield(piece) {
			return
		}
	}
	s.stages.yield(yield)
}

// decode replaces s with the next filter if there is no error.
func (s *Scalable) decode(r *frame.Reader) error {
	next, words, err := scalableFormat.Read(r, s.Family())
	if err == nil {
		err = next.readStages(words, next.count)
	}
	if err == nil {
		err = next.checkStages()
	}
	if err == nil {
		*s = next.Scalable
	}
	return err
}

func parseScalable(h frame.Header, fam hashfam.Family) (openScalable, error) {
	var p scalableParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return openScalable{}, err
	}
	if p.Grown == 0 || p.Grown > 64 {
		return openScalable{}, errs.Field(hashfam.ErrCorrupt, "number of stages", p.Grown, "1 to 64")
	}
	if p.Frozen > math.MaxInt32 {
		return openScalable{}, errs.Field(hashfam.ErrCorrupt, "number of attached stages", p.Frozen, "at most 2^31-1")
	}
	s := openScalable{*NewScalableReceiver(fam), uint64(p.Grown) + uint64(p.Frozen)}
	s.config = ScalableConfig{Expected: p.Expected, FPRate: p.FPRate, MemoryBytes: p.MemoryBytes, Layout: p.Layout, Family: fam}
	s.stored = p.Stored
	s.frozen = int(p.Frozen)
	return s, s.config.check(hashfam.ErrCorrupt)
}

// readStages reads n stages from a payload, without copying their bit arrays.
func (s *Scalable) readStages(words []uint64, n uint64) error {
	room := tableWords(n)
	if uint64(len(words)) < room {
		return errs.Field(hashfam.ErrCorrupt, "payload length", 8*len(words), fmt.Sprintf("at least %d", 8*room))
	}
	for i := range int(n) {
		rest := words[stageWords*i+1]
		p := Params{Bits: words[stageWords*i], Hashes: int(rest & 255), Layout: Layout(rest >> 8 & 255), Family: s.config.Family}
		if err := p.check(hashfam.ErrCorrupt); err != nil {
			return err
		}
		if rest>>16 != 0 {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprint("bytes 10 to 15 of stage ", i), fmt.Sprintf("%#x", rest>>16), "zeros")
		}
		if i >= s.frozen && p.Layout != s.config.Layout {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprint("layout of stage ", i), p.Layout, s.config.Layout.String())
		}
		s.append(newFilter(p, nil))
	}
	if ones(words[stageWords*n:room]) != 0 {
		return errs.Field(hashfam.ErrCorrupt, "padding of the table", "not zero", "zeros")
	}
	return s.use(words[room:])
}

// checkStages checks that the stages have room for their keys. Without this
// check, a few forged bytes could claim a huge capacity, and the next Add would
// allocate a stage for twice as many keys.
//
// A stage for n keys with rate p must have at least n log2(1/p) bits, the
// minimum for any structure. Valid stages have more, because a Bloom filter
// needs 1.44 times this number. If MemoryBytes has no room for another stage of
// the newest stage's size, the newest stage may have fewer bits, but not fewer
// than the stage before it.
func (s *Scalable) checkStages() error {
	if s.stored > s.capacity() {
		return errs.Field(hashfam.ErrCorrupt, "keys in the newest stage", s.stored, fmt.Sprintf("at most %d", s.capacity()))
	}
	full := s.config.MemoryBytes > 0 && s.SizeBytes()+s.newest().SizeBytes() > s.config.MemoryBytes
	for i, f := range s.list[s.frozen:] {
		n := s.config.capacityOf(i)
		least := -float64(n) * math.Log2(s.config.rateOf(i))
		if full && i > 0 && i == s.grown()-1 {
			least = min(least, float64(s.list[s.frozen+i-1].params.Bits))
		}
		if float64(f.params.Bits) < least {
			return errs.Field(hashfam.ErrCorrupt, fmt.Sprint("bits of stage ", s.frozen+i), f.params.Bits, fmt.Sprintf("at least %.0f for %d keys", least, n))
		}
	}
	return nil
}
