package countmin

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// windowParams are the parameters in a frame of kind Window, version 1. The
// payload consists of Parts+1 panes, starting with the oldest. A pane is one
// word, which is the number of bytes that follow, and the payload of a tracker,
// which is empty if the pane has counted nothing; see
// internal/tracker/codec.go.
type windowParams struct {
	Phi         float64       // offset 0: or 0
	K           uint64        // 8: or 0
	Keys        uint64        // 16: or 0
	Span        time.Duration // 24: in nanoseconds, or 0
	Parts       uint64        // 32
	MemoryBytes uint64        // 40
	Timed       uint64        // 48: 1 if the time is known, otherwise 0
	// 56: the number of the newest part if the time is known: the time since
	// 1970 divided by the time of a part, rounded down, in two's complement
	Part uint64
}

var windowFormat = frame.Format[recent, byte]{Kind: frame.Window, Version: 1, Errs: errs, Parse: parseWindow}

func (s recent) encode(fam hashfam.Family, panes *tracker.Panes) (frame.Header, frame.Payload, error) {
	c := s.config
	if err := c.check(hashfam.ErrParams); err != nil {
		return frame.Header{}, nil, err
	}
	p := windowParams{
		Phi: c.Phi, K: uint64(c.K), Keys: c.Keys, Span: c.Span, Parts: uint64(c.Parts), MemoryBytes: uint64(c.MemoryBytes),
	}
	if s.ring.Known() {
		p.Timed = 1
		p.Part = s.ring.Word()
	}
	size := uint64(0)
	for i := range panes.All {
		size += 8 + panes.All[i].PayloadBytes()
	}
	return windowFormat.New(fam, p, size), payloadOf(panes.All), nil
}

// payloadOf returns the payload of the panes.
func payloadOf(panes []tracker.Tracker) frame.Payload {
	return func(yield func([]byte) bool) {
		for i := range panes {
			if !yield(binary.LittleEndian.AppendUint64(nil, panes[i].PayloadBytes())) {
				return
			}
			for piece := range panes[i].Payload() {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

func (recent) decode(r *frame.Reader, fam hashfam.Family) (recent, tracker.Panes, error) {
	s, payload, err := windowFormat.Read(r, fam)
	if err != nil {
		return s, tracker.Panes{}, err
	}
	panes := s.blank().All
	for i := range panes {
		if payload, err = decodePane(r, &panes[i], i, payload, fam); err != nil {
			return s, tracker.Panes{}, err
		}
		if err := s.checkPane(r, panes, i); err != nil {
			return s, tracker.Panes{}, err
		}
	}
	if len(payload) > 0 {
		return s, tracker.Panes{}, r.Corrupt("bytes after the last pane", len(payload), "0")
	}
	return s, tracker.NewPanes(panes, s.ring.Keys()), nil
}

// decodePane reads pane i from the beginning of data and returns the rest. t is
// blank and has the goal of the pane.
func decodePane(r *frame.Reader, t *tracker.Tracker, i int, data []byte, fam hashfam.Family) ([]byte, error) {
	if len(data) < 8 {
		return nil, r.Corrupt(fmt.Sprint("length of pane ", i), "missing", "8 bytes")
	}
	n := binary.LittleEndian.Uint64(data)
	data = data[8:]
	if n > uint64(len(data)) {
		return nil, r.Corrupt(fmt.Sprint("length of pane ", i), n, fmt.Sprintf("at most %d, the bytes left", len(data)))
	}
	if n == 0 {
		return data, nil
	}
	decoded, err := tracker.Decode(r, data[:n], t.Goal, fam)
	if err != nil {
		return nil, err
	}
	if decoded.Total() == 0 {
		return nil, r.Corrupt(fmt.Sprint("total of pane ", i), 0, "no bytes for an empty pane")
	}
	*t = decoded
	return data[n:], nil
}

// checkPane returns an error if pane i has a number of keys that no window can
// have. In a window of Keys, a pane begins when the previous one is full. In a
// window of time, only the last pane can contain keys while the time is
// unknown.
func (s *recent) checkPane(r *frame.Reader, panes []tracker.Tracker, i int) error {
	size := s.ring.Keys()
	total := panes[i].Total()
	last := i == len(panes)-1
	begun := i > 0 && panes[i-1].Total() > 0
	field := fmt.Sprint("total of pane ", i)
	switch {
	case size == 0 && (s.ring.Known() || last), size > 0 && total == 0 && !begun:
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

// parseWindow parses a verified header.
func parseWindow(h frame.Header, fam hashfam.Family) (recent, error) {
	var p windowParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return recent{}, err
	}
	c := WindowConfig{
		Phi: p.Phi, K: intOf(p.K), Keys: p.Keys, Span: p.Span, Parts: intOf(p.Parts), MemoryBytes: intOf(p.MemoryBytes),
		Family: fam,
	}
	if err := c.check(hashfam.ErrCorrupt); err != nil {
		return recent{}, err
	}
	s := recent{c, c.ring()}
	return s, s.setTime(p)
}

// setTime sets the time from the parameters.
func (s *recent) setTime(p windowParams) error {
	switch {
	case p.Timed > 1:
		return errs.Field(hashfam.ErrCorrupt, "Timed", p.Timed, "0 or 1")
	case p.Timed == 0 && p.Part != 0:
		return errs.Field(hashfam.ErrCorrupt, "Part", p.Part, "0 without a time")
	case p.Timed == 0:
		return nil
	case p.Span == 0:
		return errs.Field(hashfam.ErrCorrupt, "Timed", p.Timed, "0 without a Span")
	case !s.ring.SetWord(p.Part) || !s.ring.Known():
		return errs.Field(hashfam.ErrCorrupt, "Part", int64(p.Part), "the number of a part of the Span")
	}
	return nil
}
