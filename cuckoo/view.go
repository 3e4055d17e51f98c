package cuckoo

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A View is a read-only filter that uses encoded data in place, for example in
// a mapped file. Use [NewView] to create one.
type View struct {
	readable
	encoded frame.View
}

// NewView returns a view of the filter that data encodes. See Views in package
// [hashfam]. data can start at any address, on any platform.
func NewView(data []byte, fam hashfam.Family) (*View, error) {
	v, p, table, err := format.View(data, fam)
	if err != nil {
		return nil, err
	}
	return &View{newReadable(p.Params, table, p.count), v}, nil
}

// Verify checks everything that decoding would check: the checksum, the number
// of fingerprints (see Len), the bits after the last bucket, and the order in
// compact buckets. It returns [hashfam.ErrCorrupt] if the data is damaged.
func (v *View) Verify() error {
	if err := v.encoded.Verify(v.params.SizeBytes()); err != nil {
		return err
	}
	return v.checkTable()
}
