package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// header returns the header for a frame of version 1.
func header(kind frame.Kind, fam hashfam.Family, params any, payload uint64) frame.Header {
	return frame.Header{Kind: kind, Version: 1, Check: fam.CheckValue(), Params: frame.EncodeParams(params), Payload: payload}
}

// read reads a frame of version 1, which has one of the given kinds, calls
// parse with the verified header, and returns the payload.
func read(r *frame.Reader, fam hashfam.Family, parse func(frame.Header) error, kinds ...frame.Kind) ([]byte, error) {
	h := r.HeaderOf(1, fam.CheckValue(), kinds...)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := parse(h); err != nil {
		return nil, err
	}
	data := frame.Read[byte](r, h.Payload)
	return data, r.Err()
}

// intOf returns n, or the largest int if n does not fit. No field may have this
// value.
func intOf(n uint64) int { return int(min(n, math.MaxInt)) }
