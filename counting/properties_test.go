package counting

import (
	"encoding/binary"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

var suite = conformance.Suite[*Filter]{
	Receiver: NewReceiver,
	ClaimHuge: func(params []byte) uint64 {
		binary.LittleEndian.PutUint64(params, 1<<38)
		return 1 << 37
	},
	ReadParams: conformance.Reader(ReadParams),
	View:       conformance.Viewer[*Filter](NewView),
	Shown:      func(fam hashfam.Family) []any { return []any{Params{Family: fam}, Config{Family: fam}} },
	Golden: []conformance.Golden[*Filter]{
		{File: "counting.bin", Build: golden(Params{Counters: 1000, Hashes: 7})},
		{File: "blocked.bin", Build: golden(Params{Counters: 1024, Hashes: 7, Layout: Blocked})},
		{File: "stuck.bin", Build: golden(Params{Counters: 37, Hashes: 3})},
		{File: "keyed.bin", Build: golden(Params{Counters: 1024, Hashes: 4, Family: hashfam.New(hashfam.Key{1, 2, 3})})},
	},
	Source: conformance.From(drawParams, NewFromParams),
	Larger: func(t *rapid.T, fam hashfam.Family) *Filter {
		p := drawParams(t)
		p.Counters, p.Family = p.Counters*rapid.SampledFrom([]uint64{1, 10}).Draw(t, "times"), fam
		return mustNew(t, p)
	},
	// A counter that has saturated stays as it is.
	Canonical: func(f *Filter) bool { return f.Stuck() == 0 },
	More:      []func(*conformance.Run[*Filter]){project, addMany},
}

// golden returns a function that builds a filter: it adds a hundred keys, the
// first of them twice, and deletes ten.
func golden(p Params) func() *Filter {
	return func() *Filter {
		f, err := NewFromParams(p)
		if err != nil {
			panic(err)
		}
		for i := range 101 {
			f.AddString(fmt.Sprint("key ", i%100))
		}
		for i := range 10 {
			f.DeleteString(fmt.Sprint("key ", 50+i))
		}
		return f
	}
}

func TestConformance(t *testing.T) { suite.Run(t) }
func FuzzProgram(f *testing.F)     { suite.FuzzProgram(f) }
func FuzzFrames(f *testing.F)      { suite.FuzzFrames(f) }

// project checks that the Bloom filter of what is left has every key, and no
// other bit unless a counter is stuck.
func project(r *conformance.Run[*Filter]) {
	r.Note("project")
	requireProjection(r, r.F, func(add func(hashfam.Digest)) {
		for key, n := range r.Counts {
			if n > 0 {
				add(r.Family.SumString(key))
			}
		}
	})
}

// addMany adds up to 31 copies of a key, so that counters saturate.
func addMany(r *conformance.Run[*Filter]) {
	key, n := r.Key(), r.Intn(32)
	r.Note("add %x %d times", key, n)
	for range n {
		r.F.AddString(string(key))
		r.Twin.Add(key)
		r.Count(key, 1)
	}
}

// drawParams draws the parameters of a small filter of either layout. Often it
// is so small that positions of a key coincide and counters saturate.
func drawParams(t *rapid.T) Params {
	p := Params{
		Counters: uint64(rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 3000)).Draw(t, "counters")),
		Hashes:   rapid.OneOf(rapid.IntRange(1, 8), rapid.IntRange(1, 40)).Draw(t, "hashes"),
		Layout:   rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family:   hashfam.Family{}.Derive(rapid.StringN(0, 3, -1).Draw(t, "family")),
	}
	if p.Layout == Blocked {
		p.Counters = 512 * (1 + p.Counters%5)
	}
	return p
}
