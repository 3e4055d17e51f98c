package ribbon

import (
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

// The payload of a ribbon in 64-bit words. Numbers of words follow from the
// columns and the numbers of digests by [newGeometry].
//
//	the number of digests of each layer except the first
//	for each layer: thresholds, 16 in a word, and zero bits after the last one
//	                segments, each with one word for each of its columns

// Payload returns the payload of r in a frame.
func (r *Ribbon) Payload() frame.Payload { return Concat(r.payloads()...) }

// PayloadAround returns the payload of a ribbon from [Shards.Join]. words
// yields the words of all shards, in order.
func (r *Ribbon) PayloadAround(words frame.Payload) frame.Payload {
	parts := r.payloads()
	parts[2] = words // of the first layer
	return Concat(parts...)
}

// payloads returns the parts of the payload.
func (r *Ribbon) payloads() (payloads []frame.Payload) {
	for _, words := range r.parts() {
		payloads = append(payloads, frame.Numbers(words))
	}
	return payloads
}

// Concat returns the payload that consists of the given ones.
func Concat(payloads ...frame.Payload) frame.Payload {
	return func(yield func([]byte) bool) {
		for _, payload := range payloads {
			for piece := range payload {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

// PayloadBytes returns the length of the payload, for a ribbon from
// [Shards.Join] without the words of the first layer.
func (r *Ribbon) PayloadBytes() (n uint64) {
	for _, words := range r.parts() {
		n += 8 * uint64(len(words))
	}
	return n
}

// parts returns the words of the payload in pieces.
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

// A Room is memory for the layers of most ribbons, with which [Parse] does not
// allocate.
type Room [2]layer

// Parse returns the ribbon of the given columns, number of digests and number
// of layers that words begin with, and the words after it. The ribbon keeps
// words. Any thresholds and slots are a ribbon, so Parse looks at lengths only;
// [Ribbon.Verify] checks the rest. It returns ErrCorrupt if the numbers are
// invalid. O(1) time. The ribbon keeps its layers in room if they fit.
func Parse(columns uint32, keys uint64, layers int, words []uint64, room *Room, m *fault.Maker) (Ribbon, []uint64, error) {
	if err := Check(columns, keys, layers, m); err != nil {
		return Ribbon{}, nil, err
	}
	r := Ribbon{columns, keys, room[:0]}
	counts := max(layers-1, 0)
	if len(words) < counts {
		return Ribbon{}, nil, short(len(words), uint64(counts), m)
	}
	bumped, words := words[:counts], words[counts:]
	for i := range layers {
		if i > 0 {
			if bumped[i-1] == 0 || bumped[i-1] > keys {
				return Ribbon{}, nil, m.Field(hashfam.ErrCorrupt, fmt.Sprintf("digests of layer %d", i), bumped[i-1], fmt.Sprintf("1 to %d", keys))
			}
			keys = bumped[i-1]
		}
		l := layer{geometry: newGeometry(i, keys, columns)}
		if uint64(len(words)) < l.size() {
			return Ribbon{}, nil, short(len(words), l.size(), m)
		}
		l.thresholds, words = cut(words, l.thresholdWords())
		l.words, words = cut(words, l.slotWords())
		r.layers = append(r.layers, l)
	}
	return r, words, nil
}

// Check returns ErrCorrupt if no ribbon has these numbers of columns, digests
// and layers. O(1) time.
func Check(columns uint32, keys uint64, layers int, m *fault.Maker) error {
	least, most := 1, MaxLayers
	if columns == 0 || keys == 0 {
		least, most = 0, 0
	}
	switch {
	case columns > MaxColumns:
		return m.Field(hashfam.ErrCorrupt, "columns", columns, fmt.Sprintf("at most %d, in units of 1/65536", MaxColumns))
	case keys > MaxKeys:
		return m.Field(hashfam.ErrCorrupt, "keys", keys, "at most 2^48")
	case layers < least || layers > most:
		return m.Field(hashfam.ErrCorrupt, "layers", layers, fmt.Sprintf("%d to %d", least, most))
	}
	return nil
}

// short returns the error of a payload that ends too early.
func short(have int, want uint64, m *fault.Maker) error {
	return m.Field(hashfam.ErrCorrupt, "payload length", fmt.Sprintf("%d more words", have), fmt.Sprintf("at least %d", want))
}

// cut divides words after the first n. The first part has no room to grow.
func cut(words []uint64, n uint64) (head, tail []uint64) { return words[:n:n], words[n:] }

// Verify returns ErrCorrupt if a bit after the last threshold of a layer is
// set. O(1) time.
func (r *Ribbon) Verify(m *fault.Maker) error {
	for i := range r.layers {
		l := &r.layers[i]
		used := l.buckets() % 16 * 4
		if last := l.thresholds[len(l.thresholds)-1]; used != 0 && last>>used != 0 {
			return m.Field(hashfam.ErrCorrupt, "bits after the last threshold", fmt.Sprintf("%#x", last>>used), "0")
		}
	}
	return nil
}
