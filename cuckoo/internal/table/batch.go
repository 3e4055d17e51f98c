package table

import "github.com/filterfam/filterfam/internal/prefetch"

// A Place is where a key may lie: its two buckets and its fingerprint.
type Place struct{ I, J, FP uint64 }

// Touch reads a byte of buckets i and j, which takes them to the cache. It is
// inlined.
func (t *Table) Touch(i, j uint64) byte {
	return t.bytes[i*t.stride>>3] | t.bytes[j*t.stride>>3]
}

// TouchAll touches all buckets of places, so that their cache misses overlap.
func (t *Table) TouchAll(places []Place) {
	touched := byte(0)
	for k := range places {
		p := &places[k]
		touched |= t.Touch(p.I, p.J)
	}
	prefetch.Use(uint64(touched))
}

// HasAll appends to dst whether each fingerprint is in its buckets. In a narrow
// table it replaces the buckets in places by their lanes, in passes without a
// branch, so that cache misses overlap.
func (t *Table) HasAll(dst []bool, places []Place) []bool {
	switch {
	case !t.Narrow:
		t.TouchAll(places)
		for _, p := range places {
			dst = append(dst, t.Has(p.I, p.J, p.FP))
		}
		return dst
	case t.Sorted:
		for k := range places {
			p := &places[k]
			p.I, p.J = t.Decode(t.Word(p.I)), t.Decode(t.Word(p.J))
		}
	default:
		for k := range places {
			p := &places[k]
			p.I, p.J = t.Word(p.I), t.Word(p.J)
		}
	}
	for k := range places {
		p := &places[k]
		dst = append(dst, t.Any(p.I, p.J, p.FP))
	}
	return dst
}
