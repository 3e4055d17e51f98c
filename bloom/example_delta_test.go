package bloom_test

import (
	"errors"
	"fmt"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
)

// A cache counts its documents and sends its neighbor what has changed. A
// message is lost, and the neighbor fetches the whole filter.
func ExampleFilter_AppendDelta() {
	cached, err := counting.New(counting.Config{Capacity: 100_000, FPRate: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	cached.AddString("/index")
	sent := cached.Bloom()
	neighbor := sent.Clone() // at the other server
	for second := range 3 {
		cached.DeleteString("/index")
		cached.AddString(fmt.Sprint("/page/", second))
		now := cached.Bloom()
		delta, err := now.AppendDelta(nil, sent)
		sent = now
		if second == 1 || err != nil {
			continue // the message is lost
		}
		err = neighbor.ApplyDelta(delta)
		if errors.Is(err, bloom.ErrIncompatible) {
			neighbor = now.Clone() // the whole filter
		}
		fmt.Println(second, len(delta), "bytes,", neighbor.Equal(now), err == nil)
	}
	fmt.Println(cached.Bloom().SizeBytes(), "bytes for the whole filter")
	// Output:
	// 0 104 bytes, true true
	// 2 96 bytes, true false
	// 119920 bytes for the whole filter
}
