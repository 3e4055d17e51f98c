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
	hold bool // also hold the elements in memory
}

// A collection contains the elements that one stage sends to the next.
type collection struct {
	*store
	coder *coder.Coder // of an element, or of the pairs that are grouped
	items []item
}

// An item is an encoded element in the store. In a grouped collection, it is
// the first pair with its key, and values contains all pairs with this key.
type item struct {
	held       *exec.FullValue // the element, if it is held in memory
	at, length int64
	values     []item
}

// bytes returns an item's encoding.
func (s *store) bytes(i item) ([]byte, error) {
	encoded := make([]byte, i.length)
	_, err := s.file.ReadAt(encoded, i.at)
	return encoded, err
}

// encoder returns a function that writes an element to the store.
func (c *collection) encoder() func(*exec.FullValue) (item, error) {
	encoder := exec.MakeElementEncoder(c.coder)
	return func(v *exec.FullValue) (item, error) {
		var encoded bytes.Buffer
		if err := encoder.Encode(v, &encoded); err != nil {
			return item{}, err
		}
		i := item{length: int64(encoded.Len())}
		i.at = c.end.Add(i.length) - i.length
		if c.hold {
			held := *v // the engine reuses v, but not the values in it
			i.held = &held
		}
		_, err := c.file.WriteAt(encoded.Bytes(), i.at)
		return i, err
	}
}

// check returns an error if an element that is held in memory differs from its
// encoding.
func (c *collection) check() error {
	encoder := exec.MakeElementEncoder(c.coder)
	for _, i := range c.items {
		if i.held == nil {
			continue
		}
		want, err := c.bytes(i)
		if err != nil {
			return err
		}
		var got bytes.Buffer
		if err := encoder.Encode(i.held, &got); err != nil {
			return err
		}
		if !bytes.Equal(want, got.Bytes()) {
			return errors.New("cutrunner: an element has changed after it was emitted")
		}
	}
	return nil
}

// group returns an item for each key, in the order in which they first occur.
func (c *collection) group() ([]item, error) {
	decoder := exec.MakeElementDecoder(c.coder.Components[0])
	place := map[string]int{}
	var groups []item
	for _, i := range c.items {
		encoded, err := c.bytes(i)
		if err != nil {
			return nil, err
		}
		rest := bytes.NewReader(encoded)
		if _, err := decoder.Decode(rest); err != nil {
			return nil, err
		}
		key := string(encoded[:len(encoded)-rest.Len()])
		at, known := place[key]
		if !known {
			at = len(groups)
			place[key] = at
			groups = append(groups, i)
		}
		groups[at].values = append(groups[at].values, i)
	}
	return groups, nil
}

// A decoder reads a collection's elements.
type decoder struct {
	*collection
	exec.ElementDecoder
}

// read returns an item's element.
func (d decoder) read(i item) (*exec.FullValue, error) {
	if i.held != nil {
		return i.held, nil
	}
	encoded, err := d.bytes(i)
	if err != nil {
		return nil, err
	}
	return d.Decode(bytes.NewReader(encoded))
}

// decode returns an element, or a key with its values.
func (d decoder) decode(i item) (*exec.FullValue, []exec.ReStream, error) {
	v, err := d.read(i)
	switch {
	case err != nil:
		return nil, nil, err
	case i.values == nil:
		return global(v), nil, nil
	}
	return global(v.Elm), []exec.ReStream{&values{d, i.values}}, nil
}

// global returns v as an element in the global window.
func global(v any) *exec.FullValue {
	element := exec.FullValue{Elm: v}
	if full, ok := v.(*exec.FullValue); ok {
		element = *full
	}
	element.Timestamp, element.Windows = mtime.ZeroTimestamp, window.SingleGlobalWindow
	return &element
}

// A key's values can be read several times.
type values struct {
	decoder
	items []item
}

func (v *values) Open() (exec.Stream, error) { return &values{v.decoder, v.items}, nil }

func (v *values) Read() (*exec.FullValue, error) {
	if len(v.items) == 0 {
		return nil, io.EOF
	}
	pair, err := v.read(v.items[0])
	if err != nil {
		return nil, err
	}
	v.items = v.items[1:]
	return global(pair.Elm2), nil
}

func (v *values) Close() error { return nil }
