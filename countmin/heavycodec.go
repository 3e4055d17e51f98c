package countmin

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// heavyParams are the parameters in a frame of version 1, whose kind is
// HeavyHitters if Phi is given, or TopK if K is. The payload is a tracker's;
// see internal/tracker/codec.go.
type heavyParams struct {
	Goal        uint64 // offset 0: Phi, as an IEEE 754 double, or K
	MemoryBytes uint64 // 8
}

var heavyFormat = frame.Format[tracker.Goal, byte]{
	Kind: frame.HeavyHitters, Also: frame.TopK, Version: 1, Errs: errs, Parse: parseHeavy,
}

func (whole) encode(fam hashfam.Family, panes *tracker.Panes) (frame.Header, frame.Payload, error) {
	t := panes.Last
	if t == nil {
		return frame.Header{}, nil, errs.Field(hashfam.ErrParams, "receiver", "zero", "a structure from a constructor or from decoding")
	}
	p := heavyParams{math.Float64bits(t.Phi), t.Memory}
	if t.K > 0 {
		p.Goal = uint64(t.K)
	}
	h := heavyFormat.New(fam, p, t.PayloadBytes())
	if t.K > 0 {
		h.Kind = frame.TopK
	}
	return h, t.Payload(), nil
}

func (whole) decode(r *frame.Reader, fam hashfam.Family) (whole, tracker.Panes, error) {
	g, payload, err := heavyFormat.Read(r, fam)
	if err != nil {
		return whole{}, tracker.Panes{}, err
	}
	t, err := tracker.Decode(r, payload, g, fam)
	return whole{}, tracker.NewPanes([]tracker.Tracker{t}, 0), err
}

// parseHeavy parses a verified header.
func parseHeavy(h frame.Header, _ hashfam.Family) (tracker.Goal, error) {
	var p heavyParams
	if err := h.DecodeParams(&p, errs); err != nil {
		return tracker.Goal{}, err
	}
	c := HeavyConfig{MemoryBytes: intOf(p.MemoryBytes)}
	if h.Kind == frame.HeavyHitters {
		c.Phi = math.Float64frombits(p.Goal)
		return c.goal(hashfam.ErrCorrupt)
	}
	c.K = intOf(p.Goal)
	if c.K == 0 {
		return tracker.Goal{}, errs.Field(hashfam.ErrCorrupt, "HeavyConfig.K", c.K, fmt.Sprintf("1 to %d", tracker.MaxK))
	}
	return c.goal(hashfam.ErrCorrupt)
}
