// Package memory reports how much memory there is, so that a program can refuse
// a structure that does not fit. Otherwise, Go's runtime or the system would
// end the program when it allocates the structure.
package memory

import (
	"fmt"
	"math"
	"runtime/metrics"
	"sync"

	"github.com/filterfam/filterfam/internal/sizing"
)

// Check returns an error if this number of bytes is more than [Limit], or if
// the system refuses it now.
func Check(bytes uint64) error { return check(bytes, 0) }

// CheckMore is like Check for memory that is needed in addition to what this
// process already uses. It counts all memory that Go's runtime has got from the
// system, because the runtime does not always give it back.
func CheckMore(bytes uint64) error {
	used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(used)
	return check(bytes, used[0].Value.Uint64())
}

// check returns an error unless this number of bytes is available in addition
// to those that are used.
func check(bytes, used uint64) error {
	left := Limit() - min(Limit(), used)
	if bytes > left {
		return fmt.Errorf("needs %s of memory, but only %s are available", text(bytes), text(left))
	}
	if !mappable(bytes) {
		return fmt.Errorf("needs %s of memory, but the system refuses them; see ulimit -v", text(bytes))
	}
	return nil
}

// text returns a number of bytes in MiB or GiB.
func text(bytes uint64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Limit returns the largest number of bytes that this process can use. This is
// the machine's memory without swap, of which other processes may use a part.
// On Linux, a lower limit for this process or its control groups counts, too.
// If nothing is known, Limit returns the size of the largest structure. The
// limits are read only once per process.
func Limit() uint64 { return min(read(), sizing.MaxBytes) }

var read = sync.OnceValue(limit)

// unknown is the limit of a system that does not say how much memory it has.
const unknown = math.MaxUint64
