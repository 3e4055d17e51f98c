package cuckoo
import ("testing";"os")
func BenchmarkOne(b *testing.B) {
	const n = 10_000_000
	keys := randomKeys(n)
	f, _ := New(Config{Capacity: n, FPRate: 0.01})
	g := &sumFilter{*f.Clone()}
	if os.Getenv("WHICH") == "sum" {
		for _, k := range keys { g.Add(k) }
		b.Run("sum", func(b *testing.B) { for i := range b.N { g.Contains(keys[i%1_000_000]) } })
		b.Run("sumdigest", func(b *testing.B) { d := f.params.Family.Sum(keys[0]); for range b.N { d*=0xD1342543DE82EF95; g.find(g.home(d)) } })
	} else {
		for _, k := range keys { f.Add(k) }
		b.Run("xor", func(b *testing.B) { for i := range b.N { f.Contains(keys[i%1_000_000]) } })
		b.Run("xordigest", func(b *testing.B) { d := f.params.Family.Sum(keys[0]); for range b.N { d*=0xD1342543DE82EF95; f.find(d) } })
	}
}
