package cutrunner

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
)

// A store contains the encoded elements of all collections. It is a file, so
// that only the workers use memory.
type store struct {
	file *os.File
	end  atomic.Int64
}

func newStore() (*store, error) {
	file, err := os.CreateTemp("", "cutrunner")
	return &store{file: file}, err
}

func (s *store) close() {
	_ = s.file.Close() // its contents are not needed
	_ = os.Remove(s.file.Name())
}

// An item is an encoded element in the store. In a grouped collection, it is
// the first element with its key, and values contains all elements with this
// key.
type item struct {
	held   *exec.FullValue // the element, if it is held in memory
	at     int64
	key    int32 // length of the key, if the element is a pair
	length int32 // of the element
	values []item
}

// put writes an encoded element. The first key bytes are its key.
func (s *store) put(encoded []byte, key int) (item, error) {
	at := s.end.Add(int64(len(encoded))) - int64(len(encoded))
	_, err := s.file.WriteAt(encoded, at)
	return item{at: at, key: int32(key), length: int32(len(encoded))}, err
}

// get returns bytes [from, to) of an element.
func (s *store) get(i item, from, to int32) ([]byte, error) {
	encoded := make([]byte, to-from)
	_, err := s.file.ReadAt(encoded, i.at+int64(from))
	return encoded, err
}

// A collection contains the elements that one stage sends to the next.
type collection struct {
	coder *coder.Coder
	items []item
}

// An encoder encodes a collection's elements.
type encoder struct {
	hold       bool // also hold elements in memory
	whole, key exec.ElementEncoder
	buffer     bytes.Buffer
}

func newEncoder(c *coder.Coder, hold bool) *encoder {
	e := &encoder{hold: hold, whole: exec.MakeElementEncoder(c)}
	if coder.IsKV(c) {
		e.key = exec.MakeElementEncoder(c.Components[0])
	}
	return e
}

// encode writes an element to the store.
func (e *encoder) encode(s *store, v *exec.FullValue) (item, error) {
	key := 0
	if e.key != nil {
		e.buffer.Reset()
		if err := e.key.Encode(wrap(v.Elm), &e.buffer); err != nil {
			return item{}, err
		}
		key = e.buffer.Len()
	}
	e.buffer.Reset()
	if err := e.whole.Encode(v, &e.buffer); err != nil {
		return item{}, err
	}
	i, err := s.put(e.buffer.Bytes(), key)
	if e.hold {
		held := *v // the engine reuses v, but not the values in it
		i.held = &held
	}
	return i, err
}

// check returns an error if an element that is held in memory differs from its
// encoding.
func (s *store) check(c *collection) error {
	e := newEncoder(c.coder, false)
	for _, i := range c.items {
		if i.held == nil || i.values != nil {
			continue
		}
		encoded, err := s.get(i, 0, i.length)
		if err != nil {
			return err
		}
		e.buffer.Reset()
		if err := e.whole.Encode(i.held, &e.buffer); err != nil {
			return err
		}
		if !bytes.Equal(encoded, e.buffer.Bytes()) {
			return errChanged
		}
	}
	return nil
}

// errChanged is the error if a function changes an element.
var errChanged = errors.New("cutrunner: an element has changed after it was emitted")

// wrap returns v as an element.
func wrap(v any) *exec.FullValue {
	if full, ok := v.(*exec.FullValue); ok {
		return full
	}
	return &exec.FullValue{Elm: v}
}

// A decoder decodes a collection's elements.
type decoder struct {
	store             *store
	whole, key, value exec.ElementDecoder
}

func newDecoder(s *store, c *coder.Coder) *decoder {
	d := &decoder{store: s, whole: exec.MakeElementDecoder(c)}
	if coder.IsKV(c) {
		d.key = exec.MakeElementDecoder(c.Components[0])
		d.value = exec.MakeElementDecoder(c.Components[1])
	}
	return d
}

// decode decodes an element, or a key with its values.
func (d *decoder) decode(i item) (*exec.FullValue, []exec.ReStream, error) {
	switch {
	case i.held != nil && i.values == nil:
		return global(*i.held), nil, nil
	case i.held != nil:
		return global(*wrap(i.held.Elm)), []exec.ReStream{&values{d, i.values}}, nil
	case i.values == nil:
		v, err := d.read(d.whole, i, 0, i.length)
		return v, nil, err
	}
	v, err := d.read(d.key, i, 0, i.key)
	return v, []exec.ReStream{&values{d, i.values}}, err
}

func (d *decoder) read(with exec.ElementDecoder, i item, from, to int32) (*exec.FullValue, error) {
	encoded, err := d.store.get(i, from, to)
	if err != nil {
		return nil, err
	}
	v, err := with.Decode(bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	return global(*v), nil
}

// global returns v in the global window.
func global(v exec.FullValue) *exec.FullValue {
	v.Timestamp, v.Windows = mtime.ZeroTimestamp, window.SingleGlobalWindow
	return &v
}

// A key's values can be read several times.
type values struct {
	decoder *decoder
	items   []item
}

func (v *values) Open() (exec.Stream, error) { return &values{v.decoder, v.items}, nil }

func (v *values) Read() (*exec.FullValue, error) {
	if len(v.items) == 0 {
		return nil, io.EOF
	}
	i := v.items[0]
	v.items = v.items[1:]
	if i.held != nil {
		return global(*wrap(i.held.Elm2)), nil
	}
	return v.decoder.read(v.decoder.value, i, i.key, i.length)
}

func (v *values) Close() error { return nil }

// group groups the elements by key, in the order in which the keys first occur.
func (s *store) group(items []item) ([]item, error) {
	place := map[string]int{}
	var groups []item
	for _, i := range items {
		key, err := s.get(i, 0, i.key)
		if err != nil {
			return nil, err
		}
		at, known := place[string(key)]
		if !known {
			at = len(groups)
			place[string(key)] = at
			groups = append(groups, i)
		}
		groups[at].values = append(groups[at].values, i)
	}
	return groups, nil
}
