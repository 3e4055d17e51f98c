package counting

import "sync/atomic"

// Counters that one goroutine changes while others read them. Words are loaded
// by readers and stored by the writer with atomic instructions. The writer, who
// holds a lock, is the only one to store; so it may load in the plain way.

// load returns counter i.
func (n nibbles) load(i uint64) uint64 { return atomic.LoadUint64(&n[i>>4]) >> (i & 15 * 4) & 15 }

// incShared is inc.
func (n nibbles) incShared(i uint64) {
	s := i & 15 * 4
	w := n[i>>4]
	atomic.StoreUint64(&n[i>>4], w+((w>>s&15+1)>>4^1)<<s)
}

// store makes the words of n those of other, which has as many.
func (n nibbles) store(other nibbles) {
	for i, w := range other {
		if n[i] != w {
			atomic.StoreUint64(&n[i], w)
		}
	}
}
