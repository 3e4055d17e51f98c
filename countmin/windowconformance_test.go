package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// windows is the suite for windows that no key of a test leaves. A key is in
// one if its count may be above zero.
var windows = conformance.Suite[*Window]{
	Encoded: conformance.Encoded[*Window]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Window {
			c := WindowConfig{
				Phi:    rapid.SampledFrom([]float64{1, 0.1, 0.02}).Draw(t, "phi"),
				Panes:  rapid.IntRange(2, 3).Draw(t, "panes"),
				Family: fam,
			}
			if rapid.Bool().Draw(t, "keys") {
				c.Keys = 100_000
			} else {
				c.Span = time.Hour
			}
			if rapid.Bool().Draw(t, "budget") {
				c.MemoryBytes = leastPaneBytes * 4
			}
			return must(NewWindow(c))
		},
		Receiver:  NewWindowReceiver,
		Insert:    func(w *Window, key []byte) error { w.Add(key); return nil },
		Has:       func(w *Window, key []byte) bool { return w.Estimate(key).Count > 0 },
		HasString: func(w *Window, key string) bool { return w.EstimateString(key).Count > 0 },
		HasDigest: func(w *Window, d hashfam.Digest) bool { return w.EstimateDigest(d).Count > 0 },
		HasAll: func(w *Window, dst []bool, keys [][]byte) []bool {
			var buf [64]Estimate
			return likely(dst, w.EstimateAll(buf[:0], keys))
		},
		HasAllStrings: func(w *Window, dst []bool, keys []string) []bool {
			var buf [64]Estimate
			return likely(dst, w.EstimateAllStrings(buf[:0], keys))
		},
		HasAllDigests: func(w *Window, dst []bool, digests []hashfam.Digest) []bool {
			var buf [64]Estimate
			return likely(dst, w.EstimateAllDigests(buf[:0], digests))
		},
		Reads: func(w *Window) {
			for range w.All() {
				break
			}
			w.Threshold()
			w.Complete()
			w.MissBound()
			w.Total()
			w.SizeBytes()
			_ = w.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params[24:], mostPanes)
			binary.LittleEndian.PutUint64(params[32:], tracker.MaxMemory)
			return 1 << 40
		},
		ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) { return ReadWindowParams(r, fam) },
		Params:     func(w *Window) (any, hashfam.Family) { return w.Params(), w.config.Family },
		Shown:      func(w *Window) []any { return []any{w.config} },
		Golden: []conformance.Golden[*Window]{
			{File: "window.bin", Build: clones(func() *Window {
				w := must(NewWindow(WindowConfig{Phi: 0.2, Keys: 16, Panes: 1, MemoryBytes: 2 * leastPaneBytes}))
				for i := range 24 {
					w.AddString(fmt.Sprint("key ", i%7))
				}
				return w
			})},
			{File: "windowtime.bin", Build: clones(func() *Window {
				w := must(NewWindow(WindowConfig{Phi: 0.2, Span: time.Minute, Panes: 2, MemoryBytes: 3 * leastPaneBytes,
					Family: hashfam.New(hashfam.Key{1, 2, 3})}))
				for i := range 20 {
					w.AddStringAt(fmt.Sprint("key ", i*i%11), time.Unix(int64(2*i-40), 0))
				}
				return w
			})},
		},
	},
	Like: func(w *Window) *Window { return must(NewWindow(w.Params())) },
	Variants: func(w *Window) []*Window {
		var variants []*Window
		for _, change := range []func(*WindowConfig){
			func(c *WindowConfig) { c.Phi /= 2 },
			func(c *WindowConfig) { c.Panes-- },
			func(c *WindowConfig) { c.MemoryBytes += leastPaneBytes * 10 },
			func(c *WindowConfig) { c.Family = c.Family.Derive("another") },
			func(c *WindowConfig) {
				if c.Keys > 0 {
					c.Keys++
				} else {
					c.Span++
				}
			},
		} {
			c := w.Params()
			change(&c)
			variants = append(variants, must(NewWindow(c)))
		}
		return variants
	},
	Reset:        (*Window).Reset,
	Clone:        (*Window).Clone,
	InsertString: func(w *Window, key string) error { w.AddString(key); return nil },
	InsertAll:    func(w *Window, keys [][]byte) error { w.AddAll(keys); return nil },
	InsertAllStrings: func(w *Window, keys []string) error {
		w.AddAllStrings(keys)
		return nil
	},
	InsertSeq: func(w *Window, keys iter.Seq[[]byte]) error { w.AddSeq(keys); return nil },
}

// clones returns a function that returns copies of what build returns, which is
// built once: the suite asks thousands of times.
func clones(build func() *Window) func() *Window {
	once := sync.OnceValue(build)
	return func() *Window { return once().Clone() }
}

// likely appends to dst whether each key may have been counted.
func likely(dst []bool, estimates []Estimate) []bool {
	for _, e := range estimates {
		dst = append(dst, e.Count > 0)
	}
	return dst
}

func TestConformanceOfWindows(t *testing.T) { windows.Run(t) }

func FuzzWindowRoundTrip(f *testing.F) { conformance.Fuzz(f, windows.RoundTrip) }
func FuzzWindowMutations(f *testing.F) { windows.FuzzMutations(f) }
func FuzzWindowDecode(f *testing.F)    { windows.FuzzDecode(f) }
