package ribbon

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A system holds a shard's equations in echelon form: there is one row per
// slot, and the first slot of row i is slot i. A row is free if its
// coefficients are zero.
type system struct {
	rows   []uint64 // bit j of row i is the coefficient of slot i+j
	values []uint32 // the right sides, which are zero in free rows
	filled []int32  // the rows that the current bucket filled, in order
	group  []equation

	fingerprints uint32             // the fingerprint bits that are stored
	bumped       [][]hashfam.Digest // from each list, for the next layer
}

// reset prepares s for building shards. bumped must contain one list for each
// list of digests. build appends the digests that it bumps to these lists.
func (s *system) reset(fingerprints uint32, bumped [][]hashfam.Digest) {
	s.fingerprints = fingerprints
	s.bumped = bumped
}

// build solves the equations for the digests in a shard of l and stores the
// result in l. lists[i] contains the digests of list i in the order of [Sort].
// build bumps the digests that do not fit: it appends their digests for the
// next layer to s.bumped[i]. The caller must first call reset.
func (s *system) build(l *layer, shard uint64, lists [][]hashfam.Digest) {
	from, end := l.span(shard)
	slots := end - from + width
	if uint64(cap(s.rows)) < slots {
		s.rows = make([]uint64, slots)
		s.values = make([]uint32, slots)
	}
	s.rows = s.rows[:slots]
	s.values = s.values[:slots]
	clear(s.rows)
	clear(s.values)
	for start := from; start < end; start += bucketStarts {
		s.bucket(l, start, lists)
	}
	s.solve(l, segment(from), (end-from)/width)
}

// bucket adds the digests in the bucket that starts at start, and removes them
// from the lists. It adds the groups in descending order, since the previous
// bucket may have filled the first rows. When a group does not fit as a whole,
// this group and all groups with lower numbers are bumped. But a threshold
// cannot be above 14, so if a group from number 14 on does not fit, the whole
// bucket is bumped.
func (s *system) bucket(l *layer, start uint64, lists [][]hashfam.Digest) {
	inside := make([][]hashfam.Digest, 0, 2)
	for i, list := range lists {
		n := 0
		for n < len(list) && list[n].Probe().In(l.starts) < start+bucketStarts {
			n++
		}
		inside = append(inside, list[:n])
		lists[i] = list[n:]
	}
	t := s.enter(l, inside)
	bucket := start / bucketStarts
	l.thresholds[bucket/16] |= t << (bucket % 16 * 4) // it was zero
	for i, list := range inside {
		for _, d := range list {
			if !below(d.Probe().In(l.starts), t) {
				break
			}
			s.bumped[i] = append(s.bumped[i], next(d))
		}
	}
}

// enter adds the groups of a bucket, starting with the last, until a group does
// not fit. It then removes the rows that this group has filled, or all rows
// that the bucket has filled if the whole bucket is bumped. enter returns the
// bucket's threshold.
func (s *system) enter(l *layer, lists [][]hashfam.Digest) uint64 {
	s.filled = s.filled[:0]
	left := append(make([][]hashfam.Digest, 0, 2), lists...)
	for t := uint64(groups); t > 0; t-- {
		s.group = s.group[:0]
		for i, list := range left {
			left[i] = s.collect(l, t-1, uint32(i), list)
		}
		mark := len(s.filled)
		if s.add(s.group) {
			continue
		}
		if t >= allBumped { // no threshold separates this group from the others
			t = allBumped
			mark = 0
		}
		for _, row := range s.filled[mark:] {
			s.rows[row] = 0
			s.values[row] = 0
		}
		return t
	}
	return 0
}

// collect appends the equations for the group's digests, which are at the end
// of list, to s.group. It returns the rest of the list.
func (s *system) collect(l *layer, group uint64, value uint32, list []hashfam.Digest) []hashfam.Digest {
	for n := len(list); n > 0; n-- {
		p := list[n-1].Probe()
		start := p.In(l.starts)
		if start%bucketStarts/groupStarts != group {
			return list[:n]
		}
		p = p.Next()
		s.group = append(s.group, equation{
			row:   start % shardStarts,
			c:     coefficients(p),
			value: fingerprint(p.Next())&s.fingerprints ^ value,
		})
	}
	return nil
}

// An equation says that the slots that c selects, starting at row, have the sum
// value.
type equation struct {
	row, c uint64
	value  uint32
}

// add adds equations to the rows. It returns false if the equations contradict
// the rows or each other.
//
// If the row of an equation's first slot is not free, add subtracts this row
// from the equation, which then has a later first slot. It repeats this until
// the row is free, and stores the equation there, or until no slots are left.
// Since each step must wait for the row of the step before, add processes two
// equations at a time. When one of them is stored, the next equation takes its
// place.
func (s *system) add(list []equation) bool {
	if len(list) == 0 {
		return true
	}
	a := list[0]
	for _, b := range list[1:] {
		rest, ok := s.pair(a, b)
		if !ok {
			return false
		}
		a = rest
	}
	for a.c != 0 {
		a = a.aligned()
		old := s.rows[a.row]
		if old == 0 {
			s.occupy(a)
			return true
		}
		a.c ^= old
		a.value ^= s.values[a.row]
	}
	return a.value == 0
}

// aligned returns a with its first slot as the row.
func (a equation) aligned() equation {
	n := bits.TrailingZeros64(a.c)
	a.row += uint64(n)
	a.c >>= n & 63
	return a
}

// occupy stores a in the row of its first slot, which must be free.
func (s *system) occupy(a equation) {
	s.rows[a.row] = a.c
	s.values[a.row] = a.value
	s.filled = append(s.filled, int32(a.row))
}

// pair reduces two equations until one of them is stored or has no slots left,
// and returns the other. It returns false if there is a contradiction.
func (s *system) pair(a, b equation) (equation, bool) {
	rows := s.rows
	values := s.values[:len(s.rows)]
	for a.c != 0 && b.c != 0 {
		a = a.aligned()
		b = b.aligned()
		oldA := rows[a.row]
		oldB := rows[b.row]
		if oldA == 0 {
			s.occupy(a)
			return b, true
		}
		if oldB == 0 {
			s.occupy(b)
			return a, true
		}
		a.c ^= oldA
		a.value ^= values[a.row]
		b.c ^= oldB
		b.value ^= values[b.row]
	}
	if a.c == 0 {
		return b, a.value == 0
	}
	return a, b.value == 0
}

// solve computes a shard's slots from the last to the first, and stores them in
// l. The slots of free rows are zero. first is the number of the shard's first
// segment, and parts is the number of segments in which sums start. The shard
// has one more segment after these.
func (s *system) solve(l *layer, first, parts uint64) {
	var state [32]uint64 // the 64 slots of each column that were computed last
	for part := int(parts); part >= 0; part-- {
		rows := (*[width]uint64)(s.rows[part*width:])
		values := (*[width]uint32)(s.values[part*width:])
		for j := uint64(0); j < l.r; j += 4 {
			solve4((*[4]uint64)(state[j:]), rows, values, j)
		}
		number := first + uint64(part)
		copy(l.words[l.at(number):l.at(number+1)], state[:])
	}
}

// solve4 computes 64 slots in the columns j to j+3. Before the call, slots
// contains the 64 slots after these.
func solve4(slots *[4]uint64, rows *[width]uint64, values *[width]uint32, j uint64) {
	a, b, c, d := slots[0], slots[1], slots[2], slots[3]
	for i := width - 1; i >= 0; i-- {
		row := rows[i]
		v := uint64(values[i] >> (j & 31))
		a = prepend(a, row, v)
		b = prepend(b, row, v>>1)
		c = prepend(c, row, v>>2)
		d = prepend(d, row, v>>3)
	}
	*slots = [4]uint64{a, b, c, d}
}

// prepend returns the slots with a new first one, whose sum with the others in
// row is the lowest bit of value.
func prepend(slots, row, value uint64) uint64 {
	slots <<= 1
	return slots | (uint64(bits.OnesCount64(slots&row))^value)&1
}
