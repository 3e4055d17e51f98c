package bloom

import (
	"encoding/binary"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

var rotatingSuite = conformance.Suite[*Rotating]{
	Encoded: conformance.Encoded[*Rotating]{
		// Time does not pass, so that no key is forgotten.
		Fresh: func(t *rapid.T, fam hashfam.Family) *Rotating {
			return likeRotating(RotatingConfig{
				Capacity:    rapid.Uint64Range(1, 30).Draw(t, "capacity"),
				Span:        time.Hour,
				Generations: rapid.IntRange(0, 4).Draw(t, "generations"),
				FPRate:      rapid.SampledFrom([]float64{0.5, 0.1, 0.001}).Draw(t, "rate"),
				Layout:      rapid.SampledFrom(layouts).Draw(t, "layout"),
				Family:      fam,
			})
		},
		Receiver:      NewRotatingReceiver,
		Insert:        func(r *Rotating, key []byte) error { r.Add(key); return nil },
		Has:           (*Rotating).Contains,
		HasString:     (*Rotating).ContainsString,
		HasDigest:     (*Rotating).ContainsDigest,
		HasAll:        (*Rotating).ContainsAll,
		HasAllDigests: (*Rotating).ContainsAllDigests,
		HasAllStrings: (*Rotating).ContainsAllStrings,
		HasAllUint64:  (*Rotating).ContainsAllUint64,
		HasUint64:     (*Rotating).ContainsUint64,
		Reads: func(r *Rotating) {
			r.EstimatedLen()
			r.FalsePositiveRate()
			r.SizeBytes()
			r.Config()
			_ = r.String()
		},
		ClaimHuge: func(params []byte) uint64 {
			binary.LittleEndian.PutUint64(params[24:], 1<<40)
			params[32], params[33], params[34] = 8, byte(Classic), 1
			return 1 << 38
		},
		Params: func(r *Rotating) (any, hashfam.Family) { return r.config, r.config.Family },
		Shown:  func(r *Rotating) []any { return []any{r.config} },
		Golden: []conformance.Golden[*Rotating]{
			{File: "rotating.bin", Build: goldenRotating(RotatingConfig{Capacity: 40, FPRate: 0.1, Generations: 2})},
			{File: "rotating-time.bin", Build: func() *Rotating {
				r := likeRotating(RotatingConfig{Capacity: 40, FPRate: 0.1, Span: time.Hour, Layout: Blocked, Family: hashfam.New(hashfam.Key{1, 2, 3})})
				for i := range 100 {
					r.AddStringAt(fmt.Sprint("key ", i), time.Unix(int64(1e9+60*i), 0))
				}
				return r
			}},
		},
	},
	Like: func(r *Rotating) *Rotating { return likeRotating(r.config) },
	Variants: func(r *Rotating) []*Rotating {
		var variants []*Rotating
		for _, change := range []func(*RotatingConfig){
			func(c *RotatingConfig) { c.Capacity++ },
			func(c *RotatingConfig) { c.Span++ },
			func(c *RotatingConfig) { c.Generations++ },
			func(c *RotatingConfig) { c.FPRate *= 0.999 },
			func(c *RotatingConfig) { c.Layout = (c.Layout + 1) % 3 },
			func(c *RotatingConfig) { c.Layout = (c.Layout + 2) % 3 },
			func(c *RotatingConfig) { c.Family = c.Family.Derive("another") },
		} {
			c := r.config
			change(&c)
			variants = append(variants, likeRotating(c))
		}
		return variants
	},
	Reset:        (*Rotating).Reset,
	Clone:        (*Rotating).Clone,
	InsertString: func(r *Rotating, key string) error { r.AddString(key); return nil },
	InsertDigest: func(r *Rotating, d hashfam.Digest) error { r.AddDigest(d); return nil },
	InsertAll:    func(r *Rotating, keys [][]byte) error { r.AddAll(keys); return nil },
	HasOrInsert:  func(r *Rotating, key []byte) (bool, error) { return r.ContainsOrAdd(key), nil },
	HasOrInsertString: func(r *Rotating, key string) (bool, error) {
		return r.ContainsOrAddString(key), nil
	},
	HasOrInsertUint64: func(r *Rotating, key uint64) (bool, error) {
		return r.ContainsOrAddUint64(key), nil
	},
	HasOrInsertDigest: func(r *Rotating, d hashfam.Digest) (bool, error) {
		return r.ContainsOrAddDigest(d), nil
	},
	HasOrInsertAlways: true,
	InsertAllDigests:  func(r *Rotating, digests []hashfam.Digest) error { r.AddAllDigests(digests); return nil },
	InsertAllStrings:  func(r *Rotating, keys []string) error { r.AddAllStrings(keys); return nil },
	InsertAllUint64:   func(r *Rotating, keys []uint64) error { r.AddAllUint64(keys); return nil },
	InsertSeq:         func(r *Rotating, keys iter.Seq[[]byte]) error { r.AddSeq(keys); return nil },
	InsertUint64:      func(r *Rotating, key uint64) error { r.AddUint64(key); return nil },
}

// likeRotating returns an empty filter. It keeps one for each configuration: to
// plan one takes milliseconds if the rate is low.
func likeRotating(c RotatingConfig) *Rotating {
	empty, planned := emptyRotatings.Load(c)
	if !planned {
		fresh, err := NewRotating(c)
		if err != nil {
			panic(err)
		}
		empty, _ = emptyRotatings.LoadOrStore(c, fresh)
	}
	return empty.(*Rotating).Clone()
}

var emptyRotatings sync.Map

// goldenRotating returns a function that returns a filter of a hundred keys.
func goldenRotating(c RotatingConfig) func() *Rotating {
	full := sync.OnceValue(func() *Rotating {
		r := likeRotating(c)
		for i := range 100 {
			r.AddString(fmt.Sprint("key ", i))
		}
		return r
	})
	return func() *Rotating { return full().Clone() }
}

func TestRotatingConformance(t *testing.T) { rotatingSuite.Run(t) }

func FuzzRotatingMutations(f *testing.F) { rotatingSuite.FuzzMutations(f) }
func FuzzRotatingDecode(f *testing.F)    { rotatingSuite.FuzzDecode(f) }
