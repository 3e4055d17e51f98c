package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The parameters in a frame of kind Window, version 1:
//
//	offset  size  field
//	     0     8  Phi, an IEEE 754 double
//	     8     8  Keys, or 0
//	    16     8  Span in nanoseconds, or 0
//	    24     8  Panes
//	    32     8  MemoryBytes
//	    40     8  1 if the time is known, else 0
//	    48     8  if it is, the number of the last pane: the time since 1970
//	              over Span/Panes, rounded down, in two's complement
//
// The payload has the panes, the oldest first, Panes+1 of them: one word, the
// number of words that follow, and then the payload of a tracker; see
// internal/tracker/codec.go. A pane that has counted nothing has no words.
const (
	windowVersion    = 1
	windowParamBytes = 56
)

// AppendBinary appends the encoded window to dst and returns the extended
// slice. The encoding depends only on the Params, the time and on what has been
// counted. It contains the family's check value but not its key; it does
// contain the bytes of the tracked keys. O(memory + r log r) time for r tracked
// keys. AppendBinary returns [ErrParams] if w is a zero Window, which cannot be
// encoded.
func (w *Window) AppendBinary(dst []byte) ([]byte, error) {
	h, err := w.header()
	if err != nil {
		return dst, err
	}
	return frame.Append(dst, h, frame.Words(w.payload())), nil
}

// MarshalBinary returns the encoded w. It is [Window.AppendBinary] with a nil
// dst.
func (w *Window) MarshalBinary() ([]byte, error) { return w.AppendBinary(nil) }

// WriteTo writes the encoded window to to, 64 KiB at a time, and returns the
// number of bytes written. It is like [Window.AppendBinary] in time, and
// returns the error of to; what has been written then is incomplete.
func (w *Window) WriteTo(to io.Writer) (int64, error) {
	h, err := w.header()
	if err != nil {
		return 0, err
	}
	return frame.Write(to, h, frame.Words(w.payload()))
}

// UnmarshalBinary decodes data into w, under the family that w already has:
// that of one in use, the one given to [NewWindowReceiver], or for a zero
// Window the public one. O(len(data)) time and memory; data is not kept. It
// returns [ErrCorrupt] if data is damaged, too short or too long, [ErrVersion]
// if it was encoded by a later version, and [ErrFamily] if under another
// family; w is then unchanged.
func (w *Window) UnmarshalBinary(data []byte) error {
	return w.decode(frame.NewBytesReader(data, errs))
}

// ReadFrom reads one encoded Window from r into w, and not one byte more. It
// takes memory in proportion to what has arrived; the rest of MemoryBytes is
// allocated when it is first needed. It is like [Window.UnmarshalBinary] in
// family, cost and errors. At the end of the stream the error is also io.EOF,
// by errors.Is; an error of r is passed on.
func (w *Window) ReadFrom(r io.Reader) (int64, error) {
	fr := frame.NewReader(r, errs)
	err := w.decode(fr)
	return fr.N(), err
}

// AppendText appends the text form of w to dst: the base64 of its encoding. It
// is like [Window.AppendBinary] in time, memory and errors.
func (w *Window) AppendText(dst []byte) ([]byte, error) {
	encoded, err := w.AppendBinary(nil)
	return frame.AppendText(dst, encoded, err)
}

// MarshalText returns the text form of w. It is [Window.AppendText] with a nil
// dst.
func (w *Window) MarshalText() ([]byte, error) { return w.AppendText(nil) }

// MarshalJSON returns the text form of w as a JSON string. It is like
// [Window.AppendBinary] in time and errors. Its receiver is a value so that a
// Window that is a value in a struct is encoded, too.
func (w Window) MarshalJSON() ([]byte, error) { return frame.JSON(w.AppendBinary(nil)) }

// UnmarshalText decodes a text form into w. It is like [Window.UnmarshalBinary]
// in family, cost and errors.
func (w *Window) UnmarshalText(text []byte) error {
	encoded, err := frame.FromText(text, errs)
	if err != nil {
		return err
	}
	return w.UnmarshalBinary(encoded)
}

// ReadWindowParams reads the header of an encoded window from r, and no more,
// and returns its configuration. The errors are those of [Window.ReadFrom].
// O(1) time and memory.
func ReadWindowParams(r io.Reader, fam hashfam.Family) (WindowConfig, error) {
	_, w, err := readWindow(frame.NewReader(r, errs), fam)
	return w.config, err
}

// NewWindowReceiver returns an empty Window to decode into. It accepts
// encodings made under fam. O(1) time.
func NewWindowReceiver(fam hashfam.Family) *Window {
	return &Window{config: WindowConfig{Family: fam}}
}

func (w *Window) header() (frame.Header, error) {
	if w == nil {
		return frame.Header{}, errs.Nil()
	}
	c := w.config
	if err := c.check(ErrParams); err != nil {
		return frame.Header{}, err
	}
	timed, words := uint64(0), uint64(0)
	if w.timed {
		timed = 1
	}
	for i := range w.panes {
		words += 1 + paneWords(&w.panes[i])
	}
	params := make([]byte, 0, windowParamBytes)
	for _, v := range []uint64{math.Float64bits(c.Phi), c.Keys, uint64(c.Span), uint64(c.Panes),
		uint64(c.MemoryBytes), timed, uint64(w.pane)} {
		params = binary.LittleEndian.AppendUint64(params, v)
	}
	return frame.Header{
		Kind:    frame.Window,
		Version: windowVersion,
		Check:   c.Family.CheckValue(),
		Params:  params,
		Payload: 8 * words,
	}, nil
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
		for i := range w.panes {
			words := paneWords(&w.panes[i])
			if !yield(words) {
				return
			}
			if words == 0 {
				continue
			}
			for word := range w.panes[i].Payload() {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// decode reads a window and replaces w by it at the end, if there was no error.
func (w *Window) decode(r *frame.Reader) error {
	if w == nil {
		return errs.Nil()
	}
	h, t, err := readWindow(r, w.config.Family)
	if err != nil {
		return err
	}
	words := frame.Read[uint64](r, h.Payload/8)
	if err := r.Err(); err != nil {
		return err
	}
	if least := t.config.Panes + 1; len(words) < least {
		return r.Corrupt("payload length", h.Payload, fmt.Sprint("at least ", 8*least))
	}
	t.panes = make([]tracker.Tracker, t.config.Panes+1)
	for i := range t.panes {
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
	*w = t
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
	t, err := tracker.DecodeWords(r, words[:n], w.config.goal(), w.config.Family)
	if err != nil {
		return nil, err
	}
	if t.Total() == 0 {
		return nil, r.Corrupt(fmt.Sprint("total of pane ", i), 0, "no words for a pane without counts")
	}
	w.panes[i] = t
	return words[n:], nil
}

// checkPanes checks that the panes can have come about: in a window of Keys a
// pane is started when the one before it is full, and without a time there is
// one pane.
func (w *Window) checkPanes(r *frame.Reader) error {
	size, begun := w.config.paneKeys(), false
	for i := range w.panes {
		total, last := w.panes[i].Total(), i == len(w.panes)-1
		switch {
		case w.config.Keys > 0 && (total > size || begun && total == 0 || total > 0 && total < size && !last):
			return r.Corrupt(fmt.Sprint("total of pane ", i), total, fmt.Sprintf("%d, except before the first and in the last", size))
		case w.config.Span > 0 && !w.timed && total > 0 && !last:
			return r.Corrupt(fmt.Sprint("total of pane ", i), total, "0 without a time")
		}
		begun = begun || total > 0
	}
	return nil
}

// readWindow reads the header of a window of the family, and returns the window
// without its panes.
func readWindow(r *frame.Reader, fam hashfam.Family) (frame.Header, Window, error) {
	h := r.Header(frame.Window, windowVersion, fam.CheckValue())
	if err := r.Err(); err != nil {
		return h, Window{}, err
	}
	if len(h.Params) != windowParamBytes {
		return h, Window{}, r.Corrupt("parameters", fmt.Sprintf("% x", h.Params), "56 bytes")
	}
	var v [windowParamBytes / 8]uint64
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(h.Params[8*i:])
	}
	if v[3] > mostPanes || v[4] > tracker.MaxMemory {
		return h, Window{}, r.Corrupt("Panes, MemoryBytes", v[3:5], fmt.Sprintf("at most %d, %d", mostPanes, uint64(tracker.MaxMemory)))
	}
	w := Window{timed: v[5] == 1, pane: int64(v[6]), config: WindowConfig{
		Phi: math.Float64frombits(v[0]), Keys: v[1], Span: time.Duration(v[2]), Panes: int(v[3]), MemoryBytes: int(v[4]), Family: fam,
	}}
	if err := w.config.check(ErrCorrupt); err != nil {
		return h, Window{}, err
	}
	if v[5] > 1 || v[5] == 0 && v[6] != 0 || w.timed && !w.config.reaches(w.pane) {
		return h, Window{}, r.Corrupt("time", v[5:], "1 and the number of a pane of a Span, or 0 and 0")
	}
	return h, w, nil
}

// reaches reports whether a window of c can be in the pane of that number.
func (c WindowConfig) reaches(pane int64) bool {
	if c.Span == 0 {
		return false
	}
	length := int64(c.Span) / int64(c.Panes)
	return pane <= mostNanoseconds/length && pane >= -mostNanoseconds/length-1
}
