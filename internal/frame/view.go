package frame

import (
	"encoding"
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// A View is a frame in the caller's memory, for example in a mapped file. Only
// its header has been checked.
type View struct {
	Header
	data []byte
	make *fault.Maker
}

// NewView checks the header of the frame data. The View retains data.
func NewView(data []byte, kind Kind, version uint8, check uint64, m *fault.Maker) (View, error) {
	h, p, err := split(data, m)
	if err == nil {
		h, err = h.parseRest(data[:headerBytes(p)], p, m)
	}
	if err == nil {
		err = h.expect(kind, version, check, m)
	}
	if err != nil {
		return View{}, err
	}
	return View{h, data, m}, nil
}

var errZero = &hashfam.FieldError{
	Package: "view", Err: hashfam.ErrParams, Field: "receiver", Value: "zero", Allowed: "a view of an encoding",
}

// Text returns the text form of the frame.
func (v View) Text() ([]byte, error) {
	if v.make == nil {
		return nil, errZero
	}
	return toText(v.data), nil
}

func (v View) payload() []byte {
	return v.data[headerBytes(len(v.Params)) : len(v.data)-sumBytes]
}

// In returns the first n numbers of the payload, without copying them. It
// returns an error if the platform or the address prevents this.
func In[T number](v View, n uint64) ([]T, error) {
	size := sizeOf[T]()
	b := v.payload()[:n*uint64(size)]
	if size == 1 {
		return any(b).([]T), nil
	}
	if !viewable {
		return nil, v.make.Errorf("a view needs a little-endian platform and a build without the tag purego: %w", errors.ErrUnsupported)
	}
	numbers, ok := numbersIn[T](b)
	if !ok {
		return nil, v.make.Field(hashfam.ErrParams, "address of data", fmt.Sprintf("%p", b),
			fmt.Sprintf("a multiple of %d, as in a mapped file", size))
	}
	return numbers, nil
}

// Verify checks the checksum, and that the payload is zero after n bytes.
func (v View) Verify(n uint64) error {
	if v.make == nil {
		return errZero
	}
	end := len(v.data) - sumBytes
	if err := checkSum("checksum", v.data[end:], crcOf(v.data[:end]), v.make); err != nil {
		return err
	}
	return checkPadding("payload", v.payload()[n:], v.make)
}

// Decode decodes the frame into f and returns f.
func Decode[F encoding.BinaryUnmarshaler](v View, f F) (F, error) {
	if err := f.UnmarshalBinary(v.data); err != nil {
		return *new(F), err
	}
	return f, nil
}
