package countmin

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
)

// A gate lets any number of goroutines add at the same time, and lets one of
// them in alone when all additions are complete. It also counts the total.
//
// An addition of n announces itself in a lane, changes the counters, and
// reports back in the same lane. A lane is at rest if as much has been done as
// has been begun. Who wants to be alone closes the gate and waits until every
// lane is at rest; an addition that finds the gate closed takes its
// announcement back and waits. Either the addition sees the closed gate, or the
// one who closed it sees the announcement, because atomic operations have one
// order that all goroutines agree on.
//
// The lanes are there because one number that all goroutines change is slower
// than everything else that an addition does. They must not pass 2^64, and what
// is under way in one must not add up to it. So a large addition, and one that
// finds its lane half full, closes the gate, and is counted apart.
type gate struct {
	lanes  []lane
	closed atomic.Bool
	large  atomic.Uint64 // counted apart; stops at the largest number
	taken  atomic.Uint64 // by all debits, modulo 2^64
	resets atomic.Uint64
	alone  sync.Mutex // held while the gate is closed, and by a Remove
}

const (
	largeAddition = 1 << 32
	halfLane      = 1 << 63
)

// A lane has a cache line to itself.
type lane struct {
	begun atomic.Uint64
	done  atomic.Uint64
	turn  sync.Mutex // see ConcurrentSketch.addConservative
	_     [40]byte
}

// lanesPerProcessor makes it unlikely that two goroutines meet in a lane.
const lanesPerProcessor = 8

func newGate() *gate { return &gate{lanes: make([]lane, lanesPerProcessor*runtime.GOMAXPROCS(0))} }

// lane returns the lane of the keys with digest d.
func (g *gate) lane(d hashfam.Digest) *lane { return &g.lanes[d.Shard(len(g.lanes))] }

// enter announces that n will be added, and reports whether the caller is
// alone.
func (g *gate) enter(l *lane, n uint64) (alone bool) {
	for n < largeAddition && l.begun.Load() < halfLane {
		l.begun.Add(n)
		if !g.closed.Load() {
			return false
		}
		l.begun.Add(-n)
		g.alone.Lock() // wait for the gate to open
		g.alone.Unlock()
	}
	g.close()
	g.large.Store(addSat(g.large.Load(), n))
	return true
}

// leave reports that the n announced by enter, which returned alone, have been
// added.
func (g *gate) leave(l *lane, n uint64, alone bool) {
	if alone {
		g.open()
		return
	}
	l.done.Add(n)
}

// close waits for all additions to be complete and keeps others out until open.
func (g *gate) close() {
	g.alone.Lock()
	g.closed.Store(true)
	for i := range g.lanes {
		for l := &g.lanes[i]; l.begun.Load() != l.done.Load(); {
			runtime.Gosched()
		}
	}
}

func (g *gate) open() {
	g.closed.Store(false)
	g.alone.Unlock()
}

// total returns how much additions have been begun for, or the largest number
// if that does not fit.
func (g *gate) total() uint64 { return g.sum(func(l *lane) uint64 { return l.begun.Load() }) }

// complete is total for the additions that are complete.
func (g *gate) complete() uint64 { return g.sum(func(l *lane) uint64 { return l.done.Load() }) }

func (g *gate) sum(of func(*lane) uint64) uint64 {
	sum := g.large.Load()
	for i := range g.lanes {
		sum = addSat(sum, of(&g.lanes[i]))
	}
	return sum
}

// totalOf calls read, which reads counters, and returns a total of all that
// they held, or more.
//
// An addition is in the total before it changes a counter, so the total is read
// last. By then a removal may have left it whose count was read. But that has
// been taken since: after it left the counters, and before it left the total.
// After a Reset the total is the largest number, which is never too small.
func (g *gate) totalOf(read func()) uint64 {
	taken, resets := g.taken.Load(), g.resets.Load()
	read()
	total := g.total()
	if g.resets.Load() != resets {
		return math.MaxUint64
	}
	return addSat(total, g.taken.Load()-taken)
}

// credit makes n the total of a new gate.
func (g *gate) credit(n uint64) { g.large.Store(n) }

// debit takes n, at most complete(), from the total, when the counters have
// changed. The caller holds alone, so no lane has less complete than is read
// here.
func (g *gate) debit(n uint64) {
	g.taken.Add(n)
	if g.complete() == math.MaxUint64 {
		return
	}
	part := min(n, g.large.Load())
	g.large.Add(-part)
	n -= part
	for i := range g.lanes {
		l := &g.lanes[i]
		part := min(n, l.done.Load())
		l.done.Add(-part)
		l.begun.Add(-part)
		n -= part
	}
}

// clear makes the total zero. The caller is alone and has cleared the counters.
// An addition that finds the gate closed may be between announcing itself and
// taking that back. So what is done is taken from what was begun, which keeps
// the announcement.
func (g *gate) clear() {
	g.resets.Add(1)
	g.large.Store(0)
	for i := range g.lanes {
		l := &g.lanes[i]
		l.begun.Add(-l.done.Swap(0))
	}
}
