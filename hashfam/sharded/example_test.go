package sharded_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// Eight goroutines share a cuckoo filter with a capacity of one million keys,
// split into 64 shards.
func Example() {
	const shards, total = 64, 1_000_000
	seen := hashfam.Must(sharded.New(shards, func(int) (*cuckoo.Filter, error) {
		return cuckoo.New(cuckoo.Config{Capacity: sharded.Capacity(total, shards), FPRate: 0.001})
	}))
	var wg sync.WaitGroup
	for worker := range uint64(8) {
		wg.Go(func() {
			for i := range uint64(1000) {
				d := hashfam.Family{}.SumUint64(worker<<32 | i)
				seen.Do(d, func(f *cuckoo.Filter) {
					if err := f.AddDigest(d); err != nil {
						fmt.Println(err)
					}
				})
			}
		})
	}
	wg.Wait()
	keys := uint64(0)
	seen.Each(func(_ int, f *cuckoo.Filter) error { keys += f.Len(); return nil })
	fmt.Println(keys, "keys")
	// Output: 8000 keys
}

// Large shards need only a little more room than the mean.
func ExampleCapacity() {
	for _, total := range []uint64{1000, 1_000_000, 1_000_000_000} {
		fmt.Println(total/64, sharded.Capacity(total, 64))
	}
	// Output:
	// 15 45
	// 15625 16374
	// 15625000 15648520
}

// Each of 16 sketches counts about 1/16 of the stream. With 16 times the
// Epsilon, their counts are as accurate as the counts of a single sketch, and
// they use the same amount of memory in total.
func ExampleOf_Do() {
	const shards, epsilon = 16, 0.0001
	counts := hashfam.Must(sharded.New(shards, func(int) (*countmin.Sketch, error) {
		return countmin.New(countmin.Config{Epsilon: shards * epsilon, Delta: 0.01})
	}))
	for i := range uint64(30_000) {
		d := hashfam.Family{}.SumUint64(i % 10_000)
		counts.Do(d, func(s *countmin.Sketch) { s.AddDigest(d) })
	}
	d, n := hashfam.Family{}.SumUint64(17), uint64(0)
	counts.Do(d, func(s *countmin.Sketch) { n = s.CountDigest(d) })
	fmt.Println(n, "occurrences, at most", 30_000*epsilon, "too many")
	// Output: 3 occurrences, at most 3 too many
}

// The heavy hitters of all shards can be joined to get the heavy hitters of the
// whole stream.
func ExampleOf_Each() {
	const shards = 8
	words, err := sharded.New(shards, func(int) (*countmin.HeavyHitters, error) {
		return countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.3})
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, word := range bytes.Fields([]byte("a rose is a rose is a rose")) {
		d := hashfam.Family{}.Sum(word)
		words.Do(d, func(h *countmin.HeavyHitters) { h.AddDigest(d, word) })
	}
	var all []*countmin.HeavyHitters
	words.Each(func(_ int, h *countmin.HeavyHitters) error { // a copy, so that other goroutines can continue
		all = append(all, h.Clone())
		return nil
	})
	joint, err := countmin.JoinHeavyHitters(all)
	if err != nil {
		fmt.Println(err)
		return
	}
	for word, e := range joint.All() {
		fmt.Println(word, e.Low, e.High)
	}
	// Unordered output:
	// a 3 3
	// rose 3 3
}

// All shards are stored in one file. The same number is needed to load them.
func ExampleRead() {
	folder := hashfam.Must(os.MkdirTemp("", "shards"))
	defer os.RemoveAll(folder)
	const shards = 4
	create := func(int) (*cuckoo.Filter, error) {
		return cuckoo.New(cuckoo.Config{Capacity: sharded.Capacity(1000, shards), FPRate: 0.001})
	}
	o := hashfam.Must(sharded.New(shards, create))
	d := hashfam.Family{}.SumString("session 17")
	o.Do(d, func(f *cuckoo.Filter) { fmt.Println(f.AddDigest(d)) })
	name := filepath.Join(folder, "sessions")
	fmt.Println(hashfam.WriteFile(name, o))

	file := hashfam.Must(os.Open(name))
	defer file.Close()
	loaded, err := sharded.Read(file, shards, func(int) (*cuckoo.Filter, error) { return new(cuckoo.Filter), nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	loaded.Do(d, func(f *cuckoo.Filter) { fmt.Println(f.ContainsDigest(d)) })
	// Output:
	// <nil>
	// <nil>
	// true
}

// once returns a handler that accepts each nonce once, and then rejects it for
// at least ten and at most twenty minutes. After a restart, it accepts each
// nonce again, unlike the handler in the example of package journal.
func once(next http.Handler) (http.Handler, error) {
	fam := hashfam.Random() // a secret family, because clients choose the nonces
	window := bloom.RotatingConfig{
		Keys: sharded.Capacity(1_000_000, 64), Span: 10 * time.Minute, FPRate: 1e-6, Family: fam,
	}
	seen, err := sharded.New(64, func(int) (*bloom.Rotating, error) { return bloom.NewRotating(window) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, replayed := fam.SumString(r.Header.Get("Nonce")), false
		seen.Do(d, func(f *bloom.Rotating) {
			f.Advance(time.Now())
			replayed = f.ContainsOrAddDigest(d)
		})
		if replayed {
			http.Error(w, "replayed", http.StatusConflict)
			return
		}
		next.ServeHTTP(w, r)
	}), err
}

func Example_replayGuard() {
	guard, err := once(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "paid") }))
	if err != nil {
		fmt.Println(err)
		return
	}
	codes := make(chan int)
	for range 8 { // concurrent requests with the same nonce
		go func() {
			r := httptest.NewRequest("POST", "/pay", nil)
			r.Header.Set("Nonce", "7f3a")
			w := httptest.NewRecorder()
			guard.ServeHTTP(w, r)
			codes <- w.Code
		}()
	}
	count := map[int]int{}
	for range 8 {
		count[<-codes]++
	}
	fmt.Println(count)
	// Output: map[200:1 409:7]
}

// A part is a shard of a table, and a filter of its keys.
type part struct {
	filter *cuckoo.Filter
	rows   map[hashfam.Digest]string // in practice, a file
}

func newPart(keys uint64) (*part, error) {
	filter, err := cuckoo.New(cuckoo.Config{Capacity: keys, FPRate: 0.01, Compact: true})
	return &part{filter, map[hashfam.Digest]string{}}, err
}

// put stores a row. After an error, the part is unchanged.
func (p *part) put(d hashfam.Digest, row string) error {
	_, known := p.rows[d]
	if !known {
		if err := p.add(d); err != nil {
			return err
		}
	}
	p.rows[d] = row
	return nil
}

// add adds a key to the filter. If the filter is full, add replaces it with one
// for twice as many keys, which it builds from the rows.
func (p *part) add(d hashfam.Digest) error {
	err := p.filter.AddDigest(d)
	if !errors.Is(err, cuckoo.ErrFull) {
		return err
	}
	larger, err := newPart(2 * uint64(len(p.rows)))
	if err != nil {
		return err
	}
	digests := append(slices.Collect(maps.Keys(p.rows)), d)
	if _, err := larger.filter.AddAll(digests); err != nil {
		return err
	}
	p.filter = larger.filter
	return nil
}

// get reads the row only if the filter finds the key.
func (p *part) get(d hashfam.Digest) (row string, ok bool) {
	if !p.filter.ContainsDigest(d) {
		return "", false
	}
	row, ok = p.rows[d]
	return row, ok
}

// Eight goroutines store and read rows. Each shard begins with room for 100
// keys and grows under its own lock, so the others can be used meanwhile.
func Example_growingShards() {
	table := hashfam.Must(sharded.New(16, func(int) (*part, error) { return newPart(100) }))
	var wg sync.WaitGroup
	for worker := range uint64(8) {
		wg.Go(func() {
			for i := range uint64(2000) {
				d := hashfam.Family{}.SumUint64(worker<<32 | i)
				table.Do(d, func(p *part) {
					if err := p.put(d, "a row"); err != nil {
						fmt.Println(err)
					}
				})
				table.Do(hashfam.Family{}.SumUint64(worker<<32|i/2), func(p *part) {
					if _, ok := p.get(hashfam.Family{}.SumUint64(worker<<32 | i/2)); !ok {
						fmt.Println("a row was lost")
					}
				})
			}
		})
	}
	wg.Wait()
	keys := uint64(0)
	table.Each(func(_ int, p *part) error {
		keys += p.filter.Len()
		return nil
	})
	fmt.Println(keys, "keys")
	// Output: 16000 keys
}
