package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// header returns the header for a frame of version 1.
func header(kind frame.Kind, fam hashfam.Family, params any, words uint64) frame.Header {
	return frame.Header{Kind: kind, Version: 1, Check: fam.CheckValue(), Params: frame.EncodeParams(params), Payload: 8 * words}
}

// read reads a frame of version 1, which has one of the given kinds, calls
// parse with the verified header, and returns the words of the payload.
func read(r *frame.Reader, fam hashfam.Family, parse func(frame.Header) error, kinds ...frame.Kind) ([]uint64, error) {
	h := r.HeaderOf(1, fam.CheckValue(), kinds...)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := parse(h); err != nil {
		return nil, err
	}
	words := frame.Read[uint64](r, h.Payload/8)
	return words, r.Err()
}

// intOf returns n, or the largest int if n does not fit. No field may have this
// value.
func intOf(n uint64) int { return int(min(n, math.MaxInt)) }
