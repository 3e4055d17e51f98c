package cuckoo

import "fmt"

// String describes the filter in one line, without its key.
func (f Filter) String() string {
	p, layout := f.params, "plain"
	if p.Compact {
		layout = "compact"
	}
	return fmt.Sprintf("cuckoo.Filter(%s, %d buckets, %d bits a fingerprint, family %v)",
		layout, p.Buckets, p.FingerprintBits, p.Family)
}

// Format prints [Filter.String] for every verb and flag, so that no format
// shows the key.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }
