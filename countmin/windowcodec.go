package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Window, version 1. The payload consists of
// Panes+1 panes, starting with the oldest. A pane is one word, which is the
// number of bytes that follow, and the payload of a tracker, which is empty if
// the pane has counted nothing; see internal/tracker/codec.go.
type windowParams struct {
	Phi         float64       // offset 0
	Keys        uint64        // 8: or 0
	Span        time.Duration // 16: in nanoseconds, or 0
	Panes       uint64        // 24
	MemoryBytes uint64        // 32
	Timed       uint64        // 40: 1 if the time is known, otherwise 0
	// 48: the number of the last pane if the time is known: the time since 1970
	// divided by the time of a part, rounded down, in two's complement
	Pane uint64
}

// AppendBinary is like [HeavyHitters.AppendBinary] for a Window. The encoding
// also contains the time.
func (w *Window) AppendBinary(dst []byte) ([]byte, error) { return frame.AppendBinary(dst, w.encode) }

// MarshalBinary is like [Window.AppendBinary] with a nil dst.
func (w *Window) MarshalBinary() ([]byte, error) { return w.AppendBinary(nil) }

// WriteTo writes the encoded window to dst. See Encoding in package [hashfam].
func (w *Window) WriteTo(dst io.Writer) (int64, error) { return frame.WriteTo(dst, errs, w.encode) }

// UnmarshalBinary is like [HeavyHitters.UnmarshalBinary] for a Window.
func (w *Window) UnmarshalBinary(data []byte) error {
	return w.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom decodes the next Window from r into w. See Encoding in package
// [hashfam].
func (w *Window) ReadFrom(r io.Reader) (int64, error) { return frame.ReadFrom(r, errs, w.decode) }

// MarshalText returns the encoded window in base64.
func (w Window) MarshalText() ([]byte, error) { return frame.MarshalText(&w) }

// UnmarshalText decodes a window's text form into w.
func (w *Window) UnmarshalText(text []byte) error { return frame.UnmarshalText(w, text, errs) }

// encode returns the frame of w, or ErrParams if w is zero.
func (w *Window) encode() (frame.Header, frame.Payload, error) {
	c := w.config
	if err := c.check(hashfam.ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	p := windowParams{
		Phi: c.Phi, Keys: c.Keys, Span: c.Span, Panes: uint64(c.Parts), MemoryBytes: uint64(c.MemoryBytes),
	}
	if w.ring.Known() {
		p.Timed = 1
		p.Pane = w.ring.Word()
	}
	size := uint64(0)
	for i := range w.panes.All {
		size += 8 + w.panes.All[i].PayloadBytes()
	}
	return header(frame.Window, c.Family, p, size), w.payload, nil
}

// payload yields the bytes of the panes.
func (w *Window) payload(yield func([]byte) bool) {
	for i := range w.panes.All {
		t := &w.panes.All[i]
		if !yield(binary.LittleEndian.AppendUint64(nil, t.PayloadBytes())) {
			return
		}
		for piece := range t.Payload() {
			if !yield(piece) {
				return
			}
		}
	}
}

// decode reads a window and finally, if there was no error, stores it in w.
func (w *Window) decode(r *frame.Reader) error {
	t := Window{config: WindowConfig{Family: w.family}}
	data, err := read(r, w.family, t.parse, frame.Window)
	if err != nil {
		return err
	}
	t.tracked = tracked{w.family, tracker.Blank(t.config.goal(), t.config.Parts+1, t.ring.Keys())}
	for i := range t.panes.All {
		if data, err = t.decodePane(r, i, data); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		return r.Corrupt("bytes after the last pane", len(data), "0")
	}
	t.panes = tracker.NewPanes(t.panes.All, t.ring.Keys())
	*w = t
	return nil
}

// decodePane reads pane i from the beginning of data and returns the rest.
func (w *Window) decodePane(r *frame.Reader, i int, data []byte) ([]byte, error) {
	if len(data) < 8 {
		return nil, r.Corrupt(fmt.Sprint("length of pane ", i), "missing", "8 bytes")
	}
	n := binary.LittleEndian.Uint64(data)
	data = data[8:]
	if n > uint64(len(data)) {
		return nil, r.Corrupt(fmt.Sprint("length of pane ", i), n, fmt.Sprintf("at most %d, the bytes left", len(data)))
	}
	if n > 0 {
		t, err := tracker.Decode(r, data[:n], w.panes.All[i].Goal, w.family)
		if err != nil {
			return nil, err
		}
		if t.Total() == 0 {
			return nil, r.Corrupt(fmt.Sprint("total of pane ", i), 0, "no bytes for an empty pane")
		}
		w.panes.All[i] = t
	}
	return data[n:], w.checkPane(r, i)
}

// checkPane returns an error if no window can have pane i after the previous
// ones. In a window of Keys, a pane begins when the previous one is full. While
// the time of a Span is unknown, there is only one pane.
func (w *Window) checkPane(r *frame.Reader, i int) error {
	size := w.ring.Keys()
	total := w.panes.All[i].Total()
	last := i == len(w.panes.All)-1
	begun := i > 0 && w.panes.All[i-1].Total() > 0
	field := fmt.Sprint("total of pane ", i)
	switch {
	case size == 0 && (w.ring.Known() || last), size > 0 && total == 0 && !begun:
		return nil
	case size == 0 && total > 0:
		return r.Corrupt(field, total, "0 without a time, except in the last pane")
	case size == 0:
		return nil
	case total > size:
		return r.Corrupt(field, total, fmt.Sprintf("at most %d, the keys of a part", size))
	case total == 0:
		return r.Corrupt(field, total, fmt.Sprintf("%d, since the previous pane has begun", size))
	case total < size && !last:
		return r.Corrupt(field, total, fmt.Sprintf("%d, except in the last pane", size))
	}
	return nil
}

// parse sets the configuration and the time from the parameters in a verified
// header.
func (w *Window) parse(h frame.Header) error {
	var p windowParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return err
	}
	w.config = WindowConfig{
		Phi: p.Phi, Keys: p.Keys, Span: p.Span, Parts: intOf(p.Panes), MemoryBytes: intOf(p.MemoryBytes),
		Family: w.config.Family,
	}
	if err := w.config.check(hashfam.ErrCorrupt); err != nil {
		return err
	}
	w.ring = w.config.ring()
	return w.setTime(p)
}

// setTime sets the time from the parameters.
func (w *Window) setTime(p windowParams) error {
	switch {
	case p.Timed > 1:
		return errs.Field(hashfam.ErrCorrupt, "Timed", p.Timed, "0 or 1")
	case p.Timed == 0 && p.Pane != 0:
		return errs.Field(hashfam.ErrCorrupt, "Pane", p.Pane, "0 without a time")
	case p.Timed == 0:
		return nil
	case p.Span == 0:
		return errs.Field(hashfam.ErrCorrupt, "Timed", p.Timed, "0 without a Span")
	case !w.ring.SetWord(p.Pane) || !w.ring.Known():
		return errs.Field(hashfam.ErrCorrupt, "Pane", int64(p.Pane), "the number of a part of the Span")
	}
	return nil
}
