package journal

import "sync"

// Turns is a lock for requests, which have ascending numbers from 1 on. Whoever
// holds it can serve all requests that have been made. When it is passed on,
// they all leave at once, so that the next holder can serve all that came
// meanwhile.
type turns struct {
	mu     sync.Mutex
	free   sync.Cond // uses mu
	held   bool
	served uint64 // the last request that has been served
}

// always is a request that is never served, so taking a turn with it succeeds.
const always = 1<<64 - 1

// take waits for a turn. It returns false if the request has been served by
// another one.
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

// pass ends a turn, in which the requests up to served have been served.
func (t *turns) pass(served uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = false
	t.served = max(t.served, served)
	t.free.Broadcast()
}
