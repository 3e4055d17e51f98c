package cuckoo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Cuckoo, version 1; the payload is the
// table, bucket after bucket without padding, and zeros from its last bit to
// the end of the next whole word but one.
//
//	offset  size  field
//	     0     8  Buckets
//	     8     1  FingerprintBits
//	     9     1  Compact, 0 or 1
//	    10     6  zero
const (
	version    = 1
	paramBytes = 16
)

// AppendBinary appends the encoded filter to dst and returns the extended
// slice. The encoding is 56 bytes and the table, it depends on nothing but
// Params and table, and it holds the family's check value but not its key. The
// zero Filter has no encoding: it is an [ErrParams].
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	h, err := f.header()
	if err != nil {
		return dst, err
	}
	return frame.AppendBytes(dst, h, f.table.bytes), nil
}

// MarshalBinary returns the encoded filter: [Filter.AppendBinary] to nil.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded filter to w and returns how many bytes that were.
// It allocates less than a kilobyte. Its error is the writer's; what has been
// written by then is no filter.
func (f *Filter) WriteTo(w io.Writer) (int64, error) {
	h, err := f.header()
	if err != nil {
		return 0, err
	}
	return frame.WriteBytes(w, h, f.table.bytes)
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
	params := binary.LittleEndian.AppendUint64(make([]byte, 0, paramBytes), p.Buckets)
	sorted := byte(0)
	if p.Compact {
		sorted = 1
	}
	params = append(params, byte(p.FingerprintBits), sorted, 0, 0, 0, 0, 0, 0)
	return frame.Header{
		Kind:    frame.Cuckoo,
		Version: version,
		Check:   p.Family.CheckValue(),
		Params:  params,
	}, nil
}

// decode reads a filter and replaces f by it at the end, if all is well.
func (f *Filter) decode(r *frame.Reader) error {
	fam := f.params.Family
	h := r.Header(frame.Cuckoo, version, fam.CheckValue())
	if err := r.Err(); err != nil {
		return err
	}
	p, err := parseParams(h, fam)
	if err != nil {
		return err
	}
	g := newFilter(p, r.Bytes(p.bytes()))
	if err := r.Err(); err != nil {
		return err
	}
	if err := g.checkTable(); err != nil {
		return err
	}
	g.count = g.taken()
	*f = *g
	return nil
}

// parseParams reads the parameters of a verified header and checks that its
// payload has the length that follows from them.
func parseParams(h frame.Header, fam hashfam.Family) (Params, error) {
	b := h.Params
	if len(b) != paramBytes || b[9] > 1 || !bytes.Equal(b[10:], make([]byte, 6)) {
		return Params{}, fault.Field(ErrCorrupt, "parameters", b, "16 bytes, the tenth 0 or 1 and the last 6 zero")
	}
	p := Params{
		Buckets:         binary.LittleEndian.Uint64(b),
		FingerprintBits: int(b[8]),
		Compact:         b[9] == 1,
		Family:          fam,
	}
	if err := p.check(); err != nil {
		return Params{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := h.CheckPayload(p.bytes()); err != nil {
		return Params{}, err
	}
	return p, nil
}

// checkTable holds that the table is one that adding keys can lead to: what
// follows its buckets is zero, and compact ones are in order.
func (f *Filter) checkTable() error {
	rest := f.table.bytes[f.params.Buckets*f.table.stride/8:] // two buckets are whole bytes
	if !bytes.Equal(rest, make([]byte, len(rest))) {
		return fault.Field(ErrCorrupt, "bits beyond the last bucket", rest, "0")
	}
	if !f.params.Compact {
		return nil
	}
	for i := range f.params.Buckets {
		if !f.table.inOrder(i) {
			return fault.Field(ErrCorrupt, "bucket", i, "four fingerprints in ascending order")
		}
	}
	return nil
}

// taken counts the slots that hold a fingerprint.
func (f *Filter) taken() uint64 {
	n := f.params.slots()
	for i := range f.params.Buckets {
		n -= uint64(f.table.copies(i, 0))
	}
	return n
}
