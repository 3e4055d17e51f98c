package countmin

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

func drawMemory(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, tracker.MinMemory, 1100, 2000, 5000, 16384}).Draw(t, "memory")
}

// heavy is the suite for heavy hitters. A key is in them if its count may be
// above zero.
var heavy = conformance.Suite[*HeavyHitters]{
	Encoded: conformance.Encoded[*HeavyHitters]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *HeavyHitters {
			phi := rapid.SampledFrom([]float64{1, 0.1, 0.02, 0.001}).Draw(t, "phi")
			return must(NewHeavyHitters(HeavyConfig{Phi: phi, MemoryBytes: drawMemory(t), Family: fam}))
		},
		Receiver:  NewHeavyReceiver,
		Insert:    func(h *HeavyHitters, key []byte) error { h.Add(key); return nil },
		Has:       func(h *HeavyHitters, key []byte) bool { return h.Estimate(key).Count > 0 },
		HasString: func(h *HeavyHitters, key string) bool { return h.EstimateString(key).Count > 0 },
		HasDigest: func(h *HeavyHitters, d hashfam.Digest) bool { return h.EstimateDigest(d).Count > 0 },
		HasAll: func(h *HeavyHitters, dst []bool, keys [][]byte) []bool {
			var buf [64]Estimate
			for _, e := range h.EstimateAll(buf[:0], keys) {
				dst = append(dst, e.Count > 0)
			}
			return dst
		},
		Reads: func(h *HeavyHitters) {
			for range h.All() {
				break
			}
			h.Threshold()
			h.Complete()
			h.MissBound()
			h.Total()
			h.SizeBytes()
			h.Params()
			_ = h.String()
		},
		ClaimHuge: claimHuge,
		HasAllStrings: func(h *HeavyHitters, dst []bool, keys []string) []bool {
			for _, e := range h.EstimateAllStrings(nil, keys) {
				dst = append(dst, e.Count > 0)
			}
			return dst
		},
		HasAllDigests: func(h *HeavyHitters, dst []bool, digests []hashfam.Digest) []bool {
			var buf [64]Estimate
			for _, e := range h.EstimateAllDigests(buf[:0], digests) {
				dst = append(dst, e.Count > 0)
			}
			return dst
		},
		ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) { return ReadHeavyParams(r, fam) },
		Params:     func(h *HeavyHitters) (any, hashfam.Family) { return h.Params(), h.family },
		Shown:      func(h *HeavyHitters) []any { return []any{h.Params()} },
		Golden: []conformance.Golden[*HeavyHitters]{
			{File: "heavy.bin", Build: goldenHeavy(HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory})},
			{File: "heavykeyed.bin", Build: goldenHeavy(HeavyConfig{Phi: 0.1, MemoryBytes: 1200,
				Family: hashfam.New(hashfam.Key{1, 2, 3})})},
		},
	},
	Like: func(h *HeavyHitters) *HeavyHitters { return must(NewHeavyHitters(h.Params())) },
	Variants: func(h *HeavyHitters) []*HeavyHitters {
		phi, memory, fam := h.Params(), h.Params(), h.Params()
		phi.Phi /= 2
		memory.MemoryBytes += tracker.MinMemory
		fam.Family = fam.Family.Derive("another")
		return []*HeavyHitters{must(NewHeavyHitters(phi)), must(NewHeavyHitters(memory)), must(NewHeavyHitters(fam))}
	},
	Reset:               (*HeavyHitters).Reset,
	Clone:               (*HeavyHitters).Clone,
	Merge:               (*HeavyHitters).Merge,
	InsertString:        func(h *HeavyHitters, key string) error { h.AddString(key); return nil },
	InsertAll:           func(h *HeavyHitters, keys [][]byte) error { h.AddAll(keys); return nil },
	MergeIsAnUpperBound: true,
	InsertAllStrings:    func(h *HeavyHitters, keys []string) error { h.AddAllStrings(keys); return nil },
	InsertSeq:           func(h *HeavyHitters, keys iter.Seq[[]byte]) error { h.AddSeq(keys); return nil },
}

// claimHuge claims a budget of 2^34 bytes, and a payload of 2^40.
func claimHuge(params []byte) uint64 {
	binary.LittleEndian.PutUint64(params[8:], tracker.MaxMemory)
	return 1 << 40
}

// goldenHeavy returns what builds heavy hitters of a few keys, one of them
// long, that do not all have room.
func goldenHeavy(c HeavyConfig) func() *HeavyHitters {
	return func() *HeavyHitters {
		h := must(NewHeavyHitters(c))
		for i := range 60 {
			h.AddNString(fmt.Sprint("key ", i%20), uint64(1+i*i%7))
			h.AddString(fmt.Sprintf("%0*d", 255+i%2*9, 1))
		}
		h.AddNString("heavy", 1<<33)
		return h
	}
}

// top is the suite for the top k.
var top = conformance.Suite[*TopK]{
	Encoded: conformance.Encoded[*TopK]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *TopK {
			k := rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "k")
			return must(NewTopK(TopKConfig{K: k, MemoryBytes: drawMemory(t), Family: fam}))
		},
		Receiver:  NewTopKReceiver,
		Insert:    func(k *TopK, key []byte) error { k.Add(key); return nil },
		Has:       func(k *TopK, key []byte) bool { return k.Estimate(key).Count > 0 },
		HasString: func(k *TopK, key string) bool { return k.EstimateString(key).Count > 0 },
		HasDigest: func(k *TopK, d hashfam.Digest) bool { return k.EstimateDigest(d).Count > 0 },
		HasAll: func(k *TopK, dst []bool, keys [][]byte) []bool {
			var buf [64]Estimate
			for _, e := range k.EstimateAll(buf[:0], keys) {
				dst = append(dst, e.Count > 0)
			}
			return dst
		},
		Reads: func(k *TopK) {
			for range k.All() {
				break
			}
			k.Complete()
			k.MissBound()
			k.Total()
			k.SizeBytes()
			k.Params()
			_ = k.String()
		},
		ClaimHuge: claimHuge,
		HasAllStrings: func(h *TopK, dst []bool, keys []string) []bool {
			for _, e := range h.EstimateAllStrings(nil, keys) {
				dst = append(dst, e.Count > 0)
			}
			return dst
		},
		HasAllDigests: func(h *TopK, dst []bool, digests []hashfam.Digest) []bool {
			var buf [64]Estimate
			for _, e := range h.EstimateAllDigests(buf[:0], digests) {
				dst = append(dst, e.Count > 0)
			}
			return dst
		},
		ReadParams: func(r io.Reader, fam hashfam.Family) (any, error) { return ReadTopKParams(r, fam) },
		Params:     func(k *TopK) (any, hashfam.Family) { return k.Params(), k.family },
		Shown:      func(k *TopK) []any { return []any{k.Params()} },
		Golden: []conformance.Golden[*TopK]{
			{File: "top.bin", Build: func() *TopK {
				k := must(NewTopK(TopKConfig{K: 3, MemoryBytes: tracker.MinMemory}))
				for i := range 60 {
					k.AddNString(fmt.Sprint("key ", i%20), uint64(1+i*i%7))
				}
				return k
			}},
		},
	},
	Like: func(k *TopK) *TopK { return must(NewTopK(k.Params())) },
	Variants: func(k *TopK) []*TopK {
		few, memory, fam := k.Params(), k.Params(), k.Params()
		few.K++
		memory.MemoryBytes += tracker.MinMemory
		fam.Family = fam.Family.Derive("another")
		return []*TopK{must(NewTopK(few)), must(NewTopK(memory)), must(NewTopK(fam))}
	},
	Reset:               (*TopK).Reset,
	Clone:               (*TopK).Clone,
	Merge:               (*TopK).Merge,
	InsertString:        func(k *TopK, key string) error { k.AddString(key); return nil },
	InsertAll:           func(k *TopK, keys [][]byte) error { k.AddAll(keys); return nil },
	MergeIsAnUpperBound: true,
	InsertAllStrings:    func(h *TopK, keys []string) error { h.AddAllStrings(keys); return nil },
	InsertSeq:           func(h *TopK, keys iter.Seq[[]byte]) error { h.AddSeq(keys); return nil },
}

func TestConformanceOfHeavyHitters(t *testing.T) { heavy.Run(t) }
func TestConformanceOfTopK(t *testing.T)         { top.Run(t) }

func FuzzHeavyKeyForms(f *testing.F)  { conformance.Fuzz(f, heavy.KeyForms) }
func FuzzHeavyMerge(f *testing.F)     { conformance.Fuzz(f, heavy.MergeIsJointBuild) }
func FuzzHeavyRoundTrip(f *testing.F) { conformance.Fuzz(f, heavy.RoundTrip) }
func FuzzHeavyDamage(f *testing.F)    { conformance.Fuzz(f, heavy.Damage) }
func FuzzHeavyMutations(f *testing.F) { heavy.FuzzMutations(f) }
func FuzzTopKMutations(f *testing.F)  { top.FuzzMutations(f) }
func FuzzHeavyDecode(f *testing.F)    { heavy.FuzzDecode(f) }
func FuzzTopKDecode(f *testing.F)     { top.FuzzDecode(f) }
