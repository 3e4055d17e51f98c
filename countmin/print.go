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

// String describes h in one line, without its key.
func (h HeavyHitters) String() string {
	return fmt.Sprintf("countmin.HeavyHitters(phi %g, %s, family %v)",
		h.tracker.Phi, memoryOf(h.tracker.Memory), h.family)
}

// Format prints [HeavyHitters.String] for every verb and flag, so that no
// format shows the key.
func (h HeavyHitters) Format(s fmt.State, _ rune) { fmt.Fprint(s, h.String()) }

// String describes k in one line, without its key.
func (k TopK) String() string {
	return fmt.Sprintf("countmin.TopK(k %d, %s, family %v)", k.tracker.K, memoryOf(k.tracker.Memory), k.family)
}

// Format prints [TopK.String] for every verb and flag, so that no format shows
// the key.
func (k TopK) Format(s fmt.State, _ rune) { fmt.Fprint(s, k.String()) }

func memoryOf(bytes int) string {
	if bytes == 0 {
		return "memory as needed"
	}
	return fmt.Sprintf("%d bytes", bytes)
}
