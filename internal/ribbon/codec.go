package ribbon

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// A ribbon's payload consists of the following 64-bit words, followed by those
// of the second ribbon, if there is one. The number of columns and the number
// of a layer's digests determine how many thresholds and segments the layer
// has; see [newGeometry].
//
//	for each layer except the first: the number of digests
//	for each layer: thresholds, 16 per word, and zero bits after the last one
//	                segments, each with one word per column

// Payload returns the payload of r in a frame.
func (r *Ribbon) Payload() frame.Payload {
	return func(yield func([]byte) bool) {
		for q := r; q != nil; q = q.class {
			for _, words := range q.parts() {
				for piece := range frame.Numbers(words) {
					if !yield(piece) {
						return
					}
				}
			}
		}
	}
}

// PayloadBytes returns the length of the payload.
func (r *Ribbon) PayloadBytes() uint64 {
	total := r.SizeBytes()
	for q := r; q != nil; q = q.class {
		total += 8 * uint64(max(1, len(q.layers))-1)
	}
	return total
}

// parts returns the words of the first ribbon in several slices.
func (r *Ribbon) parts() [][]uint64 {
	var bumped []uint64
	for i := 1; i < len(r.layers); i++ {
		bumped = append(bumped, r.layers[i].keys)
	}
	parts := [][]uint64{bumped}
	for i := range r.layers {
		parts = append(parts, r.layers[i].thresholds, r.layers[i].words)
	}
	return parts
}

// A Room has memory for two layers, which is enough for most ribbons. It is
// used by [Parse].
type Room [2]layer

// Parse decodes the ribbon at the start of words, and also returns the
// remaining words. s must be a valid shape. Parse retains words, and stores the
// layers in room if they fit. Since any thresholds and slots are valid, Parse
// checks only the lengths and the numbers of bumped digests. Use
// [Ribbon.Verify] to check the bits after the last threshold.
func Parse(s Shape, words []uint64, room *Room, m *fault.Maker) (Ribbon, []uint64, error) {
	r := Ribbon{columns: s.Columns, keys: s.Keys, layers: room[:0]}
	counts := max(s.Layers-1, 0)
	if len(words) < counts {
		return Ribbon{}, nil, short(len(words), uint64(counts), m)
	}
	bumped, words := words[:counts], words[counts:]
	keys := s.Keys
	for i := range s.Layers {
		if i > 0 {
			if bumped[i-1] == 0 || bumped[i-1] > keys {
				return Ribbon{}, nil, m.Field(hashfam.ErrCorrupt, fmt.Sprintf("digests of layer %d", i), bumped[i-1], fmt.Sprintf("1 to %d", keys))
			}
			keys = bumped[i-1]
		}
		l := layer{geometry: newGeometry(i, keys, s.Columns)}
		from, end := l.thresholdWords(), l.size()
		if uint64(len(words)) < end {
			return Ribbon{}, nil, short(len(words), end, m)
		}
		l.thresholds = words[:from:from]
		l.words = words[from:end:end]
		words = words[end:]
		r.layers = append(r.layers, l)
	}
	return r, words, nil
}

// Check returns ErrCorrupt if no ribbon has shape s.
func Check(s Shape, m *fault.Maker) error {
	none := s.Columns == 0 || s.Keys == 0
	switch {
	case s.Columns > MaxColumns:
		return m.Field(hashfam.ErrCorrupt, "columns", s.Columns, fmt.Sprintf("at most %d, in units of 1/65536", MaxColumns))
	case s.Keys > MaxKeys:
		return m.Field(hashfam.ErrCorrupt, "keys", s.Keys, "at most 2^48")
	case none && s.Layers != 0:
		return m.Field(hashfam.ErrCorrupt, "layers", s.Layers, "0")
	case !none && (s.Layers < 1 || s.Layers > MaxLayers):
		return m.Field(hashfam.ErrCorrupt, "layers", s.Layers, fmt.Sprintf("1 to %d", MaxLayers))
	}
	return nil
}

// short returns the error for a payload that is too short.
func short(have int, want uint64, m *fault.Maker) error {
	return m.Field(hashfam.ErrCorrupt, "payload length", fmt.Sprintf("%d more words", have), fmt.Sprintf("at least %d", want))
}

// Verify returns ErrCorrupt if any bit after a layer's last threshold is set.
func (r *Ribbon) Verify(m *fault.Maker) error {
	for ; r != nil; r = r.class {
		for i := range r.layers {
			l := &r.layers[i]
			used := l.buckets() % 16 * 4
			if last := l.thresholds[len(l.thresholds)-1]; used != 0 && last>>used != 0 {
				return m.Field(hashfam.ErrCorrupt, "bits after the last threshold", fmt.Sprintf("%#x", last>>used), "0")
			}
		}
	}
	return nil
}
