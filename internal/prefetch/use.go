package prefetch

// Use does nothing. A loop that reads memory only in order to have it in the
// cache later passes to Use what it has read: without that call the compiler
// could drop the loop.
//
//go:noinline
func Use(uint64) {}
