package journal

import "sync"

// turns is a lock that lets one goroutine do the work of all those that wait.
// Each goroutine first gets the next request number, from 1 on, and then waits
// for a turn. During a turn, a goroutine can serve all requests that have been
// made so far, for example with a single write. When it passes the turn on, the
// goroutines with served requests leave at once, and one of the others gets the
// next turn.
type turns struct {
	mu     sync.Mutex
	free   sync.Cond // uses mu
	held   bool
	served uint64 // the last request that has been served
}

// always is a request that is never served, so take(always) always gets a turn.
const always = 1<<64 - 1

// take waits for a turn. It returns false, without a turn, if another goroutine
// has served the request.
func (t *turns) take(request uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.held && t.served < request {
		t.free.Wait()
	}
	if t.served >= request {
		return false
	}
	t.held = true
	return true
}

// pass ends a turn. All requests up to served have been served in this turn, or
// none if served is 0.
func (t *turns) pass(served uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = false
	t.served = max(t.served, served)
	t.free.Broadcast()
}
