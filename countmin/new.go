package countmin

import "github.com/filterfam/filterfam/hashfam"

// New returns an empty sketch for c: [Config.Params] and [NewFromParams] in
// one. It returns their errors. O(w d) time.
func New(c Config) (*Sketch, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty sketch of Width*Depth*CounterBits/8 bytes. O(w
// d) time. It returns an [ErrParams] error that names the field if the
// parameters are invalid. If the machine does not have the memory, the program
// ends: check [Params.SizeBytes] first if the parameters come from elsewhere.
func NewFromParams(p Params) (*Sketch, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &Sketch{params: p}
	s.allocate()
	return s, nil
}

// allocate makes the counters, all zero.
func (s *Sketch) allocate() {
	if s.params.CounterBits == 32 {
		s.narrow = make([]uint32, s.params.cells())
	} else {
		s.wide = make([]uint64, s.params.cells())
	}
}

// NewReceiver returns an empty sketch to decode into. It accepts encodings made
// under fam; the zero Sketch accepts those of the public family. O(1) time.
func NewReceiver(fam hashfam.Family) *Sketch { return &Sketch{params: Params{Family: fam}} }
