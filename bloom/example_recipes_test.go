package bloom_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// collect removes the objects that are not reachable. mark must call its
// argument for each reachable object.
func collect(reachable uint64, mark func(keep func(id string)), all []string, remove func(id string)) error {
	live, err := bloom.New(bloom.Config{Capacity: reachable, FPRate: 0.01, Family: hashfam.Random()}) // a new family
	if err != nil {
		return err
	}
	mark(live.AddString)
	for _, id := range all {
		if !live.ContainsString(id) {
			remove(id)
		}
	}
	return nil
}

// The objects with even numbers are reachable.
func Example_markAndSweep() {
	var all []string
	for i := range 20_000 {
		all = append(all, fmt.Sprint("object ", i))
	}
	isReachable := func(id string) bool { return (id[len(id)-1]-'0')%2 == 0 }
	lost := 0
	for range 3 {
		removed := map[string]bool{}
		err := collect(10_000, func(keep func(string)) {
			for i := 0; i < 20_000; i += 2 {
				keep(fmt.Sprint("object ", i))
			}
		}, all, func(id string) { removed[id] = true })
		if err != nil {
			fmt.Println(err)
			return
		}
		for id := range removed {
			if isReachable(id) {
				lost++
			}
		}
		all = slices.DeleteFunc(all, func(id string) bool { return removed[id] })
	}
	fmt.Println(lost, "reachable objects removed;", "at most 2 of 10,000 others stay:", len(all) <= 10_002)
	// Output: 0 reachable objects removed; at most 2 of 10,000 others stay: true
}

// publish adds the numbers of a filter to /debug/vars. Since three of them read
// the whole filter, do not collect them more often than every few seconds.
func publish(name string, lock sync.Locker, f *bloom.Filter) {
	expvar.Publish(name, expvar.Func(func() any {
		lock.Lock()
		defer lock.Unlock()
		return map[string]any{
			"bytes": f.SizeBytes(), "fill": f.FillRatio(), "rate": f.FalsePositiveRate(),
			"keys": min(f.EstimatedLen(), math.MaxFloat64), // of a full filter, it is infinite, which JSON cannot express
		}
	}))
}

func Example_metrics() {
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 1000, FPRate: 0.01}))
	for i := range 500 {
		f.AddString(fmt.Sprint("key ", i))
	}
	publish("seen", new(sync.Mutex), f)
	var numbers map[string]float64
	if err := json.Unmarshal([]byte(expvar.Get("seen").String()), &numbers); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.0f bytes, about %.0f keys, a rate of %.2f%%\n", numbers["bytes"], numbers["keys"], 100*numbers["rate"])

	full := hashfam.Must(bloom.New(bloom.Config{Capacity: 1, FPRate: 0.01}))
	for i := range 1000 {
		full.AddString(fmt.Sprint("key ", i))
	}
	publish("full", new(sync.Mutex), full)
	fmt.Println(json.Valid([]byte(expvar.Get("full").String())))
	fmt.Fprintln(os.Stdout, "seen_keys", full.EstimatedLen()) // in Prometheus's text format
	// Output:
	// 1200 bytes, about 496 keys, a rate of 0.02%
	// true
	// seen_keys +Inf
}

// A measured filter counts the keys that its store does not have. Many
// goroutines can call get.
type measured struct {
	filter   *bloom.Filter
	digest   func(key string) hashfam.Digest
	excluded atomic.Uint64 // not found by the filter
	mistakes atomic.Uint64 // found by the filter, but not in the store
}

// get calls read only for keys that the filter finds.
func (m *measured) get(key string, read func(key string) (value string, ok bool)) (value string, ok bool) {
	if !m.filter.ContainsDigest(m.digest(key)) {
		m.excluded.Add(1)
		return "", false
	}
	value, ok = read(key)
	if !ok {
		m.mistakes.Add(1)
	}
	return value, ok
}

// rate returns the false-positive rate of the lookups until now.
func (m *measured) rate() float64 {
	mistakes := float64(m.mistakes.Load())
	return mistakes / max(1, mistakes+float64(m.excluded.Load()))
}

// The users with even numbers exist. The second filter has a wrong hash, which
// depends only on the first eight bytes of a key, so it finds all absent users.
// Its predicted rate does not show this.
func Example_happenedRate() {
	read := func(key string) (string, bool) { return "a user", (key[len(key)-1]-'0')%2 == 0 }
	fam := hashfam.Family{}
	for _, digest := range []func(key string) hashfam.Digest{
		fam.SumString,
		func(key string) hashfam.Digest { return fam.SumString(key[:8]) },
	} {
		f := hashfam.Must(bloom.New(bloom.Config{Capacity: 50_000, FPRate: 0.01}))
		m := &measured{filter: f, digest: digest}
		for i := 0; i < 100_000; i += 2 {
			f.AddDigest(digest(fmt.Sprintf("user %06d", i)))
		}
		for i := range 100_000 {
			m.get(fmt.Sprintf("user %06d", i), read)
		}
		fmt.Printf("predicted %.2f%%, happened %.2f%%\n", 100*f.FalsePositiveRate(), 100*m.rate())
	}
	// Output:
	// predicted 1.01%, happened 0.98%
	// predicted 0.00%, happened 100.00%
}

// A guard is a filter in front of a slow store.
type guard struct {
	filter *bloom.Filter // nil if it could not be read
}

// newGuard reads the filter. A store can do without it.
func newGuard(name string) guard {
	f, err := load(name)
	if err != nil {
		log.Printf("every key will be looked up: %s: %v", name, err)
		return guard{}
	}
	return guard{f}
}

// mayContain reports whether the store must be asked.
func (g guard) mayContain(key string) bool {
	return g.filter == nil || g.filter.ContainsString(key)
}

func Example_maybe() {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	fmt.Println(newGuard("no such file").mayContain("apple"))
	// Output: true
}

// decodeAll decodes filters in a JSON object. The decoder would create the
// filters itself, with the public family, so it only splits the text.
func decodeAll(text []byte, fam hashfam.Family) (map[string]*bloom.Filter, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return nil, err
	}
	filters := map[string]*bloom.Filter{}
	for name, part := range parts {
		f := bloom.NewReceiver(fam)
		if err := json.Unmarshal(part, f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		filters[name] = f
	}
	return filters, nil
}

func Example_secretFiltersInAMap() {
	fam := hashfam.Random()
	f := hashfam.Must(bloom.New(bloom.Config{Capacity: 10, FPRate: 0.01, Family: fam}))
	f.AddString("apple")
	text := hashfam.Must(json.Marshal(map[string]*bloom.Filter{"fruit": f}))

	var direct map[string]*bloom.Filter
	fmt.Println(errors.Is(json.Unmarshal(text, &direct), hashfam.ErrFamily))
	filters, err := decodeAll(text, fam)
	fmt.Println(slices.Collect(maps.Keys(filters)), filters["fruit"].ContainsString("apple"), err)
	// Output:
	// true
	// [fruit] true <nil>
}

// current returns the filter in the file. If there is none, or if it was made
// with another configuration, current calls rebuild to fill a new filter.
func current(name string, c bloom.Config, rebuild func(*bloom.Filter) error) (*bloom.Filter, error) {
	wanted, err := c.Params()
	if err != nil {
		return nil, err
	}
	f, err := load(name)
	if err == nil && f.Params() == wanted {
		return f, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err = bloom.NewFromParams(wanted)
	if err != nil {
		return nil, err
	}
	if err := rebuild(f); err != nil {
		return nil, err
	}
	return f, hashfam.WriteFile(name, f)
}

func Example_changedConfiguration() {
	dir := hashfam.Must(os.MkdirTemp("", ""))
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "seen")
	for _, capacity := range []uint64{1000, 1000, 2000} {
		built := false
		f, err := current(name, bloom.Config{Capacity: capacity, FPRate: 0.01}, func(*bloom.Filter) error {
			built = true
			return nil
		})
		fmt.Println(f.SizeBytes(), built, err)
	}
	// Output:
	// 1200 true <nil>
	// 1200 false <nil>
	// 2400 true <nil>
}

// An expiring set remembers each key at least for its own time.
type expiring struct {
	spans   []time.Duration // ascending
	filters []*bloom.Rotating
}

func newExpiring(keys uint64, spans ...time.Duration) (*expiring, error) {
	e := &expiring{spans: spans}
	for _, span := range spans {
		f, err := bloom.NewRotating(bloom.RotatingConfig{Keys: keys, Span: span, FPRate: 0.01 / float64(len(spans))})
		if err != nil {
			return nil, err
		}
		e.filters = append(e.filters, f)
	}
	return e, nil
}

// add remembers the key for life, which must not exceed the longest span. The
// key may stay for up to twice the next longer span.
func (e *expiring) add(key string, life time.Duration, now time.Time) {
	i, _ := slices.BinarySearch(e.spans, life)
	e.filters[i].Advance(now)
	e.filters[i].AddString(key)
}

func (e *expiring) contains(key string, now time.Time) bool {
	return slices.ContainsFunc(e.filters, func(f *bloom.Rotating) bool {
		f.Advance(now)
		return f.ContainsString(key)
	})
}

func Example_expiry() {
	e := hashfam.Must(newExpiring(1000, time.Minute, 10*time.Minute, time.Hour))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e.add("short", 30*time.Second, now)
	e.add("long", 30*time.Minute, now)
	for _, later := range []time.Duration{30 * time.Second, 30 * time.Minute, 3 * time.Hour} {
		fmt.Println(later, e.contains("short", now.Add(later)), e.contains("long", now.Add(later)))
	}
	// Output:
	// 30s true true
	// 30m0s false true
	// 3h0m0s false false
}

// bare returns only the bits of a filter, without the header and the checksum.
func bare(f *bloom.Filter) ([]byte, error) {
	frame, err := f.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return frame[64 : len(frame)-8], nil
}

// dressed returns the filter of both sides' Params with these bits.
func dressed(p bloom.Params, bits []byte) (*bloom.Filter, error) {
	words := make([]uint64, len(bits)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(bits[8*i:])
	}
	return bloom.FromWords(p, words)
}

func Example_smallMessage() {
	p := hashfam.Must(bloom.Config{Capacity: 50, FPRate: 0.01}.Params())
	f := hashfam.Must(bloom.NewFromParams(p))
	f.AddString("apple")
	message := hashfam.Must(bare(f))
	g, err := dressed(p, message)
	fmt.Println(len(message), "bytes,", g.ContainsString("apple"), g.Equal(f), err)
	// Output: 64 bytes, true true <nil>
}

// orphans deletes temporary files of programs that were killed while they saved
// filters. Call it before any goroutine saves to this folder.
func orphans(folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, ".filterfam-*"))
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func Example_afterACrash() {
	dir := hashfam.Must(os.MkdirTemp("", ""))
	defer os.RemoveAll(dir)
	fmt.Println(os.WriteFile(filepath.Join(dir, ".filterfam-123"), nil, 0o600), orphans(dir))
	fmt.Println(os.ReadDir(dir))
	// Output:
	// <nil> <nil>
	// [] <nil>
}

// Three segments have 7,000 keys. Their filters have different sizes, but the
// parameters are planned once and doubled, so that each filter can be folded to
// the smallest size. This is enough for all keys.
func Example_segmentsOfDifferentSizes() {
	p := hashfam.Must(bloom.Config{Capacity: 7000, FPRate: 0.01}.Params()) // of the union
	whole := hashfam.Must(bloom.NewFromParams(p))
	for segment := range 3 {
		f := hashfam.Must(bloom.NewFromParams(p))
		f.AddString(fmt.Sprint("a key of segment ", segment))
		for f.Params().Bits > whole.Params().Bits {
			if err := f.Fold(); err != nil {
				fmt.Println(err)
				return
			}
		}
		fmt.Println(whole.Merge(f))
		p.Bits *= 2
	}
	fmt.Println(whole.ContainsString("a key of segment 0"), whole.ContainsString("a key of segment 2"))
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// true true
}
