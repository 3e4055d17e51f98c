package tracker

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/ring"
)

// Panes are trackers for consecutive parts of the stream: a single one for the
// whole stream, or several for a window.
type Panes struct {
	All  []Tracker // starting with the oldest
	Last *Tracker  // the pane that counts: the last of All; nil if there is none
	size uint64    // the number of keys per pane, or 0 if there is no limit

	// Observe calls begin when the last pane's total is equal to next. Until
	// the pane counts a key, next is 0, so that begin allocates the pane's
	// memory. Afterwards, next is size. Without a limit, it remains 0, which is
	// never the total of a pane that has counted a key.
	next uint64
}

// NewPanes returns panes that count size keys each, or without a limit if size
// is 0.
func NewPanes(panes []Tracker, size uint64) Panes {
	p := Panes{All: panes, Last: &panes[len(panes)-1], size: size}
	if p.Last.total > 0 {
		p.next = size
	}
	return p
}

// Blank returns n empty panes with goal g. Their memory will be allocated when
// they first count a key.
func Blank(g Goal, n int, size uint64) Panes {
	panes := make([]Tracker, n)
	for i := range panes {
		panes[i].Goal = g
	}
	return NewPanes(panes, size)
}

// Zero is the panic value if a zero structure, which has no panes, is used.
var Zero = (&fault.Maker{Package: "countmin"}).Zero(
	"HeavyHitters or Window", "NewHeavyHitters or NewWindow, or decode into it")

// ObserveN counts key n times, and begins a pane whenever the last one is full.
// If n is so large that ObserveN would drop many panes that it has begun
// itself, it skips these panes, so that it begins at most len(p.All)+1.
func (p *Panes) ObserveN(d hashfam.Digest, key []byte, n uint64) {
	if size := p.size; size > 0 {
		n -= (n/size - min(n/size, uint64(len(p.All)))) * size // these would be dropped again
	}
	for n > 0 {
		part := n
		if p.size > 0 {
			part = min(n, p.size-p.Last.total%p.size) // an empty pane follows a full one
		}
		Observe(p, d, key, part)
		n -= part
	}
}

// begin begins a pane if the last one is full, and makes the last pane's memory
// if it has none yet.
func (p *Panes) begin() {
	if p.Last == nil {
		panic(Zero)
	}
	if p.size > 0 && p.Last.total == p.size {
		p.Turn(1)
	}
	if p.Last.blank() {
		*p.Last = New(p.Last.Goal)
	}
	p.next = p.size
}

// Turn drops the n oldest panes and begins the same number of new ones.
func (p *Panes) Turn(n uint64) {
	begun := ring.Turn(p.All, n)
	if len(begun) > 0 {
		p.next = 0
	}
	for i := range begun {
		begun[i] = Tracker{Goal: begun[i].Goal}
	}
}

// MissBound returns an upper bound on the count of any key without a record.
func (p *Panes) MissBound() uint64 {
	return sumOf(p.All, func(t *Tracker) uint64 { return t.missed })
}

// SizeBytes returns the memory of all panes and the structures around them.
func (p *Panes) SizeBytes() uint64 { return sumOf(p.All, (*Tracker).sizeBytes) }

// Clone returns a deep copy of p.
func (p *Panes) Clone() Panes {
	if p.Last == nil {
		return Panes{}
	}
	panes := slices.Clone(p.All)
	for i := range panes {
		panes[i] = p.All[i].clone()
	}
	return NewPanes(panes, p.size)
}

// Equal reports whether p and o have counted the same in every pane.
func (p *Panes) Equal(o *Panes) bool {
	return slices.EqualFunc(p.All, o.All, func(a, b Tracker) bool { return a.equal(&b) })
}
