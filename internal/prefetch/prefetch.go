// Package prefetch brings the memory of a block of digests into the cache while
// digests before them are worked on.
//
// A processor works on a window of a few hundred instructions, and waits when
// the oldest of them waits for memory. So the accesses of few keys are under
// way at once. An instruction that only asks for memory never waits.
package prefetch

// Use does nothing. A loop that reads memory only in order to have it in the
// cache later passes to Use what it has read: without that call the compiler
// could drop the loop.
//
//go:noinline
func Use(uint64) {}
