package cuckoo
import ("testing";"fmt")
func BenchmarkMiss(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
	keys := randomKeys(1_000_000)
	f, _ := New(Config{Capacity: uint64(n), FPRate: 0.01})
	for i := range f.table.bytes { f.table.bytes[i] = byte(i*77) }
	g := &sumFilter{*f.Clone()}
	duel(b, fmt.Sprint(n), [2]contender{f,g}, len(keys), func(f contender) {
					for _, key := range keys {
						f.Contains(key)
					}
				})
	}
}
