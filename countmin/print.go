package countmin

import "fmt"

// String describes the sketch in one line, without its key.
func (s Sketch) String() string {
	p, update := s.params, "plain"
	if p.Conservative {
		update = "conservative"
	}
	return fmt.Sprintf("countmin.Sketch(%s, %d x %d counters of %d bits, family %v)",
		update, p.Depth, p.Width, p.CounterBits, p.Family)
}

// Format prints [Sketch.String] for every verb and flag, so that no format
// shows the key.
func (s Sketch) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }
