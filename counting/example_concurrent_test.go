package counting_test

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/filterfam/filterfam/counting"
)

// Sessions begin and end in eight goroutines.
func ExampleNewConcurrent() {
	active, err := counting.NewConcurrent(counting.Config{Capacity: 10_000, FPRate: 0.001, Layout: counting.Blocked})
	if err != nil {
		fmt.Println(err)
		return
	}
	var wg sync.WaitGroup
	for worker := range uint64(8) {
		wg.Go(func() {
			for i := range uint64(1000) {
				active.AddUint64(worker<<32 | i)
				if i%4 != 0 {
					active.DeleteUint64(worker<<32 | i)
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf("about %.0f sessions, %d stuck counters\n", active.EstimatedLen(), active.Stuck())
	fmt.Println(active.ContainsUint64(3<<32|4), active.ContainsUint64(3<<32|5))
	// Output:
	// about 2004 sessions, 0 stuck counters
	// true false
}

// A concurrent filter is made from a plain one, and a snapshot of it is one.
func ExampleConcurrent_Snapshot() {
	f, err := counting.New(counting.Config{Capacity: 100, FPRate: 0.01, Layout: counting.Blocked})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.AddString("a")
	c, err := counting.NewConcurrentFrom(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	c.AddString("a")
	c.Add([]byte("b"))
	c.AddAllStrings([]string{"c", "d"})
	c.AddSeq(bytes.SplitSeq([]byte("e f"), []byte(" ")))
	fmt.Println(c.CountString("a"), c.Delete([]byte("b")), c.DeleteAllStrings([]string{"c", "x"}))
	fmt.Println(c.ContainsAllStrings(nil, []string{"a", "b", "f"}), c.CountAllStrings(nil, []string{"a", "c"}))
	encoded, err := c.Snapshot().MarshalBinary() // while others add and delete
	fmt.Println(len(encoded), err)
	fmt.Println(c.Merge(f), c.CountString("a"))
	c.Reset()
	fmt.Println(c)
	// Output:
	// 2 true 1
	// [true false true] [2 0]
	// 584 <nil>
	// <nil> 3
	// counting.Concurrent(blocked, 1024 counters, 7 hashes, family public)
}

// Ten workers count in a filter each, and one merges them.
func ExampleFilter_MergeAll() {
	parts := make([]*counting.Filter, 10)
	for i := range parts {
		f, err := counting.New(counting.Config{Capacity: 1000, FPRate: 0.01})
		if err != nil {
			fmt.Println(err)
			return
		}
		f.AddString("everywhere")
		f.AddUint64(uint64(i))
		parts[i] = f
	}
	fmt.Println(parts[0].MergeAll(parts[1:]...), parts[0].CountString("everywhere"), parts[0].CountUint64(7))
	// Output: <nil> 10 1
}
