package table

import "github.com/filterfam/filterfam/internal/batch"

// A Place describes a key in a table: its two buckets and its fingerprint.
type Place struct{ I, J, FP uint64 }

// Touch reads a byte of buckets i and j, which brings them into the cache.
func (t *Table) Touch(i, j uint64) byte {
	return t.Bytes[i*t.stride>>3] | t.Bytes[j*t.stride>>3]
}

// TouchAll touches all places, so that their cache misses overlap.
func (t *Table) TouchAll(places []Place) {
	touched := byte(0)
	for k := range places {
		p := &places[k]
		touched |= t.Touch(p.I, p.J)
	}
	batch.Use(uint64(touched))
}

// HasAll appends to dst, for each place, whether its buckets contain its
// fingerprint. In a narrow table, it first replaces the buckets in places by
// their lanes, so that cache misses overlap.
func (t *Table) HasAll(dst []bool, places []Place) []bool {
	if !t.Narrow {
		t.TouchAll(places)
		for _, p := range places {
			dst = append(dst, t.Has(p.I, p.J, p.FP))
		}
		return dst
	}
	for k := range places {
		p := &places[k]
		p.I, p.J = t.Word(p.I), t.Word(p.J)
	}
	for k := range places {
		p := &places[k]
		if t.Sorted {
			p.I, p.J = t.Decode(p.I), t.Decode(p.J)
		}
		dst = append(dst, t.Any(p.I, p.J, p.FP))
	}
	return dst
}
