package cutrunner

import (
	"bytes"
	"errors"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
)

// A collection contains the elements that one stage sends to the next.
type collection struct {
	store *store
	hold  bool         // elements are also held in memory
	coder *coder.Coder // of an element, or of the pairs that are grouped
	items []item
}

// An item is an element. In a grouped collection, it is the first pair with its
// key, and group contains all pairs with this key.
type item struct {
	stored span
	held   *exec.FullValue // nil unless the element is held in memory
	group  []item
}

// encode returns an element's encoding.
func (c *collection) encode(v *exec.FullValue) ([]byte, error) {
	var encoded bytes.Buffer
	err := exec.MakeElementEncoder(c.coder).Encode(v, &encoded)
	return encoded.Bytes(), err
}

// keep stores an element, which the caller can then add to items.
func (c *collection) keep(v *exec.FullValue) (item, error) {
	encoded, err := c.encode(v)
	if err != nil {
		return item{}, err
	}
	stored, err := c.store.write(encoded)
	i := item{stored: stored}
	if c.hold {
		held := *v // the engine reuses v, but not the values in it
		i.held = &held
	}
	return i, err
}

// value returns an item's element.
func (c *collection) value(i item) (*exec.FullValue, error) {
	if i.held != nil {
		return i.held, nil
	}
	encoded, err := c.store.read(i.stored)
	if err != nil {
		return nil, err
	}
	return exec.MakeElementDecoder(c.coder).Decode(bytes.NewReader(encoded))
}

// checkHeld returns an error if an element that is held in memory differs from
// its encoding.
func (c *collection) checkHeld() error {
	for _, i := range c.items {
		if i.held == nil {
			continue
		}
		want, err := c.store.read(i.stored)
		if err != nil {
			return err
		}
		got, err := c.encode(i.held)
		if err != nil {
			return err
		}
		if !bytes.Equal(want, got) {
			return errors.New("cutrunner: an element has changed after it was emitted")
		}
	}
	return nil
}

// group returns the items of a collection of pairs, grouped by key, in the
// order in which the keys first occur. If divide is set, each pair is a group
// of its own, as if the runner had a bug.
func (c *collection) group(divide bool) ([]item, error) {
	var groups []item
	number := map[string]int{} // of a key's group
	for _, i := range c.items {
		key, err := c.key(i)
		if err != nil {
			return nil, err
		}
		n, known := number[key]
		if !known || divide {
			n = len(groups)
			number[key] = n
			groups = append(groups, i)
		}
		groups[n].group = append(groups[n].group, i)
	}
	return groups, nil
}

// key returns a pair's encoded key.
func (c *collection) key(i item) (string, error) {
	encoded, err := c.store.read(i.stored)
	if err != nil {
		return "", err
	}
	rest := bytes.NewReader(encoded)
	_, err = exec.MakeElementDecoder(c.coder.Components[0]).Decode(rest)
	return string(encoded[:len(encoded)-rest.Len()]), err
}

// input returns an item as a stage's function receives it: as an element, or as
// a key with its values.
func (c *collection) input(i item) (*exec.FullValue, []exec.ReStream, error) {
	v, err := c.value(i)
	switch {
	case err != nil:
		return nil, nil, err
	case i.group == nil:
		return global(v), nil, nil
	}
	return global(v.Elm), []exec.ReStream{&values{c, i.group}}, nil
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

// The values of a key can be read several times.
type values struct {
	in    *collection
	pairs []item
}

func (v *values) Open() (exec.Stream, error) { return &values{v.in, v.pairs}, nil }

func (v *values) Read() (*exec.FullValue, error) {
	if len(v.pairs) == 0 {
		return nil, io.EOF
	}
	pair, err := v.in.value(v.pairs[0])
	if err != nil {
		return nil, err
	}
	v.pairs = v.pairs[1:]
	return global(pair.Elm2), nil
}

func (v *values) Close() error { return nil }
