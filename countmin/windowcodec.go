package countmin

import (
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Window, version 1: The payload has the
// panes, the oldest first, Panes+1 of them: one word, the number of words that
// follow, and then the payload of a tracker; see internal/tracker/codec.go. A
// pane that has counted nothing has no words.
type windowParams struct {
	Phi         float64       // offset 0
	Keys        uint64        // 8: or 0
	Span        time.Duration // 16: in nanoseconds, or 0
	Panes       uint64        // 24
	MemoryBytes uint64        // 32
	Timed       uint64        // 40: 1 if the time is known, else 0
	// 48: if it is, the number of the last pane: the time since 1970 over
	// Span/Panes, rounded down, in two's complement
	Pane uint64
}

// An openWindow is what a header tells: a window without its panes, and the
// number of words of the payload.
type openWindow struct {
	Window
	words uint64
}

var windowFormat = frame.Format[openWindow, uint64]{
	Kind: frame.Window, Version: 1, Errs: errs, Parse: parseWindow,
	Len: func(w openWindow) uint64 { return w.words },
}

// AppendBinary appends the encoded window to dst and returns the extended
// slice. It is like [HeavyHitters.AppendBinary]; the encoding depends on the
// time, too.
func (w *Window) AppendBinary(dst []byte) ([]byte, error) {
	return frame.AppendBinary(dst, w.encode)
}

// MarshalBinary returns the encoded w. It is [Window.AppendBinary] with a nil
// dst.
func (w *Window) MarshalBinary() ([]byte, error) { return w.AppendBinary(nil) }

// WriteTo writes the encoded window to to. It is like [HeavyHitters.WriteTo].
func (w *Window) WriteTo(to io.Writer) (int64, error) { return frame.WriteTo(to, w.encode) }

// UnmarshalBinary decodes data into w. It is like
// [HeavyHitters.UnmarshalBinary]; [NewWindowReceiver] makes a w with a family.
func (w *Window) UnmarshalBinary(data []byte) error {
	return w.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded Window from r into w. It is like
// [HeavyHitters.ReadFrom].
func (w *Window) ReadFrom(r io.Reader) (int64, error) {
	return frame.ReadFrom(r, errs, w.decode)
}

// MarshalText returns the text form of w, the base64 of its encoding. It is
// like [Window.AppendBinary] in time, memory and errors.
func (w Window) MarshalText() ([]byte, error) { return frame.MarshalText(&w) }

// UnmarshalText decodes a text form into w. It is like [Window.UnmarshalBinary]
// in family, cost and errors.
func (w *Window) UnmarshalText(text []byte) error {
	return frame.UnmarshalText(w, text, errs)
}

// encode returns the frame of w, or ErrParams if w is zero.
func (w *Window) encode() (frame.Header, frame.Payload, error) {
	c := w.config
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	timed, pane, words := uint64(0), uint64(0), uint64(0)
	if w.time.Known() {
		timed, pane = 1, w.time.Word()
	}
	for i := range w.panes.All {
		words += 1 + paneWords(&w.panes.All[i])
	}
	h := windowFormat.New(c.Family, windowParams{
		Phi: c.Phi, Keys: c.Keys, Span: c.Span, Panes: uint64(c.Panes),
		MemoryBytes: uint64(c.MemoryBytes), Timed: timed, Pane: pane,
	}, 8*words)
	return h, frame.Words(w.payload()), nil
}

// paneWords returns how many words the payload of a pane has.
func paneWords(t *tracker.Tracker) uint64 {
	if t.Total() == 0 {
		return 0
	}
	return t.PayloadWords()
}

// payload yields the words of the panes.
func (w *Window) payload() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		more := true
		put := func(word uint64) bool {
			more = more && yield(word)
			return more
		}
		for i := range w.panes.All {
			if t := &w.panes.All[i]; put(paneWords(t)) && t.Total() > 0 {
				t.Payload()(put)
			}
		}
	}
}

// decode reads a window and replaces w by it at the end, if there was no error.
func (w *Window) decode(r *frame.Reader) error {
	t, words, err := windowFormat.Read(r, w.family)
	if err != nil {
		return err
	}
	if least := t.config.Panes + 1; len(words) < least {
		return r.Corrupt("payload length", 8*len(words), fmt.Sprint("at least ", 8*least))
	}
	t.makePanes()
	for i := range t.panes.All {
		if words, err = t.decodePane(r, i, words); err != nil {
			return err
		}
	}
	if len(words) > 0 {
		return r.Corrupt("words after the last pane", len(words), "0")
	}
	if err := t.checkPanes(r); err != nil {
		return err
	}
	t.panes = tracker.NewPanes(t.panes.All, t.time.Keys())
	*w = t.Window
	return nil
}

// decodePane reads pane i from the beginning of words, and returns the rest.
func (w *Window) decodePane(r *frame.Reader, i int, words []uint64) ([]uint64, error) {
	if len(words) == 0 || words[0] > uint64(len(words)-1) {
		return nil, r.Corrupt(fmt.Sprint("length of pane ", i), len(words), "what the pane says, and one word")
	}
	n := words[0]
	words = words[1:]
	if n == 0 {
		return words, nil
	}
	t, err := tracker.Decode(r, words[:n], w.panes.All[i].Goal, w.family)
	if err != nil {
		return nil, err
	}
	if t.Total() == 0 {
		return nil, r.Corrupt(fmt.Sprint("total of pane ", i), 0, "no words for a pane without counts")
	}
	w.panes.All[i] = t
	return words[n:], nil
}

// checkPanes checks that the panes can have come about: in a window of Keys a
// pane is started when the one before it is full, and without a time there is
// one pane.
func (w *Window) checkPanes(r *frame.Reader) error {
	size, begun := w.time.Keys(), false
	for i := range w.panes.All {
		total, last := w.panes.All[i].Total(), i == len(w.panes.All)-1
		switch {
		case w.config.Keys > 0 && (total > size || begun && total == 0 || total > 0 && total < size && !last):
			return r.Corrupt(fmt.Sprint("total of pane ", i), total, fmt.Sprintf("%d, except before the first and in the last", size))
		case w.config.Span > 0 && !w.time.Known() && total > 0 && !last:
			return r.Corrupt(fmt.Sprint("total of pane ", i), total, "0 without a time")
		}
		begun = begun || total > 0
	}
	return nil
}

// parseWindow reads the parameters of a verified header.
func parseWindow(h frame.Header, fam hashfam.Family) (openWindow, error) {
	var p windowParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return openWindow{}, err
	}
	if p.Panes > mostPanes || p.MemoryBytes > tracker.MaxMemory {
		return openWindow{}, errs.Field(ErrCorrupt, "Panes, MemoryBytes", [...]uint64{p.Panes, p.MemoryBytes},
			fmt.Sprintf("at most %d, %d", mostPanes, uint64(tracker.MaxMemory)))
	}
	w := openWindow{Window{config: WindowConfig{
		Phi: p.Phi, Keys: p.Keys, Span: p.Span, Panes: int(p.Panes), MemoryBytes: int(p.MemoryBytes), Family: fam,
	}}, h.Payload / 8}
	if err := w.config.check(ErrCorrupt); err != nil {
		return openWindow{}, err
	}
	w.time = w.config.ring()
	if !w.setTime(p.Timed, p.Pane) {
		return openWindow{}, errs.Field(ErrCorrupt, "time", [...]uint64{p.Timed, p.Pane}, "1 and the number of a pane of a Span, or 0 and 0")
	}
	return w, nil
}

// setTime sets the time to that of a frame, and reports whether it can be.
func (w *Window) setTime(timed, pane uint64) bool {
	if timed == 1 {
		return w.config.Span > 0 && w.time.SetWord(pane) && w.time.Known()
	}
	return timed == 0 && pane == 0
}
