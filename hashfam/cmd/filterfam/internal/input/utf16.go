package input

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A utf16Reader converts a UTF-16 text, including its byte order mark, to
// UTF-8. If the text is not valid, Read returns an error. The decoder in
// golang.org/x/text replaces invalid characters instead, so different lines
// could become equal.
type utf16Reader struct {
	from    io.Reader
	order   binary.ByteOrder
	units   []byte // bytes of the text that have not been decoded
	buffer  []byte // for units
	decoded []byte // characters that have not been returned
	text    []byte // for decoded
	offset  int64  // in the file, of units
	err     error
}

// newUTF16 returns a reader for the characters of a text.
func newUTF16(r io.Reader, bigEndian bool) *utf16Reader {
	u := &utf16Reader{from: r, order: binary.LittleEndian, buffer: make([]byte, 64<<10)}
	if bigEndian {
		u.order = binary.BigEndian
	}
	return u
}

func (u *utf16Reader) Read(b []byte) (int, error) {
	for len(u.decoded) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		held := copy(u.buffer, u.units)
		n, err := u.from.Read(u.buffer[held:])
		u.units = u.buffer[:held+n]
		u.err = err
		if invalid := u.decode(); invalid != nil {
			u.err = invalid
		}
	}
	n := copy(b, u.decoded)
	u.decoded = u.decoded[n:]
	return n, nil
}

// errUnits is returned for UTF-16 that is not valid.
var errUnits = errors.New("is not valid UTF-16")

// decode decodes all characters that are complete. It returns an error if the
// next one is not valid, or not complete at the end of the text.
func (u *utf16Reader) decode() error {
	u.decoded = u.text[:0]
	for len(u.units) >= 2 {
		r := rune(u.order.Uint16(u.units))
		size := 2
		if utf16.IsSurrogate(r) {
			if len(u.units) < 4 {
				break
			}
			size = 4
			r = utf16.DecodeRune(r, rune(u.order.Uint16(u.units[2:])))
			if r == utf8.RuneError {
				return u.invalid()
			}
		}
		u.decoded = utf8.AppendRune(u.decoded, r)
		u.units = u.units[size:]
		u.offset += int64(size)
	}
	u.text = u.decoded
	if u.err == io.EOF && len(u.units) > 0 {
		return u.invalid()
	}
	return nil
}

func (u *utf16Reader) invalid() error {
	return fmt.Errorf("%w at byte %d", errUnits, u.offset)
}
