package perfect

import (
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// AppendBinary appends the encoded function to dst and returns the extended
// slice. The encoding depends only on the set of keys and the Config, and
// contains the family's check value but not its key. AppendBinary returns
// [ErrParams] if f is a zero Function. O(n) time; it allocates at most twice.
func (f *Function) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, f.encode)
}

// MarshalBinary is [Function.AppendBinary] with a nil dst.
func (f *Function) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// WriteTo writes the encoded function to w, 64 KiB at a time, and returns the
// number of bytes written. It stops at the first error of w and returns it; the
// bytes written so far are then not a valid encoding. O(n) time, less than a
// kilobyte of memory.
func (f *Function) WriteTo(w io.Writer) (int64, error) { return frame.WriteTo(w, f.encode) }

// UnmarshalBinary decodes data into f and does not keep data. data must have
// been encoded under the family of f: that of a function in use, the one given
// to [NewReceiver], or the public family of a zero Function.
//
// It returns [ErrCorrupt] if data is damaged, too short or too long,
// [ErrVersion] if a later version encoded it, and [ErrFamily] if it was encoded
// under another family. After an error f is unchanged. O(n) time.
//
// A checksum detects damage, not forgery. Every index of a forged function is
// below Len, but two keys may have the same one.
func (f *Function) UnmarshalBinary(data []byte) error {
	return f.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded function from r into f. It reads no byte after it,
// so that encodings can follow one another in a stream. The family and the
// errors are those of [Function.UnmarshalBinary]; ReadFrom also returns any
// error of r. At the end of the stream the error is io.EOF too, by errors.Is.
// O(n) time. It uses memory in proportion to the bytes that have arrived, or
// that r tells will.
func (f *Function) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, f.decode)
}

// MarshalText returns the text form of f, the base64 of its encoding. Packages
// such as encoding/json store a function as that text. The errors are those of
// [Function.AppendBinary]. O(n) time and memory.
func (f Function) MarshalText() ([]byte, error) { return frame.MarshalText(&f) }

// UnmarshalText decodes the text form of a function into f. The family and the
// errors are those of [Function.UnmarshalBinary]. O(n) time and memory.
func (f *Function) UnmarshalText(text []byte) error {
	return frame.UnmarshalText(f, text, errs)
}

// ReadParams reads the header of an encoded function from r, and no byte after
// it, and returns the function's parameters. Use it to check a file's
// [Params.SizeBytes] before you decode it. The errors are those of
// [Function.ReadFrom]; if the header is that of another structure, ReadParams
// returns [ErrCorrupt] and names that structure. O(1) time and memory.
func ReadParams(r io.Reader, fam hashfam.Family) (Params, error) {
	l, err := formatOf(frame.PerfectFunction).ReadHeader(r, fam)
	if err != nil {
		return Params{}, err
	}
	return l.params(fam), nil
}

func (f *Function) encode() (frame.Header, frame.Payload, error) {
	return f.encodeAs(frame.PerfectFunction)
}

func (f *Function) decode(r *frame.Reader) error { return f.decodeAs(frame.PerfectFunction, r) }
