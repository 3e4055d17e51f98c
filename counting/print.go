package counting

import "fmt"

// String describes the filter in one line, without its key.
func (f Filter) String() string {
	p := f.params
	return fmt.Sprintf("counting.Filter(%v, %d counters, %d hashes, family %v)", p.Layout, p.Counters, p.Hashes, p.Family)
}

// Format prints [Filter.String] for every verb and flag, so that no format
// shows the key.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }
