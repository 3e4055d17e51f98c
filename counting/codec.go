package counting

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Counting, version 1; the payload is the
// counters, sixteen to a word, the unused last ones zero.
//
//	offset  size  field
//	     0     8  Counters
//	     8     1  Hashes
//	     9     1  Layout
//	    10     6  zero
const (
	version    = 1
	paramBytes = 16
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is 56 bytes and the counters, it depends on nothing but
// Params and counters, and it holds the family's check value but not its key.
// The zero Filter has no encoding: it is an [ErrParams]. To send only what a
// peer needs to ask, encode [Filter.Bloom]: a quarter of the bytes.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	h, err := f.header()
	if err != nil {
		return dst, err
	}
	return frame.AppendWords(dst, h, f.counters), nil
}

// MarshalBinary returns the encoded filter: [Filter.AppendBinary] to nil.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w, 64 KiB at a time, and returns how
// many bytes that were. Its error is the writer's; what has been written by
// then is no filter.
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	h, err := f.header()
	if err != nil {
		return 0, err
	}
	return frame.WriteWords(w, h, f.counters)
}

// UnmarshalBinary makes f the filter that data encodes. It decodes under the
// family that f already has: that of a filter in use, the one given to
// [NewReceiver], or for a zero Filter the public one. Damaged, short or
// overlong data is an [ErrCorrupt], the encoding of a later version an
// [ErrVersion], another family's filter an [ErrFamily]; f is then unchanged.
// data is not kept.
func (f *Filter) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data))
}

// ReadFrom makes f the filter that r stands at. It reads exactly its bytes, so
// that filters can follow one another in a stream, and takes memory in
// proportion to what has arrived. Family and errors are those of
// [Filter.UnmarshalBinary]; at the end of the stream the error is io.EOF too
// (by errors.Is), and an error of the reader is passed on.
func (f *Filter) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r)
	err := f.decode(fr)
	return fr.N(), err
}

func (f *Filter) header() (frame.Header, error) {
	p := f.params
	if err := p.check(); err != nil {
		return frame.Header{}, err
	}
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, paramBytes), p.Counters)
	params = append(params, byte(p.Hashes), byte(p.Layout), 0, 0, 0, 0, 0, 0)
	return frame.Header{
		Kind:    frame.Counting,
		Version: version,
		Check:   p.Family.CheckValue(),
		Params:  params,
	}, nil
}

// decode reads a filter and replaces f by it at the end, if all is well.
func (f *Filter) decode(r *frame.Reader) error {
	fam := f.params.Family
	h := r.Header(frame.Counting, version, fam.CheckValue())
	if err := r.Err(); err != nil {
		return err
	}
	p, err := parseParams(h, fam)
	if err != nil {
		return err
	}
	words := r.Words(p.words())
	if err := r.Err(); err != nil {
		return err
	}
	if r := p.Counters % perWord; r != 0 && words[len(words)-1]>>(4*r) != 0 {
		return fault.Field(ErrCorrupt, "counters beyond the last", words[len(words)-1]>>(4*r), "0")
	}
	*f = *newFilter(p, words)
	return nil
}

// parseParams reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	b := h.Params
	if len(b) != paramBytes || !bytes.Equal(b[10:], make([]byte, 6)) {
		return Params{}, fault.Field(ErrCorrupt, "parameters", b, "16 bytes, the last 6 of them zero")
	}
	p := Params{
		Counters: binary.LittleEndian.Uint64(b),
		Hashes:   int(b[8]),
		Layout:   Layout(b[9]),
		Family:   fam,
	}
	if err := p.check(); err != nil {
		return Params{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := h.CheckPayload(8 * p.words()); err != nil {
		return Params{}, err
	}
	return p, nil
}
