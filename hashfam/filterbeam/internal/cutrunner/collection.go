package cutrunner

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
)

// A collection contains the elements that one stage sends to the next.
type collection struct {
	*runner
	coder *coder.Coder // of an element, or of the pairs that are grouped
	items []item
}

// An item is an encoded element in the file. In a grouped collection, it is the
// first pair with its key, and values contains all pairs with this key.
type item struct {
	held       *exec.FullValue // the element, if it is held in memory
	at, length int64
	values     []item
}

// bytes returns an item's encoding.
func (c *collection) bytes(i item) ([]byte, error) {
	encoded := make([]byte, i.length)
	_, err := c.file.ReadAt(encoded, i.at)
	return encoded, err
}

// encode returns an element's encoding.
func (c *collection) encode(v *exec.FullValue) ([]byte, error) {
	var encoded bytes.Buffer
	err := exec.MakeElementEncoder(c.coder).Encode(v, &encoded)
	return encoded.Bytes(), err
}

// store writes an element to the file.
func (c *collection) store(v *exec.FullValue) (item, error) {
	encoded, err := c.encode(v)
	if err != nil {
		return item{}, err
	}
	i := item{length: int64(len(encoded))}
	i.at = c.end.Add(i.length) - i.length
	if c.options.Hold {
		held := *v // the engine reuses v, but not the values in it
		i.held = &held
	}
	_, err = c.file.WriteAt(encoded, i.at)
	return i, err
}

// check returns an error if an element that is held in memory differs from its
// encoding.
func (c *collection) check() error {
	for _, i := range c.items {
		if i.held == nil {
			continue
		}
		want, err := c.bytes(i)
		if err != nil {
			return err
		}
		if got, err := c.encode(i.held); err != nil || !bytes.Equal(want, got) {
			return cmp.Or(err, errors.New("cutrunner: an element has changed after it was emitted"))
		}
	}
	return nil
}

// read returns an item's element.
func (c *collection) read(i item) (*exec.FullValue, error) {
	if i.held != nil {
		return i.held, nil
	}
	encoded, err := c.bytes(i)
	if err != nil {
		return nil, err
	}
	return exec.MakeElementDecoder(c.coder).Decode(bytes.NewReader(encoded))
}

// element returns an element, or a key with its values.
func (c *collection) element(i item) (*exec.FullValue, []exec.ReStream, error) {
	v, err := c.read(i)
	switch {
	case err != nil:
		return nil, nil, err
	case i.values == nil:
		return global(v), nil, nil
	}
	return global(v.Elm), []exec.ReStream{&values{c, i.values}}, nil
}

// global returns v as an element in the global window.
func global(v any) *exec.FullValue {
	element := exec.FullValue{Elm: v}
	if full, ok := v.(*exec.FullValue); ok {
		element = *full
	}
	element.Timestamp = mtime.ZeroTimestamp
	element.Windows = window.SingleGlobalWindow
	return &element
}

// A key's values can be read several times.
type values struct {
	in    *collection
	items []item
}

func (v *values) Open() (exec.Stream, error) { return &values{v.in, v.items}, nil }

func (v *values) Read() (*exec.FullValue, error) {
	if len(v.items) == 0 {
		return nil, io.EOF
	}
	pair, err := v.in.read(v.items[0])
	if err != nil {
		return nil, err
	}
	v.items = v.items[1:]
	return global(pair.Elm2), nil
}

func (v *values) Close() error { return nil }
